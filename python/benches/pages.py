"""Reads the pages of data folders as decoded HTML, so that every package gets the same input."""

import email
import json
from collections.abc import Iterator
from dataclasses import dataclass
from email import policy
from itertools import cycle, islice
from pathlib import Path


@dataclass(frozen=True)
class Input:
    """A page with its name, address and HTML."""

    name: str
    url: str
    html: str


def load(folder: Path, limit: int | None = None) -> list[Input]:
    """Pages of a data folder (manifest.jsonl, pages/ID.html or ID.mhtml), at even distances if there are more than `limit`."""
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    step = max(1, len(rows) // limit) if limit else 1
    pages = [Input(row["id"], row.get("url") or "", _html(folder, row["id"])) for row in islice(rows, 0, None, step)]
    return pages[:limit]


def repeated(pages: list[Input], count: int) -> Iterator[Input]:
    """Yields `count` pages; they are repeated under new names if there are fewer."""
    for number, page in enumerate(islice(cycle(pages), count)):
        yield Input(f"{number:05}-{page.name}", page.url, page.html)


def _html(folder: Path, name: str) -> str:
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    html = folder / "pages" / f"{name}.html"
    if html.exists():
        content = html.read_bytes()
    else:
        message = email.message_from_bytes((folder / "pages" / f"{name}.mhtml").read_bytes(), policy=policy.default)
        part = next(part for part in message.walk() if part.get_content_type() == "text/html")
        content = part.get_payload(decode=True)
    return bytes_to_str(content, detect_encoding(content, html5_compatible=False) or "utf-8")
