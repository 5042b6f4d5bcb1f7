"""vclean cleans web pages: the text without navigation, advertisements, footers and cookie banners.

    >>> import vclean
    >>> html = "<nav><a href=/>Home</a></nav><p>Herring gulls drop mussels on rocks, from a height.</p>"
    >>> vclean.extract(html)
    'Herring gulls drop mussels on rocks, from a height.\\n'

`extract` takes the same parameters as Trafilatura's function. `Cleaner` has all options, and
returns a `Document` with text, metadata and blocks. `from_playwright` and `from_selenium` clean a
page that is open in a browser. `evaluate` compares texts with gold texts. `vclean.integrations` has
adapters for datatrove, Ray, Spark, Scrapy, LangChain and LlamaIndex.
"""

import os as _os

from ._vclean import (
    FORMATS,
    Block,
    Blocks,
    Capture,
    Cleaner,
    CleanMany,
    Document,
    FeatureTable,
    Page,
    __version__,
    _after_fork_in_child,
    _after_fork_in_parent,
    _before_fork,
)
from ._signature import describe_cleaner as _describe_cleaner
from .browsers import from_playwright, from_playwright_async, from_selenium
from .drop_in import extract
from .errors import (
    BrowserError,
    InputError,
    InputTypeError,
    LimitError,
    ModelError,
    OptionError,
    RenderError,
    RenderTimeoutError,
    StoredDocumentError,
    TryLaterError,
    VcleanError,
)
from .evaluation import Evaluation, evaluate

__all__ = [
    "FORMATS",
    "Block",
    "Blocks",
    "BrowserError",
    "Capture",
    "CleanMany",
    "Cleaner",
    "Document",
    "Evaluation",
    "FeatureTable",
    "InputError",
    "InputTypeError",
    "LimitError",
    "ModelError",
    "OptionError",
    "Page",
    "RenderError",
    "RenderTimeoutError",
    "StoredDocumentError",
    "TryLaterError",
    "VcleanError",
    "__version__",
    "evaluate",
    "extract",
    "from_playwright",
    "from_playwright_async",
    "from_selenium",
]

_describe_cleaner()

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
