"""A document loader, a parser and a document transformer for LangChain."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from langchain_core.document_loaders import BaseBlobParser, BaseLoader
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.documents.base import Blob

from .. import Cleaner
from ._fields import pages
from ._sources import Parts, Source, as_list, clean_sources, text_and_metadata


class VcleanLoader(BaseLoader):
    """Loads web pages as documents with the text of the page.

    The id of a document is its source. The metadata has ``source``, and if known ``title``,
    ``author``, ``date``, ``date_source``, ``language``, ``site``, ``description``, ``license``,
    ``tags``, ``url``, ``kind``, ``state`` and ``expected_f``. The document of a page
    that cannot be cleaned has no text, and ``error`` in its metadata.

    With ``chunk_size`` there is a document for each chunk of a page, as plain text. Its metadata also has
    ``headings`` (from the outermost one), ``chunk`` (its number), ``chunk_kind``, and ``start`` and ``end`` in the
    text; ``url`` leads to the passage, and ``author`` and ``date`` are those of a post.

    Args:
        sources: one or many addresses (rendered in a browser), paths of files, or ``vclean.Page``
        output_format: a format of ``vclean.FORMATS``
        render: render files and pages in memory too
        chunk_size: largest number of words of a chunk; ``None`` for whole pages
        chunk_overlap: largest number of words that a chunk repeats from the one before
        options: options of ``vclean.Cleaner``
    """

    def __init__(
        self,
        sources: Source | Iterable[Source],
        *,
        output_format: str = "markdown",
        render: bool = False,
        chunk_size: int | None = None,
        chunk_overlap: int = 0,
        **options: Any,
    ):
        self.sources = as_list(sources)
        self.parts = Parts(output_format, chunk_size, chunk_overlap)
        self.render = render
        self.cleaner = Cleaner(**options)

    def lazy_load(self) -> Iterator[Document]:
        """Yields the documents in the order of the sources, with few in memory at a time."""
        for name, result in clean_sources(self.cleaner, self.sources, self.render):
            for text, metadata, id in self.parts.of_page(name, result):
                yield Document(page_content=text, metadata={"source": name, **metadata}, id=id)


class VcleanBlobParser(BaseBlobParser):
    """Parses blobs of HTML, for the loaders that take a parser."""

    def __init__(self, *, output_format: str = "markdown", **options: Any):
        self.output_format = output_format
        self.cleaner = Cleaner(**options)

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """Yields the document of the page in the blob.

        The address of the page is ``url`` or ``source`` in the metadata of the blob.
        """
        content, address = blob.as_bytes(), _address(blob.metadata) or _address({"source": blob.source})
        for result in self.cleaner.clean_many(pages([content], [address]), threads=1):
            text, metadata = text_and_metadata(result, self.output_format)
            source = {"source": blob.source} if blob.source else {}
            yield Document(page_content=text, metadata={**blob.metadata, **source, **metadata})


class VcleanTransformer(BaseDocumentTransformer):
    """Replaces the HTML of documents with the text of their pages.

    It adds the same metadata as :class:`VcleanLoader`.
    """

    def __init__(self, *, output_format: str = "markdown", **options: Any):
        self.output_format = output_format
        self.cleaner = Cleaner(**options)

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """Returns new documents with text in place of HTML."""
        contents = (document.page_content for document in documents)
        results = self.cleaner.clean_many(pages(contents, (_address(document.metadata) for document in documents)))
        return [self._transformed(document, result) for document, result in zip(documents, results, strict=True)]

    def _transformed(self, document: Document, result: Any) -> Document:
        text, metadata = text_and_metadata(result, self.output_format)
        return document.model_copy(update={"page_content": text, "metadata": {**document.metadata, **metadata}})


def _address(metadata: dict[str, Any]) -> str | None:
    """Returns the address of a page from its metadata."""
    for name in ("url", "source"):
        value = metadata.get(name)
        if isinstance(value, str) and value.startswith(("https://", "http://")):
            return value
    return None
