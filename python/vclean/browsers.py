"""Cleans a page that is open in the user's browser, with its logins, clicks and proxies.

The page is captured through the Chrome DevTools Protocol, so the browser must be Chromium or based
on it. The page's scripts are paused meanwhile. Afterwards its styles, its scroll position and the
text that the user typed are unchanged.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._vclean import Capture, Cleaner, Document, _capture_open_page
from .errors import InputError, RenderError

if TYPE_CHECKING:
    from playwright.async_api import Page as AsyncPage
    from playwright.sync_api import Page as SyncPage
    from selenium.webdriver.remote.webdriver import WebDriver

#: Longest wait in seconds for the page to become stable, before and after scrolling.
SETTLE = 3.0

_cleaner: Cleaner | None = None


def _usual_cleaner() -> Cleaner:
    global _cleaner
    if _cleaner is None:
        _cleaner = Cleaner()
    return _cleaner


def _refused(error: Exception) -> RenderError:
    refused = RenderError(f"the page cannot be captured: {error}; it has to be open, in Chromium or a browser of its kin")
    refused.__cause__ = error
    return refused


def capture_playwright(page: SyncPage, *, scroll: bool = True, settle: float = SETTLE, timeout: float = 60.0) -> Capture:
    """Captures a page that is open in Playwright (synchronous interface)."""
    try:
        session = page.context.new_cdp_session(page)
    except Exception as error:
        raise _refused(error) from error
    if inspect.isawaitable(session):
        session.close()  # type: ignore[attr-defined]
        raise InputError("this page is of Playwright's asynchronous interface; use from_playwright_async")

    def call(method: str, params: str) -> str:
        return json.dumps(session.send(method, json.loads(params)))

    try:
        return _capture_open_page(call, scroll, settle, timeout)
    finally:
        _try(session.detach)


async def capture_playwright_async(
    page: AsyncPage, *, scroll: bool = True, settle: float = SETTLE, timeout: float = 60.0
) -> Capture:
    """Captures a page that is open in Playwright (asynchronous interface); other tasks can run."""
    try:
        session = await page.context.new_cdp_session(page)
    except TypeError as error:
        raise InputError("this page is of Playwright's synchronous interface; use from_playwright") from error
    except Exception as error:
        raise _refused(error) from error
    loop = asyncio.get_running_loop()

    def call(method: str, params: str) -> str:
        answer = asyncio.run_coroutine_threadsafe(session.send(method, json.loads(params)), loop)
        return json.dumps(answer.result(timeout))

    try:
        return await asyncio.to_thread(_capture_open_page, call, scroll, settle, timeout)
    finally:
        try:
            await session.detach()
        except Exception:
            pass  # The page was closed.


def capture_selenium(driver: WebDriver, *, scroll: bool = True, settle: float = SETTLE, timeout: float = 60.0) -> Capture:
    """Captures the page that a Selenium driver of Chromium shows."""
    execute: Callable[[str, Any], Any] | None = getattr(driver, "execute_cdp_cmd", None)
    if execute is None:
        raise InputError("only drivers of Chromium and its kin can be used: they have execute_cdp_cmd")

    def call(method: str, params: str) -> str:
        return json.dumps(execute(method, json.loads(params)))

    return _capture_open_page(call, scroll, settle, timeout)


def from_playwright(
    page: SyncPage,
    cleaner: Cleaner | None = None,
    *,
    scroll: bool = True,
    settle: float = SETTLE,
    timeout: float = 60.0,
) -> Document:
    """Cleans a page that is open in Playwright (synchronous interface).

    With ``scroll``, the page is first scrolled to its end and back, so that content which loads
    when it comes into view is included. ``settle`` is the longest wait in seconds for the page to
    become stable, ``timeout`` the time limit in seconds for the whole capture. ``cleaner`` is a
    cleaner with other options than the defaults.

    :raises RenderError: if the page cannot be captured
    """
    capture = capture_playwright(page, scroll=scroll, settle=settle, timeout=timeout)
    return (cleaner or _usual_cleaner()).clean_capture(capture)


async def from_playwright_async(
    page: AsyncPage,
    cleaner: Cleaner | None = None,
    *,
    scroll: bool = True,
    settle: float = SETTLE,
    timeout: float = 60.0,
) -> Document:
    """Cleans a page that is open in asynchronous Playwright; see :func:`from_playwright`."""
    capture = await capture_playwright_async(page, scroll=scroll, settle=settle, timeout=timeout)
    return await asyncio.to_thread((cleaner or _usual_cleaner()).clean_capture, capture)


def from_selenium(
    driver: WebDriver,
    cleaner: Cleaner | None = None,
    *,
    scroll: bool = True,
    settle: float = SETTLE,
    timeout: float = 60.0,
) -> Document:
    """Cleans the page that a Selenium driver of Chromium shows; see :func:`from_playwright`."""
    capture = capture_selenium(driver, scroll=scroll, settle=settle, timeout=timeout)
    return (cleaner or _usual_cleaner()).clean_capture(capture)


def _try(close: Callable[[], object]) -> None:
    try:
        close()
    except Exception:
        pass  # The page was closed.
