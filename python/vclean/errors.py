"""The errors of vclean, one tree: :class:`VcleanError` is above all of them."""


class VcleanError(Exception):
    """A page could not be cleaned. The message names the cause and the remedy.

    ``kind`` says what failed: ``source``, ``limit``, ``network``, ``policy``, ``engine``, ``model``, ``output`` or ``fault``.
    """

    kind: str = "source"


class InputError(VcleanError, ValueError):
    """The page cannot be opened, or is no page: a missing file, a picture, text that is no Unicode."""


class LimitError(VcleanError):
    """The page is over a limit, such as 64 MB of HTML."""

    kind = "limit"


class ModelError(VcleanError, ValueError):
    """A model, a method or an option cannot be used."""

    kind = "model"


class RenderError(VcleanError):
    """The page cannot be rendered: it cannot be loaded, or it is refused."""

    kind = "network"


class BrowserError(RenderError):
    """There is no browser, it does not start, or it or its page died."""

    kind = "engine"


class TryLaterError(RenderError):
    """The page cannot be loaded now and may be later.

    ``retry_after`` is the pause in seconds that the server asks for, or ``None``.
    """

    retry_after: int | None = None


class RenderTimeoutError(RenderError, TimeoutError):
    """The page takes longer than its limit."""


class StoredDocumentError(VcleanError):
    """A document that was unpickled has its text in all formats and its blocks, and not the rest."""
