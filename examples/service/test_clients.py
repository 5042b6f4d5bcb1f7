"""Runs the official clients against vclean: see scripts/test-service. Takes the path of the program."""

import asyncio
import hmac
import http.server
import importlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

import httpx2
from firecrawl import Firecrawl
from firecrawl.v2.types import WebhookConfig
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from openapi_spec_validator import validate
from prometheus_client.openmetrics.parser import text_string_to_metric_families

SITE = Path(__file__).resolve().parents[2] / "fixtures" / "site"
TOKEN = "a-token-of-the-test"
SECRET = "a-secret-of-the-test"
HERE = Path(__file__).resolve().parent
# Folder of the tools that are installed beside the interpreter.
TOOLS = Path(sys.executable).absolute().parent
# Number of requests that schemathesis sends to an endpoint in each of its phases, and its checks of
# the answers: no server error, and nothing that the description does not allow.
REQUESTS = "6"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"
# The pages are served on this machine, and by an engine that needs no browser.
OPTIONS = ["--engine", "builtin", "--allow-private", "--ignore-robots", "--delay", "0"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the site without a log."""

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=SITE)

    def log_message(self, *_):
        pass


def check(what, condition, seen=""):
    if not condition:
        sys.exit(f"test-service: {what} failed: {seen}")
    print(f"test-service: {what}")


def check_firecrawl(address, page):
    client = Firecrawl(api_key=TOKEN, api_url=address)
    found = client.scrape(page, formats=["markdown", "html", "links"], only_main_content=True)
    check("Firecrawl's client gets markdown", "Marigold" in found.markdown, found)
    check("and html, links and metadata", "<p>" in found.html and found.links and found.metadata.title, found)
    without = client.scrape(page, formats=["markdown"], exclude_tags=["article"])
    check("and can leave out a part", "Marigold" not in (without.markdown or ""), without)
    found = client.scrape(page, formats=["images"])
    check("and gets the pictures alone", found.images is not None and found.markdown is None, found)
    try:
        client.scrape("http://10.0.0.1:1/", formats=["summary"])
        check("and is refused what is not offered", False)
    except Exception as error:  # the client has an exception for each status
        check("and is refused what is not offered", "summary" in str(error), error)


def check_firecrawl_jobs(address, site):
    client = Firecrawl(api_key=TOKEN, api_url=address)
    index = f"{site}/"  # a list of the pages
    found = client.crawl(index, limit=3, sitemap="skip", crawl_entire_domain=True, poll_interval=1, timeout=60)
    check("Firecrawl's client crawls", found.status == "completed" and found.completed >= 1, found)
    check("and gets the pages", any(page.markdown for page in found.data), found)
    started = client.start_crawl(f"{site}/article/", limit=10_000)
    check("and cancels a crawl", client.cancel_crawl(started.id) in (True, False))
    urls = [f"{site}/article/", f"{site}/no/such/page"]
    found = client.batch_scrape(urls, formats=["markdown"], poll_interval=1, wait_timeout=60)
    check("and works on a list", found.completed == 1 and "Marigold" in found.data[0].markdown, found)
    found = client.map(index, sitemap="skip", limit=50)
    check("and maps a site", len(found.links) >= 1 and found.links[0].url == index, found)
    try:
        client.start_crawl(index, allow_external_links=True)
        check("and is refused other sites", False)
    except Exception as error:  # the client has an exception for each status
        check("and is refused other sites", "allowExternalLinks" in str(error), error)


class Told(http.server.BaseHTTPRequestHandler):
    """Keeps what a webhook is told, with the signature."""

    told = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Told.told.put((self.headers["X-Firecrawl-Signature"], body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def check_webhook(address, page):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Told)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = Firecrawl(api_key=TOKEN, api_url=address)
    webhook = WebhookConfig(url=f"http://127.0.0.1:{server.server_port}/", events=["page", "completed"])
    client.start_batch_scrape([page], formats=["markdown"], webhook=webhook)
    kinds = []
    for _ in range(2):
        signature, body = Told.told.get(timeout=60)
        expected = hmac.new(SECRET.encode(), body, "sha256").hexdigest()
        check("a webhook is told with a signature", signature == f"sha256={expected}", signature)
        kinds.append(json.loads(body)["type"])
    check("and of the events that were asked for", kinds == ["batch_scrape.page", "batch_scrape.completed"], kinds)
    server.shutdown()


async def check_tools(what, client, page):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    check(f"{what}: the tools are listed", set(tools) == {"fetch_clean", "clean_html", "explain"}, tools)
    found = await client.call_tool("fetch_clean", {"url": page, "max_length": 100})
    check(f"{what}: fetch_clean", not found.is_error and " continues.]" in found.content[0].text, found)
    html = (SITE / "article/index.html").read_text()
    found = await client.call_tool("clean_html", {"html": html, "format": "text"})
    check(f"{what}: clean_html", "Marigold" in found.content[0].text, found)
    found = await client.call_tool("explain", {"url": page, "contains": "Marigold"})
    check(f"{what}: explain", '"reasons"' in found.content[0].text, found)
    found = await client.call_tool("fetch_clean", {"url": "file:///etc/hostname"})
    check(f"{what}: a file is refused", found.is_error and "file" in found.content[0].text, found)


async def check_mcp(program, address, page):
    # Both ways to begin: the handshake of earlier versions of the protocol, and the newest one.
    for mode in ["legacy", "auto"]:
        parameters = StdioServerParameters(command=program, args=["mcp", *OPTIONS])
        async with Client(stdio_client(parameters), mode=mode) as client:
            await check_tools(f"standard input, {mode}", client, page)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            async with Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client:
                await check_tools(f"HTTP, {mode}", client, page)


def check_generated_client(address):
    """Tests a client that openapi-python-client generates from the description."""
    with tempfile.TemporaryDirectory() as folder:
        command = [TOOLS / "openapi-python-client", "generate", "--url", f"{address}/openapi.json", "--meta", "none"]
        made = subprocess.run([*command, "--output-path", f"{folder}/generated"], capture_output=True, text=True)
        check("a client is generated from the description", made.returncode == 0, made.stdout + made.stderr)
        sys.path.insert(0, folder)
        client = importlib.import_module("generated").AuthenticatedClient(base_url=address, token=TOKEN)
        clean = importlib.import_module("generated.api.clean.post_v1_clean")
        request = importlib.import_module("generated.models").CleanRequest
        html = (SITE / "article/index.html").read_text()
        found = clean.sync(client=client, body=request(html=html, format_="markdown"))
        check("and cleans a page", "Marigold" in found.output.markdown, found)
        refused = clean.sync(client=client, body=request(html=html, links=True))
        check("and tells why it was refused", "links" in refused.error, refused)


def check_conformance(address):
    """Sends valid and invalid requests made from the description, and checks the answers by it."""
    command = [TOOLS / "schemathesis", "run", f"{address}/openapi.json", "--header", f"Authorization: Bearer {TOKEN}"]
    bounds = ["--max-examples", REQUESTS, "--seed", "1", "--no-color", "--checks", CHECKS]
    # schemathesis cannot write JSON lines.
    bounds += ["--exclude-path", "/v1/batch"]
    with tempfile.TemporaryDirectory() as folder:  # it keeps files where it runs
        tried = subprocess.run([*command, *bounds], cwd=folder, capture_output=True, text=True, timeout=300)
    check("every answer is what the description says", tried.returncode == 0, tried.stdout + tried.stderr)


def check_metrics(address):
    request = urllib.request.Request(f"{address}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request) as answer:
        families = {family.name: family for family in text_string_to_metric_families(answer.read().decode())}
    check("the figures are read as OpenMetrics", any(name.startswith("vclean") for name in families), families)


def check_node(program, address, site):
    """Tests the clients for Node, if scripts/test-service has installed them."""
    packages = os.environ.get("VCLEAN_NODE_PACKAGES")
    if packages:
        # Node looks for packages in the folder of the file.
        shutil.copy(HERE / "test_clients.mjs", packages)
        command = ["node", f"{packages}/test_clients.mjs", program, address, site]
        subprocess.run(command, check=True, timeout=300, env={**os.environ, "VCLEAN_TOKEN": TOKEN})


def main():
    program = sys.argv[1]
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    page = f"http://127.0.0.1:{site.server_port}/article/"
    command = [program, "serve", "--bind", "127.0.0.1:0", *OPTIONS]
    with subprocess.Popen(command, env={"VCLEAN_TOKEN": TOKEN, "VCLEAN_WEBHOOK_SECRET": SECRET}, stdout=subprocess.PIPE, text=True) as service:
        try:
            address = service.stdout.readline().strip()
            with urllib.request.urlopen(f"{address}/openapi.json") as answer:
                validate(json.load(answer))
            check("the description is valid OpenAPI", True)
            check_firecrawl(address, page)
            check_firecrawl_jobs(address, f"http://127.0.0.1:{site.server_port}")
            check_webhook(address, page)
            asyncio.run(check_mcp(program, address, page))
            check_node(program, address, f"http://127.0.0.1:{site.server_port}")
            check_generated_client(address)
            check_conformance(address)
            check_metrics(address)
        finally:
            service.terminate()
    check("the service ends with 0", service.returncode == 0, service.returncode)


if __name__ == "__main__":
    main()
