"""A reader for LlamaIndex."""

from collections.abc import Iterable, Iterator
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from .. import Cleaner, Page
from ._sources import Parts, Result, Source, as_list, clean_sources, name_of


class VcleanReader(BaseReader):
    """Reads web pages as documents with the text of the page.

    It also works as ``file_extractor`` of ``SimpleDirectoryReader``. The id of a document is its
    source. The metadata, which is left out of embeddings, has ``source``, and if known ``title``,
    ``author``, ``date``, ``date_source``, ``language``, ``site``, ``description``, ``license``,
    ``tags``, ``url``, ``kind``, ``state`` and ``expected_f``. The document of a page that cannot be
    cleaned has no text, and ``error`` in its metadata.

    With ``chunk_size`` there is a document for each chunk of a page, as plain text. Its metadata also has
    ``headings`` (from the outermost one), ``chunk`` (its number), ``chunk_kind``, and ``start`` and ``end`` in the
    text; ``url`` leads to the passage, and ``author`` and ``date`` are those of a post.

    Args:
        output_format: a format of ``vclean.FORMATS``
        render: render files and pages in memory too
        chunk_size: largest number of words of a chunk; ``None`` for whole pages
        chunk_overlap: largest number of words that a chunk repeats from the one before
        options: options of ``vclean.Cleaner``
    """

    def __init__(
        self,
        *,
        output_format: str = "markdown",
        render: bool = False,
        chunk_size: int | None = None,
        chunk_overlap: int = 0,
        **options: Any,
    ):
        self.parts = Parts(output_format, chunk_size, chunk_overlap)
        self.render = render
        self.cleaner = Cleaner(**options)

    def lazy_load_data(
        self, sources: Source | Iterable[Source], extra_info: dict[str, Any] | None = None, fs: Any = None
    ) -> Iterable[Document]:
        """Yields the documents in the order of the sources.

        Args:
            sources: one or many addresses (always rendered), paths of files, or ``vclean.Page``
            extra_info: metadata to add
            fs: fsspec file system of the paths, if they are not on this machine
        """
        results = clean_sources(self.cleaner, as_list(sources), self.render)
        if fs is not None:
            results = (result for source in as_list(sources) for result in self._clean_on(fs, source))
        for name, result in results:
            for text, metadata, id in self.parts.of_page(name, result):
                metadata = {"source": name, **metadata, **(extra_info or {})}
                yield Document(text=text, metadata=metadata, id_=id, excluded_embed_metadata_keys=list(metadata))

    def _clean_on(self, fs: Any, source: Source) -> Iterator[Result]:
        """Cleans a file of an fsspec file system."""
        name = name_of(source)
        try:
            page = Page(fs.cat_file(name), name=name)
        except Exception as error:
            yield name, error
        else:
            yield from clean_sources(self.cleaner, [page], self.render)
