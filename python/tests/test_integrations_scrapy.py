"""Tests the item pipeline in a Scrapy crawl of a local server."""

import functools
import json
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from site_pages import FIXTURES

import vclean

pytest.importorskip("scrapy")

SPIDER = """
import dataclasses, json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

@dataclasses.dataclass
class Declared:
    page: str
    url: str
    text: str = ""

class Pages(scrapy.Spider):
    name = "pages"
    start_urls = sys.argv[2:]
    custom_settings = {
        "ITEM_PIPELINES": {"vclean.integrations.scrapy.VcleanPipeline": 300},
        "VCLEAN_HTML_FIELD": "page",
        "VCLEAN_FIELDS": ["text", "markdown", "title", "error"],
        "VCLEAN_KEEP_HTML": False,
        "VCLEAN_OPTIONS": {"no_tables": True},
        "FEEDS": {sys.argv[1]: {"format": "jsonlines"}},
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "WARNING",
    }

    def parse(self, response):
        yield {"address": response.url, "page": response}
        yield {"address": "nothing to clean"}
        if response.url.endswith("html"):
            yield Declared(response.text, response.url)

process = CrawlerProcess()
crawler = process.create_crawler(Pages)
process.crawl(crawler)
process.start()
stats = crawler.stats.get_stats()
print(json.dumps({name: value for name, value in stats.items() if name.startswith("vclean/")}))
"""


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        pass


def test_a_crawl_writes_the_texts_of_the_cleaner(tmp_path) -> None:  # type: ignore[no-untyped-def]
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(FIXTURES)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        root = f"http://127.0.0.1:{server.server_port}"
        names = ["site/article/index.html", "bad/not-html.pdf", "site/windows-1251/index.html"]
        spider = tmp_path / "spider.py"
        spider.write_text(SPIDER)
        out = tmp_path / "items.jsonl"
        command = [sys.executable, "-W", "error::DeprecationWarning:vclean", str(spider), str(out)]
        ran = subprocess.run([*command, *(f"{root}/{name}" for name in names)], capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr
    finally:
        server.shutdown()
        server.server_close()
    assert "Error" not in ran.stderr and "Deprecat" not in ran.stderr, ran.stderr
    assert json.loads(ran.stdout) == {"vclean/cleaned": 4, "vclean/failed": 1}
    items = [json.loads(line) for line in out.read_text().splitlines()]
    assert sum(item == {"address": "nothing to clean"} for item in items) == 3
    found = {item["address"]: item for item in items if "address" in item}
    declared = {item["url"]: item for item in items if "url" in item}
    cleaner = vclean.Cleaner(no_tables=True)
    for name in [names[0], names[2]]:
        item = found[f"{root}/{name}"]
        document = cleaner.clean_html((FIXTURES / name).read_bytes(), f"{root}/{name}")
        assert item == {
            "address": f"{root}/{name}",
            "text": document.text,
            "markdown": document.markdown,
            "title": document.metadata["title"],
            "error": None,
        }
        assert declared[f"{root}/{name}"] == {"url": f"{root}/{name}", "text": document.text}
    failed = found[f"{root}/{names[1]}"]
    assert failed["text"] is None and "PDF" in failed["error"] and root in failed["error"]
