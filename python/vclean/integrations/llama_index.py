"""A reader for LlamaIndex."""

from collections.abc import Iterable, Iterator
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from .. import Cleaner, Page
from ._sources import Result, Source, as_list, clean_sources, id_of, name_of, text_and_metadata


class VcleanReader(BaseReader):
    """Reads web pages as documents with the text of the page.

    It also works as ``file_extractor`` of ``SimpleDirectoryReader``. The id of a document is its
    source. The metadata, which is left out of embeddings, has ``source``, and if known ``title``,
    ``author``, ``date``, ``date_source``, ``language``, ``site``, ``description``, ``license``,
    ``tags``, ``url``, ``kind``, ``state`` and ``expected_f``. The document of a page that cannot be
    cleaned has no text, and ``error`` in its metadata.

    Args:
        output_format: a format of ``vclean.FORMATS``
        render: render files and pages in memory too
        options: options of ``vclean.Cleaner``
    """

    def __init__(self, *, output_format: str = "markdown", render: bool = False, **options: Any):
        self.output_format = output_format
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
            text, metadata = text_and_metadata(result, self.output_format)
            metadata = {"source": name, **metadata, **(extra_info or {})}
            yield Document(text=text, metadata=metadata, id_=id_of(name, text), excluded_embed_metadata_keys=list(metadata))

    def _clean_on(self, fs: Any, source: Source) -> Iterator[Result]:
        """Cleans a file of an fsspec file system."""
        name = name_of(source)
        try:
            page = Page(fs.cat_file(name), name=name)
        except Exception as error:
            yield name, error
        else:
            yield from clean_sources(self.cleaner, [page], self.render)
