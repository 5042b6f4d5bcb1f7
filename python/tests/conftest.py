"""Fixtures of the tests: our own pages, a server for them, and the built program."""

import functools
import http.server
import os
import pathlib
import shutil
import threading
from collections.abc import Iterator

import pytest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
SITE = PROJECT / "fixtures" / "site"

PAGE = """<html lang="en"><head><title>Herring gulls</title></head><body>
<nav><a href="/">Home</a> <a href="/about">About us</a></nav>
<article><h1>Herring gulls</h1>
<p>Herring gulls drop mussels on rocks, from a height that depends on how <a href="/shells">hard the shell</a> is, and they
seldom have to try more than twice before they can eat what is inside.</p>
<p>Young gulls try it with pebbles first, which do not break, and learn the right height within a summer or two.</p>
</article><footer>Imprint | Privacy</footer></body></html>"""


@pytest.fixture
def page() -> str:
    """A small page about herring gulls with a menu and a footer."""
    return PAGE


@pytest.fixture(scope="session")
def files() -> list[pathlib.Path]:
    """Paths of the pages in `fixtures/site`."""
    return sorted(SITE.glob("*/index.html"))


@pytest.fixture(scope="session")
def program() -> str:
    """Path of the built command line, to compare with."""
    found = os.environ.get("VCLEAN_PROGRAM") or shutil.which("vclean")
    if not found:
        pytest.skip("name a built vclean by the variable VCLEAN_PROGRAM")
    return found


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Address of a server of the fixture pages."""
    handler = functools.partial(_Quiet, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()


@pytest.fixture(scope="session")
def browser() -> str:
    """Path of an installed Chromium."""
    names = ["chromium-headless-shell", "chromium", "google-chrome"]
    found = os.environ.get("VCLEAN_BROWSER") or next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.skip("there is no Chromium")
    return found
