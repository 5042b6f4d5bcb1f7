"""The compiled part of vclean; import from ``vclean`` instead."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self, SupportsIndex, TypeVar, final, overload

import numpy
import numpy.typing
import pandas
import polars
import pyarrow

from .errors import VcleanError

__version__: str
FORMATS: tuple[str, ...]
"""The names of all output formats."""

_Html = str | bytes | bytearray | memoryview | pyarrow.Scalar[Any] | Page
_Item = _Html | PathLike[str] | tuple[_Html | PathLike[str], str | None]
_Comments = Literal["keep", "drop", "separate", "only"]
_HiddenText = Literal["auto", "report", "drop", "keep"]
_Engine = Literal["auto", "chromium", "builtin"]
_State = Literal["text", "blocked", "consent", "paywall", "login", "error", "empty", "shell"]
_Result = TypeVar("_Result", covariant=True)

@final
class Page:
    """A page in memory, in a file or on the web, with its address and its name.

    The name is in messages, and in the formats that name documents, such as XML and TEI.
    """

    def __new__(cls, content: str | bytes | bytearray | memoryview, url: str | None = None, name: str | None = None) -> Self: ...
    @staticmethod
    def from_url(url: str, name: str | None = None) -> Page:
        """A page on the web, which must be rendered."""
    @staticmethod
    def from_file(path: str | PathLike[str], url: str | None = None, name: str | None = None) -> Page:
        """A page in an HTML or MHTML file, or in a capture folder."""
    @property
    def url(self) -> str | None: ...
    @property
    def name(self) -> str | None: ...

@final
class Cleaner:
    """Cleans pages. Build it once and use it for any number of pages, from any number of threads.

    - ``model``: a built-in model (``rendered``, ``rendered-builtin``, ``static``, ``fast``) or a
      model file; by default the built-in model that fits each page
    - ``method``, ``parameter``: a published method instead of our own, such as ``justext``
    - ``min_precision``: keep fewer blocks, so that this share of them is content, above 0, up to 1
    - ``comments``: drop readers' comments, keep them in the text, separate them, or keep only them
    - ``no_tables``: leave data tables out; ``no_title``: leave the headline out
    - ``keep``, ``drop``: lists of CSS selectors; only what ``keep`` names is kept, and whole, and what
      ``drop`` names is left out
    - ``targets``: rule that selects the text blocks; by default that of the model
    - ``hidden``: treatment of text that readers do not see; ``auto`` drops it unless hardly any
      text would be left, ``report`` also adds a warning, ``drop`` always drops it, ``keep`` never
    - ``explain``: give each block its ``reasons``
    - ``positions``: let ``to_dict`` say where each piece of the text comes from
    - ``any_engine``: allow a model for pages of another engine than that of its training pages
    - ``site_memory``: a file written by ``vclean site-memory``, with which other pages of a site
      help to decide
    - ``engine``: the rendering engine; by default Chromium renders addresses, the built-in engine
      saved pages; ``fallback``: treatment of pages that the built-in engine cannot render;
      ``paint``: let the built-in engine paint pages in full, for people to look at
    - ``browser``: path of an existing browser program; ``no_sandbox``: run it without its sandbox;
      ``browser_memory``: its memory for one page, such as ``"2GB"``
    - ``timeout``: limit for rendering a page and for cleaning it, in seconds; ``tabs``: pages
      rendered concurrently
    - ``scripts``: when the scripts of pages run: ``on``, ``off``, or by default ``auto`` (those of
      addresses, not of saved pages); ``allow_network``: let those of saved pages use the network
    - ``wait_for``: conditions to wait for before a page is captured, one or several of
      ``selector:CSS``, ``text:WORDS``, ``time:2s`` and ``idle``; a condition that is not met within
      the time limit is a warning
    - ``headers``, ``cookies``, ``storage_state``: sent to the host of a page and to no other host;
      the last in the format of Playwright (``context.storage_state()``)
    - ``user_agent``, ``accept_language``: the browser's name and its preferred languages, as sent
      to servers
    - ``viewport``: size of the window, ``WIDTHxHEIGHT``; ``mobile``: load pages as on a phone
    - ``consent``: answer to consent dialogs, ``accept``, ``reject`` or by default ``ignore``
    - ``actions``: actions before a page is captured, such as ``{"type": "click", "selector": "#a"}``
    - ``proxy``: a proxy for all requests, ``http://USER:PASSWORD@HOST:PORT``
    - ``allow_private``: let pages reach private addresses; ``offline``: render without a network

    ``None`` stands for the default.

    :raises OptionError: if an option does not exist, or its value cannot be used
    :raises ModelError: if a model cannot be read
    """

    def __new__(
        cls,
        *,
        model: str | None = None,
        method: str | None = None,
        parameter: str | Mapping[str, str] | Sequence[str] | None = None,
        min_precision: float | None = None,
        comments: _Comments | None = None,
        no_tables: bool | None = None,
        no_title: bool | None = None,
        keep: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
        targets: Literal["blocks", "fiasco"] | None = None,
        hidden: _HiddenText | None = None,
        explain: bool | None = None,
        positions: bool | None = None,
        any_engine: bool | None = None,
        site_memory: str | None = None,
        engine: _Engine | None = None,
        browser: str | PathLike[str] | None = None,
        no_sandbox: bool | None = None,
        browser_memory: str | None = None,
        fallback: Literal["chromium", "static", "none"] | None = None,
        paint: bool | None = None,
        timeout: float | None = None,
        scripts: Literal["on", "off", "auto"] | None = None,
        allow_network: bool | None = None,
        tabs: int | None = None,
        wait_for: str | Sequence[str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Mapping[str, str] | None = None,
        storage_state: Mapping[str, Any] | None = None,
        user_agent: str | None = None,
        accept_language: str | None = None,
        viewport: str | None = None,
        mobile: bool | None = None,
        consent: Literal["accept", "reject", "ignore"] | None = None,
        actions: Sequence[Mapping[str, Any]] | None = None,
        proxy: str | None = None,
        allow_private: bool | None = None,
        offline: bool | None = None,
    ) -> Self: ...
    def clean_html(self, html: _Html, url: str | None = None) -> Document:
        """Cleans a page in memory (text, bytes or a ``Page``) without rendering it."""
    def clean_file(self, path: str | PathLike[str], url: str | None = None) -> Document:
        """Cleans an HTML or MHTML file, or a capture folder, without rendering it."""
    def clean_url(self, url: str | Page) -> Document:
        """Renders the page at an address and cleans it."""
    def render(self, page: str | bytes | PathLike[str] | Page, url: str | None = None) -> Capture:
        """Renders a page: an address, a path, bytes or a ``Page``. Text must be an address."""
    def clean_capture(self, capture: Capture) -> Document:
        """Cleans a rendered page."""
    @overload
    def clean_many(
        self,
        pages: Iterable[_Item],
        *,
        render: bool = False,
        threads: int | None = None,
        ahead: int | None = None,
        errors: Literal["return"] = "return",
        languages: Sequence[str] | None = None,
        states: Sequence[_State] | None = None,
        min_words: int | None = None,
        max_words: int | None = None,
        near_duplicates: Literal["drop"] | None = None,
    ) -> CleanMany[Document | VcleanError]: ...
    @overload
    def clean_many(
        self,
        pages: Iterable[_Item],
        *,
        render: bool = False,
        threads: int | None = None,
        ahead: int | None = None,
        errors: Literal["raise", "skip"],
        languages: Sequence[str] | None = None,
        states: Sequence[_State] | None = None,
        min_words: int | None = None,
        max_words: int | None = None,
        near_duplicates: Literal["drop"] | None = None,
    ) -> CleanMany[Document]:
        """Cleans pages in threads and yields the documents in the order of the pages.

        At most ``ahead`` pages (by default twice the number of threads) are read before their
        documents are consumed. A page may be a pair: the page and its address. ``errors`` says
        what happens to a page that fails: its exception is yielded in its place (``return``),
        raised, after which the iterator can be continued (``raise``), or omitted (``skip``). With
        ``render``, pages are rendered: text is an address, and ``threads`` is by default the number
        of tabs. Otherwise it is by default the number of available cores. The option ``timeout``
        of the cleaner holds for each page.

        Documents are omitted that are in none of the ``languages`` (such as ``["de", "fr"]``), in
        none of the ``states`` (such as ``["text"]``), have fewer than ``min_words`` or more than
        ``max_words``, or, with ``near_duplicates="drop"``, repeat an earlier one.
        """

@final
class CleanMany(Iterator[_Result]):
    """The iterator of ``Cleaner.clean_many``, also for ``async for``; dropping it ends the work."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> _Result: ...
    def __aiter__(self) -> Self: ...
    async def __anext__(self) -> _Result: ...

@final
class Capture:
    """A rendered page: tree, boxes, styles, screenshot and node mask."""

    @staticmethod
    def load(folder: str | PathLike[str]) -> Capture:
        """Reads a capture from its folder."""
    def save(self, folder: str | PathLike[str]) -> None:
        """Writes the capture into a new folder."""
    @property
    def url(self) -> str | None: ...
    @property
    def engine(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def screenshot(self) -> bytes | None:
        """The screenshot of the page as PNG; ``None`` for bare HTML."""

@final
class Document:
    """A cleaned page; true if anything was kept. A pickled document has everything but the features."""

    @property
    def name(self) -> str | None:
        """The name of its page, if it was given one."""
    @property
    def text(self) -> str:
        """Plain text, one block a line."""
    @property
    def markdown(self) -> str: ...
    @property
    def html(self) -> str: ...
    def write(self, format: str = "text", *, links: bool = False, images: bool = False) -> str:
        """Returns the text in a format of ``FORMATS``; ``links`` keeps the links, ``images`` shows the pictures."""
    def with_front_matter(self, format: str = "markdown", *, links: bool = False, images: bool = False) -> str:
        """Returns the text with the metadata as YAML before it; ``format`` is ``markdown``, ``text`` or ``cleaneval``."""
    def to_dict(self) -> dict[str, Any]:
        """Returns the document as ``--format json`` writes it."""
    @property
    def metadata(self) -> dict[str, Any]:
        """Title, author, date and more; values that the page does not give are ``None``."""
    @property
    def blocks(self) -> Blocks:
        """All text blocks in document order, kept or not."""
    @property
    def features(self) -> FeatureTable:
        """The features of the blocks, one row per block."""
    @property
    def comments(self) -> str:
        """Readers' comments as plain text, with the option ``comments="separate"``."""
    @property
    def posts(self) -> list[dict[str, Any]]:
        """The posts of a thread: ``role``, ``author``, ``date``, ``url``, ``parent`` and ``text``, and if
        known ``votes`` and ``accepted``.
        """
    def chunks(
        self, size: int = 300, overlap: int = 0, *, count: Callable[[str], int] | None = None
    ) -> list[dict[str, Any]]:
        """Returns the text in chunks for search indexes and language models.

        A chunk never ends inside a sentence, a table row, code or a formula, and has text of one post only.
        Each is a dictionary with ``index``, ``text``, ``headings`` (from the outermost one), ``kind``, ``words``,
        ``start`` and ``end`` (characters of ``text``), and if known ``url`` (leads to the passage), ``author`` and
        ``date`` of a post, ``repeated`` (characters that an earlier chunk has too), and ``xpath`` and ``rect`` with
        the option ``positions``.

        Args:
            size: largest size of a chunk, in words
            overlap: largest size of the sentences that are repeated from the chunk before, at most half of ``size``
            count: counts the size of a text in another unit, such as ``lambda text: len(tokenizer.encode(text))``
        """
    @property
    def expected_f(self) -> float:
        """Expected F score of the text, 0 to 1."""
    @property
    def kind(self) -> tuple[str, float] | None:
        """The kind of the page, such as ``article``, and its probability; ``None`` if unknown."""
    @property
    def state(self) -> tuple[str, float, str] | None:
        """``text``, or why the page has none of its own (``blocked``, ``consent``, ``paywall``, ``login``,
        ``error``, ``empty``, ``shell``), its probability, and the strongest evidence; ``None`` for
        published methods.
        """
    @property
    def warnings(self) -> list[str]: ...
    def _repr_markdown_(self) -> str: ...
    def _repr_html_(self) -> str:
        """All blocks for notebooks: the kept ones green, the others red and crossed out."""
    def __bool__(self) -> bool: ...

@final
class Block:
    """A text block of a page, kept or not."""

    @property
    def text(self) -> str: ...
    @property
    def kind(self) -> str | None: ...
    @property
    def is_content(self) -> bool: ...
    @property
    def is_comment(self) -> bool: ...
    @property
    def probability(self) -> float: ...
    @property
    def comment_probability(self) -> float | None: ...
    @property
    def margin(self) -> float: ...
    @property
    def box(self) -> tuple[float, float, float, float] | None:
        """Left, top, width and height in CSS px; ``None`` for a page that was not rendered."""
    @property
    def path(self) -> str: ...
    @property
    def reasons(self) -> list[tuple[str, float, float]]:
        """Name, value and weight of the features with the largest influence, with the option ``explain``."""

@final
class Blocks:
    """The blocks of a page, as a sequence and as a table."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Block: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Block]: ...
    def __iter__(self) -> Iterator[Block]: ...
    def _repr_html_(self) -> str: ...
    def to_numpy(self) -> numpy.typing.NDArray[numpy.void]:
        """The numeric fields of all blocks as a record array; missing numbers are NaN."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def to_arrow(self) -> pyarrow.Table: ...
    def to_pandas(self) -> pandas.DataFrame: ...
    def to_polars(self) -> polars.DataFrame: ...

@final
class FeatureTable:
    """The features of the blocks of a page: one row per block, one column per feature."""

    @property
    def columns(self) -> list[str]: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def to_numpy(self) -> numpy.typing.NDArray[numpy.float32]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def to_arrow(self) -> pyarrow.Table: ...
    def to_pandas(self) -> pandas.DataFrame: ...
    def to_polars(self) -> polars.DataFrame: ...

def _options() -> list[tuple[str, str]]: ...
def _run_command_line(arguments: Sequence[str]) -> int: ...
def _evaluate(
    names: Sequence[str], gold: Sequence[str], texts: Sequence[str | None], languages: Sequence[str], seed: int
) -> str: ...
def _capture_open_page(call: Callable[[str, str], str], scroll: bool, settle: float, timeout: float) -> Capture: ...
def _before_fork() -> None: ...
def _after_fork_in_parent() -> None: ...
def _after_fork_in_child() -> None: ...
