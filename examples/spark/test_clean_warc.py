"""Run by `scripts/test-spark`: `python test_clean_warc.py PROGRAM`; needs pyspark and warcio."""

import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from io import BytesIO

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HERE = os.path.dirname(os.path.abspath(__file__))
SITE = os.path.join(HERE, "..", "..", "fixtures", "site")
HOST = "https://fixtures.example/"

# A wrapper that kills the real worker, as the kernel may do: once at the page of one case, always
# at the page of another. Lines after the one that kills are lost with the worker.
MORTAL = """#!{python}
import base64, json, os, signal, subprocess, sys
worker = subprocess.Popen(["{program}", *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def die():
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    os.kill(os.getpid(), signal.SIGKILL)
for line in sys.stdin.buffer:
    url = json.loads(line)["url"]
    if url.endswith("/{always}/"):
        die()
    worker.stdin.write(line)
    worker.stdin.flush()
    if url.endswith("/{once}/"):
        try:
            os.close(os.open("{flag}", os.O_CREAT | os.O_EXCL))
            die()
        except FileExistsError:
            pass
    sys.stdout.buffer.write(worker.stdout.readline())
    sys.stdout.buffer.flush()
"""


def case_names():
    return sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(SITE, "*", "index.html")))


def write_archives(folder, cases):
    """Three archives of all cases (two compressed, one plain) that also contain records without pages."""
    os.makedirs(folder)
    for part, name in enumerate(["a.warc.gz", "b.warc.gz", "c.warc"]):
        with open(os.path.join(folder, name), "wb") as stream:
            writer = WARCWriter(stream, gzip=name.endswith(".gz"))
            writer.write_record(writer.create_warcinfo_record(name, {"software": "test"}))
            for number, case in enumerate(cases[part::3]):
                with open(os.path.join(SITE, case, "index.html"), "rb") as page:
                    content = page.read()
                headers = [("Content-Type", "text/html")]
                if case == "windows-1251":
                    # The charset of the server must be enough.
                    content = re.sub(rb"<meta[^>]*charset[^>]*>", b"", content)
                    headers = [("Content-Type", "text/html; charset=windows-1251")]
                if number % 2 == 1:
                    content = gzip.compress(content)
                    headers.append(("Content-Encoding", "gzip"))
                add(writer, HOST + case + "/", "200 OK", headers, content)
            add(writer, HOST + "gone/", "404 Not Found", [("Content-Type", "text/html")], b"<p>Nothing here")
            add(writer, HOST + "picture.png", "200 OK", [("Content-Type", "image/png")], b"\x89PNG")


def add(writer, url, status, headers, content):
    http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
    writer.write_record(writer.create_warc_record(url, "response", payload=BytesIO(content), http_headers=http))


def spark(archives, out, program, *rest):
    """The rows written by the job."""
    command = ["spark-submit", "--master", "local[2]", "--driver-memory", "1g", "--conf", "spark.ui.enabled=false"]
    command += ["--files", program, os.path.join(HERE, "clean_warc.py"), archives, out]
    done = subprocess.run([*command, "--vclean", os.path.basename(program), *rest], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-5000:]
    rows = []
    for path in glob.glob(os.path.join(out, "part-*.json")):
        with open(path, encoding="utf-8") as lines:
            rows.extend(json.loads(line) for line in lines)
    return rows


def by_case(rows):
    """The rows by the case of their page, each case once."""
    cases = [row["url"].removeprefix(HOST).strip("/") for row in rows]
    assert len(set(cases)) == len(cases), f"a page came twice: {sorted(cases)}"
    return dict(zip(cases, rows))


def single_machine(archives, out, program):
    """The texts that `vclean clean` writes, by case."""
    names = sorted(glob.glob(os.path.join(archives, "*")))
    subprocess.run([program, "clean", *names, "--out", out, "--quiet"], check=True)
    texts = {}
    for name in os.listdir(out):
        if name.startswith("_"):
            # The folder of the run.
            continue
        case = re.sub(r"^fixtures\.example[^a-z]*", "", os.path.splitext(name)[0]).strip("_-")
        with open(os.path.join(out, name), encoding="utf-8") as text:
            texts[case] = text.read()
    return texts


def main():
    program = os.path.abspath(sys.argv[1])
    cases = case_names()
    assert len(cases) > 15, cases
    with tempfile.TemporaryDirectory() as folder:
        inside = lambda name: os.path.join(folder, name)
        write_archives(inside("archives"), cases)
        expected = single_machine(inside("archives"), inside("cleaned"), program)
        assert sorted(expected) == cases, (sorted(expected), cases)
        assert any(letter in expected["windows-1251"] for letter in "абв"), expected["windows-1251"]

        found = by_case(spark(inside("archives"), inside("first"), program, "--format", "json"))
        assert sorted(found) == cases, (sorted(found), cases)
        for case, row in found.items():
            assert row.get("error") is None, row
            assert row["text"] == expected[case], f"{case}: {row['text']!r}\n is not \n{expected[case]!r}"
            assert "url" in json.loads(row["metadata"]), row["metadata"]
        print(f"{len(found)} pages of Spark equal those of one machine")

        mortal = inside("mortal")
        once, always = cases[4], cases[10]
        source = MORTAL.format(python=sys.executable, program=program, once=once, always=always, flag=inside("flag"))
        with open(mortal, "w", encoding="utf-8") as file:
            file.write(source)
        os.chmod(mortal, 0o755)
        found = by_case(spark(inside("archives"), inside("second"), mortal, "--format", "json"))
        assert sorted(found) == cases, (sorted(found), cases)
        assert os.path.exists(inside("flag")), "no worker was killed"
        for case, row in found.items():
            if case == always:
                assert row.get("text") is None and "signal 9" in row["error"], row
            else:
                assert row.get("error") is None and row["text"] == expected[case], (case, row)
        print(f"with workers killed at {once} (once) and {always} (always) every page is there once, one as an error")

        found = spark(inside("archives"), inside("third"), program, "--format", "json", "--", "--method", "dump")
        assert len(found) == len(cases)
        assert by_case(found)["article"]["text"] != expected["article"], "arguments reach the workers"

        half = inside("half")
        os.makedirs(half)
        with open(os.path.join(inside("archives"), "a.warc.gz"), "rb") as whole:
            content = whole.read()
        with open(os.path.join(half, "a.warc.gz"), "wb") as cut:
            cut.write(content[: len(content) // 2])
        rows = spark(half, inside("fourth"), program, "--format", "parquet")
        assert rows == [], "Parquet was asked for"
        from pyspark.sql import SparkSession

        session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
        rows = session.read.parquet(inside("fourth")).collect()
        session.stop()
        whole = [row for row in rows if row["error"] is None]
        assert 0 < len(whole) < len(cases[0::3]), rows
        print(f"an archive that is cut off gives the {len(whole)} pages before, and Parquet has them")


if __name__ == "__main__":
    main()
