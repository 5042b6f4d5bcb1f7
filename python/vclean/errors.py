"""The errors of vclean; all of them derive from :class:`VcleanError`."""


class VcleanError(Exception):
    """A page could not be cleaned. The message names the cause and the remedy.

    ``kind`` says what failed: ``source``, ``limit``, ``network``, ``policy``, ``engine``,
    ``model``, ``output`` or ``fault``.
    """

    kind: str = "source"


class InputError(VcleanError, ValueError):
    """The page cannot be opened or is not a page: a missing file, a picture, invalid Unicode."""


class InputTypeError(InputError, TypeError):
    """The value given as a page has another type, such as ``None``."""


class LimitError(VcleanError):
    """The page exceeds a limit, such as 64 MB of HTML."""

    kind = "limit"


class ModelError(VcleanError, ValueError):
    """A model cannot be read, or does not fit the page."""

    kind = "model"


class OptionError(ModelError, TypeError):
    """An option does not exist, or its type or value is invalid."""


class RenderError(VcleanError):
    """The page cannot be rendered, because loading it failed or is not allowed."""

    kind = "network"


class BrowserError(RenderError):
    """The browser is missing, does not start, or crashed."""

    kind = "engine"


class TryLaterError(RenderError):
    """The page cannot be loaded now; a later attempt may succeed.

    ``retry_after`` is the pause in seconds that the server asked for, or ``None``.
    """

    retry_after: int | None = None


class RenderTimeoutError(RenderError, TimeoutError):
    """Rendering the page takes longer than the time limit."""


class StoredDocumentError(VcleanError):
    """A document was unpickled and has no features, or its pickle is of another version."""
