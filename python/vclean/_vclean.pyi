"""The compiled part of vclean; import from ``vclean`` instead."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self, SupportsIndex, final, overload

import numpy
import numpy.typing
import pandas
import polars
import pyarrow

from .errors import VcleanError

__version__: str
FORMATS: tuple[str, ...]
"""The names of all output formats."""

_Html = str | bytes | bytearray | memoryview | Page
_Comments = Literal["keep", "drop", "separate", "only"]
_HiddenText = Literal["auto", "report", "drop", "keep"]
_Engine = Literal["auto", "chromium", "builtin"]

def extract(
    html: _Html,
    url: str | None = None,
    output_format: str = "txt",
    include_comments: bool = False,
    include_tables: bool = True,
    include_links: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    with_metadata: bool = False,
) -> str | None:
    """The text of a page, or ``None`` if it has none.

    ``output_format`` is a name of ``FORMATS``; ``txt`` and ``xmltei`` are other names of ``text`` and ``tei``. ``url`` is the
    address that relative links are resolved against. ``favor_precision`` keeps only as much that 90 % of the kept blocks are
    content, as measured on held-out sites, ``favor_recall`` 70 %; by default a threshold for each page decides.
    ``with_metadata`` puts the metadata as YAML before text and Markdown; the other formats have it anyway. Encodings of
    bytes are detected.

    :raises InputError: if it is no page
    :raises LimitError: if it is over a limit
    """

@final
class Page:
    """A page with its address and its name in messages."""

    def __new__(cls, content: str | bytes | bytearray | memoryview, url: str | None = None, name: str | None = None) -> Self: ...
    @staticmethod
    def from_url(url: str, name: str | None = None) -> Page:
        """The page at an address, to be rendered."""
    @staticmethod
    def from_file(path: str | PathLike[str], url: str | None = None, name: str | None = None) -> Page:
        """The page in an HTML or MHTML file, or a capture folder."""
    @property
    def url(self) -> str | None: ...
    @property
    def name(self) -> str | None: ...

@final
class Cleaner:
    """Cleans pages; built once, used for any number of pages, from any number of threads.

    - ``model``: a built-in model (``rendered``, ``rendered-builtin``, ``static``) or a model file; by default the built-in
      model that fits each page
    - ``method``, ``parameter``: a published method instead of our own, such as ``justext``
    - ``min_precision``: keep only as much that this share of the kept blocks is content, above 0, up to 1
    - ``comments``: what becomes of readers' comments; ``no_tables``: whether data tables are left out;
      ``no_title``: whether the headline is left out
    - ``targets``: how text blocks are selected
    - ``hidden``: what becomes of text that readers of a rendered page do not see
    - ``explain``: whether blocks have reasons
    - ``positions``: whether ``to_dict`` says where each piece of the text comes from
    - ``any_engine``: whether a model may be used for pages of another engine than its training pages
    - ``site_memory``: a file of ``vclean site-memory``: other pages of the site of a page help to decide
    - ``engine``: what renders; by default Chromium renders addresses and the built-in engine saved pages
    - ``browser``: the program of the browser, which has to exist; ``sandbox``: whether it runs in its sandbox
    - ``timeout``: time limit for rendering a page, in seconds; ``tabs``: number of pages rendered at the same time
    - ``scripts``: whether the scripts of pages run; by default for addresses and not for saved pages
    - ``wait_for``: what a page must have before it is taken, one or several of ``selector:CSS``, ``text:WORDS``, ``time:2s`` and
      ``idle``; what does not come within the time limit is a warning
    - ``headers``, ``cookies``, ``storage_state``: what the host of a page gets, and no other host; the last as Playwright writes it
      (``context.storage_state()``)
    - ``user_agent``, ``accept_language``: the name of the browser, and the languages that are asked for
    - ``viewport``: the size of the window, ``WIDTHxHEIGHT``; ``mobile``: whether pages are loaded as on a phone
    - ``actions``: what is done in a page before it is taken, mappings such as ``{"type": "click", "selector": "#more"}``
    - ``proxy``: a proxy that everything is loaded through, ``http://USER:PASSWORD@HOST:PORT``
    - ``allow_private``: whether pages may reach private addresses; ``offline``: whether they have no network

    :raises ModelError: if an option cannot be used
    """

    def __new__(
        cls,
        *,
        model: str | None = None,
        method: str | None = None,
        parameter: Mapping[str, str] | Sequence[str] | None = None,
        min_precision: float | None = None,
        comments: _Comments | None = None,
        no_tables: bool | None = None,
        no_title: bool | None = None,
        targets: Literal["blocks", "fiasco"] | None = None,
        hidden: _HiddenText | None = None,
        explain: bool | None = None,
        positions: bool | None = None,
        any_engine: bool | None = None,
        site_memory: str | None = None,
        engine: _Engine | None = None,
        browser: str | PathLike[str] | None = None,
        sandbox: bool | None = None,
        timeout: float | None = None,
        scripts: bool | None = None,
        tabs: int | None = None,
        wait_for: str | Sequence[str] | None = None,
        headers: Mapping[str, str] | None = None,
        cookies: Mapping[str, str] | None = None,
        storage_state: Mapping[str, Any] | None = None,
        user_agent: str | None = None,
        accept_language: str | None = None,
        viewport: str | None = None,
        mobile: bool | None = None,
        actions: Sequence[Mapping[str, Any]] | None = None,
        proxy: str | None = None,
        allow_private: bool | None = None,
        offline: bool | None = None,
    ) -> Self: ...
    def clean_html(self, html: _Html, url: str | None = None) -> Document:
        """Cleans a page that is in memory, without rendering it."""
    def clean_file(self, path: str | PathLike[str], url: str | None = None) -> Document:
        """Cleans an HTML or MHTML file, or a capture folder, without rendering it."""
    def clean_url(self, url: str) -> Document:
        """Renders the page at an address and cleans it."""
    def render(self, page: str | bytes | PathLike[str] | Page, url: str | None = None) -> Capture:
        """Renders a page: an address, a path, bytes or a ``Page``."""
    def clean_capture(self, capture: Capture) -> Document:
        """Cleans a rendered page."""
    @overload
    def clean_many(
        self,
        pages: Iterable[_Html | PathLike[str]],
        *,
        render: bool = False,
        threads: int | None = None,
        ahead: int | None = None,
        errors: Literal["return"] = "return",
    ) -> Iterator[Document | VcleanError | TypeError]: ...
    @overload
    def clean_many(
        self,
        pages: Iterable[_Html | PathLike[str]],
        *,
        render: bool = False,
        threads: int | None = None,
        ahead: int | None = None,
        errors: Literal["raise", "skip"],
    ) -> Iterator[Document]:
        """Cleans pages in threads and gives the documents in the order of the pages.

        At most ``ahead`` pages (by default twice the number of threads) are read before their documents are taken. A page
        that fails gives its exception in its place (``return``), raises it, after which the iterator can be continued
        (``raise``), or nothing (``skip``). With ``render``, pages are rendered: text is an address, and the number of
        threads is that of the tabs.
        """

@final
class CleanMany:
    """The iterator of ``Cleaner.clean_many``."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> Document | VcleanError | TypeError: ...

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
        """The picture of the page as PNG; ``None`` for bare HTML."""

@final
class Document:
    """A cleaned page; true if anything was kept. A pickle has everything but the features."""

    @property
    def text(self) -> str:
        """Plain text, one block a line."""
    @property
    def markdown(self) -> str: ...
    @property
    def html(self) -> str: ...
    def write(self, format: str = "text", *, links: bool = False) -> str:
        """The text in a format of ``FORMATS``."""
    def with_front_matter(self, format: str = "markdown", *, links: bool = False) -> str:
        """The text after the metadata as YAML."""
    def to_dict(self) -> dict[str, Any]:
        """Everything about the page, as ``--format json`` gives it."""
    @property
    def metadata(self) -> dict[str, Any]:
        """Title, author, date and more; ``None`` for what the page does not give."""
    @property
    def blocks(self) -> Blocks:
        """All text blocks in document order, kept or not."""
    @property
    def features(self) -> FeatureTable:
        """The features of the blocks, a row each."""
    @property
    def comments(self) -> str:
        """Readers' comments, if the cleaner separates them."""
    @property
    def posts(self) -> list[dict[str, Any]]:
        """The posts of a thread: ``role``, ``author``, ``date``, ``url``, ``parent`` and ``text``, where known ``votes`` and ``accepted``."""
    @property
    def expected_f(self) -> float:
        """Expected quality of the text, 0 to 1."""
    @property
    def kind(self) -> tuple[str, float] | None:
        """The kind of the page and its probability."""
    @property
    def warnings(self) -> list[str]: ...
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
        """Name, value and weight of the features with the largest influence."""

@final
class Blocks:
    """The blocks of a page, as a sequence and as a table."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Block: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Block]: ...
    def __iter__(self) -> Iterator[Block]: ...
    def to_numpy(self) -> numpy.typing.NDArray[numpy.void]:
        """The numbers of all blocks as a record array."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def to_arrow(self) -> pyarrow.Table: ...
    def to_pandas(self) -> pandas.DataFrame: ...
    def to_polars(self) -> polars.DataFrame: ...

@final
class FeatureTable:
    """The features of the blocks of a page: a row a block, a column a feature."""

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

def _run_command_line(arguments: Sequence[str]) -> int: ...
def _evaluate(
    names: Sequence[str], gold: Sequence[str], texts: Sequence[str | None], languages: Sequence[str], seed: int
) -> str: ...
def _capture_open_page(call: Callable[[str, str], str], scroll: bool, settle: float, timeout: float) -> Capture: ...
def _before_fork() -> None: ...
def _after_fork_in_parent() -> None: ...
def _after_fork_in_child() -> None: ...
