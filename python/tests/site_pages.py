"""Pages for the tests of the integrations: small ones of our own, and broken ones."""

from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAMES = ["article", "german", "listing", "windows-1251"]

PDF = b"%PDF-1.7\n" + b"1 0 obj <</Type /Catalog>>\n" * 20
"""Content that is not a page, so that cleaning it fails."""


def address(name: str) -> str:
    return f"https://pages.example/{name}/"


def content(name: str) -> bytes:
    return (FIXTURES / "site" / name / "index.html").read_bytes()


def text_content(name: str) -> str:
    """The page as text; only for pages in UTF-8."""
    return content(name).decode()


def rows() -> list[dict[str, object]]:
    """Four pages with a broken one in their middle, and one that is missing."""
    pages: list[dict[str, object]] = [{"id": name, "url": address(name), "html": content(name)} for name in NAMES]
    pages.insert(2, {"id": "pdf", "url": address("pdf"), "html": PDF})
    pages.insert(4, {"id": "missing", "url": None, "html": None})
    return pages
