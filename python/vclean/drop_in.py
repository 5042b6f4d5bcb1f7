"""The function ``extract``, with the parameters of Trafilatura's function (version 2)."""

import re
import warnings
from functools import lru_cache
from typing import Any, Literal

from ._vclean import Cleaner, Document, Page
from .errors import OptionError

_PRECISE, _COMPLETE = 0.9, 0.7
# Measured on held-out sites: 0.9 raises precision and costs a tenth of recall, 0.7 the reverse.

_FORMATS = {"txt": "text", "xmltei": "tei"}

_IGNORED = {
    "tei_validation": "TEI is always valid",
    "deduplicate": "`vclean clean --near-duplicates drop` compares pages with each other",
    "date_extraction_params": "a date is taken from where the page declares or shows it",
    "max_tree_size": "the limits of a page are fixed",
    "author_blacklist": "check document.metadata of vclean.Cleaner instead",
    "settingsfile": "options are arguments of vclean.Cleaner",
    "prune_xpath": "remove the elements before, or filter document.blocks of vclean.Cleaner by path",
    "config": "options are arguments of vclean.Cleaner",
    "options": "options are arguments of vclean.Cleaner",
}
"""Parameters without effect, and what to do instead."""


def extract(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = False,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: str | list[str] | None = None,
    config: Any = None,
    options: Any = None,
) -> str | None:
    """Returns the text of a page, or ``None`` if there is none.

    Parameters and their order are those of ``trafilatura.extract``. One that has no effect here
    warns if it is used: ``tei_validation``, ``deduplicate``, ``date_extraction_params``,
    ``max_tree_size``, ``author_blacklist``, ``settingsfile``, ``prune_xpath``, ``config``,
    ``options``.

    Args:
        filecontent: the page as text, bytes in any encoding, a :class:`Page`, a response of
            requests, httpx or urllib3, or a tree of lxml; ``None`` gives ``None``
        url: address that relative links are resolved against
        record_id: name of the document in XML, TEI and the other formats that name documents
        fast: use the model that is faster and less exact
        no_fallback: without effect, because there is no fallback
        favor_precision: keep fewer blocks, so that 90 % of the kept ones are content
        favor_recall: keep more blocks, so that 70 % of the kept ones are content
        include_comments: keep readers' comments in the text
        output_format: a name in ``FORMATS``; ``txt`` and ``xmltei`` mean ``text`` and ``tei``
        target_language: give ``None`` for a text in another language, such as ``de``
        include_tables: keep data tables
        include_images: show the pictures, in Markdown, HTML, XML and TEI
        include_formatting: write plain text as Markdown; other formats are formatted anyway
        include_links: keep the links, in Markdown, HTML, XML and TEI
        with_metadata: put the metadata as YAML before text and Markdown; other formats have it
        only_with_metadata: give ``None`` for a page without title, address or date
        url_blacklist: give ``None`` for pages at these addresses

    Raises:
        InputError: if it is not a page
        LimitError: if it exceeds a limit
        OptionError: if a parameter is invalid
    """
    given = locals()
    for name, remedy in _IGNORED.items():
        if given[name]:
            warnings.warn(f"vclean.extract ignores {name}: {remedy}", stacklevel=2)
    if filecontent is None:
        return None
    if favor_precision and favor_recall:
        raise OptionError("favor_precision and favor_recall exclude each other; choose one")
    if target_language and not re.fullmatch("[A-Za-z]{2,3}(-.*)?", target_language):
        raise OptionError(f"target_language is {target_language}; it is a code such as de")
    output_format = _FORMATS.get(output_format, output_format)
    if include_formatting and output_format == "text":
        output_format = "markdown"
    if (include_links or include_images) and output_format in ("text", "cleaneval"):
        warnings.warn("vclean.extract writes no links and pictures into plain text: use output_format='markdown'", stacklevel=2)
    cleaner = _cleaner(
        "keep" if include_comments else "drop",
        not include_tables,
        _PRECISE if favor_precision else _COMPLETE if favor_recall else None,
        "fast" if fast else None,
    )
    document = cleaner.clean_html(_page(filecontent, url, record_id))
    write = document.with_front_matter if with_metadata and output_format in ("text", "cleaneval", "markdown") else document.write
    # An unknown format is an error also for a page without text.
    text = write(output_format, links=include_links, images=include_images)
    is_wanted = (
        document
        and _is_in_language(document, target_language)
        and (not only_with_metadata or all(document.metadata[name] for name in ("title", "url", "date")))
        and not ({url, document.metadata["url"]} & set(url_blacklist or ()))
    )
    return text if is_wanted else None


@lru_cache(maxsize=32)
def _cleaner(
    comments: Literal["keep", "drop"], no_tables: bool, min_precision: float | None, model: str | None
) -> Cleaner:
    return Cleaner(comments=comments, no_tables=no_tables, min_precision=min_precision, model=model)


def _page(content: Any, url: str | None, name: str | None) -> Page:
    if isinstance(content, Page):
        return content
    if hasattr(content, "getroottree"):
        from lxml import etree

        content = etree.tostring(content, encoding="unicode", method="html")
    for body in ("content", "data"):
        if isinstance(getattr(content, body, None), bytes):
            address = getattr(content, "url", None)
            return Page(getattr(content, body), url or (str(address) if address else None), name)
    return Page(content, url, name)


def _is_in_language(document: Document, wanted: str | None) -> bool:
    language = document.metadata["language"]
    return not wanted or not language or language.split("-")[0].lower() == wanted.split("-")[0].lower()
