"""Adapters to programs where pages already are; each is imported by its name, such as ``vclean.integrations.ray``.

A page that cannot be cleaned never ends a batch: its ``text`` is ``None`` or empty, and ``error`` has the cause.
"""
