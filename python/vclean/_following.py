"""Lets an event loop go on while an iterator is waited for."""

import asyncio
from collections.abc import Iterator
from typing import TypeVar

Item = TypeVar("Item")


async def following(iterator: Iterator[Item]) -> Item:
    """Returns the next item, which a thread waits for."""
    end = object()
    item = await asyncio.to_thread(next, iterator, end)
    if item is end:
        raise StopAsyncIteration
    return item  # type: ignore[return-value]
