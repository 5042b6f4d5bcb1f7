"""Runs the Python code in docs/guide/python.md, and compares its output with the text that follows it."""

import contextlib
import functools
import http.server
import importlib
import io
import os
import pathlib
import re
import runpy
import shutil
import sys
import threading
import types
from collections.abc import Iterator

import pytest
from site_pages import FIXTURES, PDF

PAGE = (FIXTURES.parent / "docs" / "guide" / "python.md").read_text()
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
FOUND = [(match[1], match[2], PAGE[: match.start()].count("\n") + 2) for match in BLOCKS.finditer(PAGE)]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Changes to a folder that has the files that the recipes expect."""
    for name in ["pages", "gold"]:
        (tmp_path / name).mkdir()
    for name in ["article", "german", "listing"]:
        shutil.copy(FIXTURES / "site" / name / "index.html", tmp_path / "pages" / f"{name}.html")
        shutil.copy(FIXTURES / "site" / name / "expected.txt", tmp_path / "gold" / f"{name}.txt")
    (tmp_path / "pages" / "broken.html").write_bytes(PDF)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    return tmp_path


@contextlib.contextmanager
def served(folder: pathlib.Path) -> Iterator[str]:
    """Address of a server of the pages."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def need_packages(code: str) -> None:
    """Skips a recipe whose packages are not installed."""
    for name in re.findall(r"^(?:from|import) ([a-z_]+)", code, re.MULTILINE):
        pytest.importorskip(name)
    for name in re.findall(r"\.to_(pandas|polars)", code):
        pytest.importorskip(name)
    if "pyspark" in code and shutil.which("java") is None:
        pytest.skip("Spark needs Java")


def test_there_are_ten_recipes_and_each_says_what_it_prints() -> None:
    recipes = PAGE[PAGE.index("## Ten recipes") :]
    assert re.findall(r"^### (\d+)\. ", recipes, re.MULTILINE) == [str(number) for number in range(1, 11)]
    assert sum(printed is not None for _, printed, _ in FOUND) == 10


@pytest.mark.parametrize(("code", "printed"), [block[:2] for block in FOUND], ids=[f"line-{line}" for *_, line in FOUND])
def test_the_blocks_of_the_page_run(
    code: str, printed: str | None, folder: pathlib.Path, request: pytest.FixtureRequest
) -> None:
    need_packages(code)
    with contextlib.ExitStack() as stack:
        if "http://localhost:8000/" in code:
            code = code.replace("http://localhost:8000/", stack.enter_context(served(folder / "pages")))
        if "chromium.launch()" in code:
            browser = request.getfixturevalue("browser")
            code = code.replace("launch()", f"launch(executable_path={browser!r}, args=['--no-sandbox'])")
        script = folder / "recipe.py"
        script.write_text(code)
        output = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        # Ray is limited to the spare cores of the machine, and ended with the recipe.
        ray = "import ray" in code and importlib.import_module("ray")
        if ray:
            ray.init(num_cpus=2, include_dashboard=False, configure_logging=False, log_to_driver=False)
            stack.callback(ray.shutdown)
        names = runpy.run_path(str(script))
    if printed is not None:
        assert output.getvalue() == printed
    if "ITEM_PIPELINES" in names:
        from scrapy.settings import Settings

        from vclean.integrations.scrapy import VcleanPipeline

        settings = Settings({name: value for name, value in names.items() if name.isupper()})
        pipeline = VcleanPipeline.from_crawler(types.SimpleNamespace(settings=settings, stats=None))
        assert pipeline.html_field == "page" and not pipeline.keep_html and "markdown" in pipeline.fields
    if "pyspark" in code:
        assert list((folder / "texts").glob("*.parquet"))
    assert os.getcwd() == str(folder)
