"""Gives ``Cleaner`` its signature and documentation from the options that the program declares."""

import inspect
import textwrap

from ._vclean import Cleaner, _options


def describe_cleaner() -> None:
    """Sets what ``help(vclean.Cleaner)`` and editors show."""
    options = _options()
    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name, _ in options]
    described = "\n".join(textwrap.fill(f"{name}: {text}", 96, initial_indent="    ", subsequent_indent="        ") for name, text in options)
    # Neither the stub nor the type of the class declares these attributes.
    setattr(Cleaner, "__signature__", inspect.Signature(parameters))  # noqa: B010
    setattr(Cleaner, "__doc__", f"{(Cleaner.__doc__ or '').strip()}\n\nArgs (None stands for the default):\n{described}\n")  # noqa: B010
