"""The fields that the adapters fill for each page."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .. import FORMATS, Document, Page

METADATA = ("title", "author", "date", "date_source", "language", "site", "description", "license", "tags")
"""Fields from the metadata of the page."""

FIELDS = ("text", "markdown", *METADATA, "kind", "state", "expected_f", "error")
"""The fields that tables get if none are named."""


def checked(fields: Sequence[str]) -> tuple[str, ...]:
    """Returns the names of the fields; raises ``ValueError`` if one is unknown."""
    known = [*FORMATS, *METADATA, "url", "kind", "state", "expected_f", "error"]
    for field in [fields] if isinstance(fields, str) else fields:
        if field not in known:
            raise ValueError(f"there is no field {field}; fields are {', '.join(known)}")
    return (fields,) if isinstance(fields, str) else tuple(fields)


def pages(contents: Iterable[Any], addresses: Iterable[Any]) -> Iterator[Any]:
    """Yields pages for ``clean_many``; invalid content is passed on, so that it fails in its place."""
    for content, address in zip(contents, addresses, strict=True):
        try:
            yield Page(content, address if isinstance(address, str) else None)
        except Exception:
            yield content


def fields_of(result: Document | Exception, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the fields of a cleaned page or of an error.

    A value that the page does not give is ``None``. All values are strings, except ``expected_f``,
    a number from 0 to 1.
    """
    if isinstance(result, Exception):
        return {field: str(result) if field == "error" else None for field in fields}
    metadata = result.metadata
    return {field: _field(result, metadata, field) for field in fields}


def _field(document: Document, metadata: dict[str, Any], field: str) -> Any:
    if field in FORMATS:
        return document.write(field)
    if field == "kind":
        return document.kind[0] if document.kind else None
    if field == "state":
        return document.state[0] if document.state else None
    if field == "expected_f":
        return document.expected_f if math.isfinite(document.expected_f) else None
    if field == "date_source":
        return metadata["sources"].get("date")
    if field == "tags":
        return ", ".join(metadata["tags"]) or None
    return metadata.get(field)
