"""The Python part of `scripts/bench-peers`: `tools.py TOOL FILE...`, like tools.rs."""

import json
import sys
from time import process_time


def tool_named(name):
    if name.startswith("trafilatura"):
        from trafilatura import extract

        return (lambda html: extract(html, fast=True)) if name.endswith("(fast)") else extract
    if name == "resiliparse":
        from resiliparse.extract.html2text import extract_plain_text

        return lambda html: extract_plain_text(html, main_content=True)
    if name == "turbohtml":
        from turbohtml import parse

        return lambda html: parse(html).main_text()
    sys.exit(f"there is no tool {name}")


def main():
    clean = tool_named(sys.argv[1])
    pages = []
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8-sig", newline="") as file:
            pages.append(file.read())
    for _ in sys.stdin:
        times = []
        for page in pages:
            start = process_time()
            try:
                text = clean(page) or ""
            except Exception:
                text = ""
            times.append((process_time() - start, text))
        print(json.dumps(times), flush=True)


main()
