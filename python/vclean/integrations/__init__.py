"""Adapters to other frameworks. Import each by its name, such as ``vclean.integrations.ray``.

A page that cannot be cleaned never ends a batch: its ``text`` is ``None`` or empty, and ``error``
has the cause.
"""
