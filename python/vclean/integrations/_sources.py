"""Cleans addresses, files and pages in memory for the loaders of LangChain and LlamaIndex."""

import hashlib
import os
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from .. import Cleaner, Document, InputError, Page
from ._fields import METADATA, fields_of

Source: TypeAlias = str | os.PathLike[str] | Page
"""An address that begins with ``https://`` or ``http://``, the path of a file, or a page in memory."""

Result: TypeAlias = tuple[str, Document | Exception]
"""The name of a source, and its document or the error of its page."""


def is_address(source: Source) -> bool:
    """True for a web address, which is always rendered."""
    return isinstance(source, str) and source.startswith(("https://", "http://"))


def name_of(source: Source) -> str:
    """Returns the name of a source for the metadata of its document."""
    if isinstance(source, Page):
        return source.url or source.name or ""
    return os.fspath(source) if isinstance(source, str | os.PathLike) else repr(source)


def _page(source: Source) -> Any:
    """Converts a source for ``clean_many``, which reports an error if it is not a valid one."""
    if not isinstance(source, str) or is_address(source):
        return source
    return Path(source)


def clean_sources(cleaner: Cleaner, sources: Iterable[Source], render: bool) -> Iterator[Result]:
    """Yields the name and the result of each source, in order.

    Addresses are always rendered, other sources only if ``render`` is set.
    """
    for rendered, group in groupby(sources, lambda source: render or is_address(source)):
        names: deque[str] = deque()

        def pages(group: Iterable[Source] = group, names: deque[str] = names) -> Iterator[Any]:
            for source in group:
                names.append(name_of(source))
                yield _page(source)

        for result in cleaner.clean_many(pages(), render=rendered):
            yield names.popleft(), result


def as_list(sources: Source | Iterable[Source]) -> Iterable[Source]:
    """Returns the sources as an iterable, also if there is only one."""
    if isinstance(sources, str) and sources.lstrip().startswith("<"):
        raise InputError("a source is an address or a path; pass HTML as vclean.Page(html, url)")
    return [sources] if isinstance(sources, str | os.PathLike | Page) else sources


def id_of(name: str, text: str) -> str:
    """Returns an id that is the same in every run: the name of the source, or a hash of the text."""
    return name or hashlib.sha256(text.encode()).hexdigest()[:32]


Part: TypeAlias = tuple[str, dict[str, Any], str]
"""A text, its metadata without what is unknown, and its id."""


class Parts:
    """Makes one part of a page, or one for each of its chunks.

    Args:
        output_format: the format of the text, if there are no chunks
        chunk_size: largest number of words of a chunk; ``None`` for no chunks
        chunk_overlap: largest number of words that a chunk repeats from the one before
    """

    def __init__(self, output_format: str, chunk_size: int | None, chunk_overlap: int):
        if chunk_size is None and chunk_overlap:
            raise ValueError("chunk_overlap is for chunks; name their chunk_size")
        self.output_format = output_format
        self.chunk_size = chunk_size
        self.chunk_overlap = chunk_overlap

    def of_page(self, name: str, result: Document | Exception) -> Iterator[Part]:
        """Yields the parts of a page; the metadata of a chunk also has its place in the page."""
        if self.chunk_size is None or isinstance(result, Exception):
            text, metadata = text_and_metadata(result, self.output_format)
            yield text, metadata, id_of(name, text)
            return
        text, metadata = text_and_metadata(result, "text")
        for chunk in result.chunks(self.chunk_size, self.chunk_overlap):
            own: dict[str, Any] = {
                "headings": " > ".join(chunk["headings"]),
                "chunk": chunk["index"],
                "chunk_kind": chunk["kind"],
                "start": chunk["start"],
                "end": chunk["end"],
                **{field: chunk[field] for field in ("url", "author", "date") if field in chunk},
            }
            yield chunk["text"], {**metadata, **own}, f"{id_of(name, text)}#chunk{chunk['index']}"


def text_and_metadata(result: Document | Exception, output_format: str) -> tuple[str, dict[str, Any]]:
    """Returns the text and the known metadata; for an error "" and the cause as ``error``."""
    fields = fields_of(result, [output_format, *METADATA, "url", "kind", "state", "expected_f", "error"])
    text = fields.pop(output_format) or ""
    return text, {name: value for name, value in fields.items() if value is not None}
