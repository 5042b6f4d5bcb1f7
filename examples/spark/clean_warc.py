"""Cleans a folder of WARC archives with Spark and `vclean worker`, no browser needed.

    spark-submit clean_warc.py ARCHIVES OUT [--vclean PROGRAM] [--format parquet|json] [-- WORKER
    ARGUMENTS]

Each archive (*.warc, *.warc.gz) is one task. The task starts `vclean worker`, sends it one page
after the other, and returns one row per page: id, url, text, metadata (JSON), error; either text or
error is null. A page that kills a worker (by memory, a crash or a timeout) is sent once more to a
new worker; if that dies too, the row has an error and a third worker continues with the next page.
See README.md in this folder.
"""

import argparse
import base64
import json
import os
import subprocess
import sys
import threading

COLUMNS = "id string, url string, text string, metadata string, error string"
# The limit of vclean; a larger page is an error and is not read.
MAX_PAGE_BYTES = 64 << 20
# A worker needs milliseconds for most pages; after this time it counts as dead.
PAGE_SECONDS = 120
# How often a page is sent to a worker before it counts as failed.
TRIES = 2


class Dead(Exception):
    """The worker ended or was killed without a response."""


class Worker:
    """A `vclean worker` that gets one page at a time, so that a page that kills it is identified."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, document):
        """Returns the response to a document; both are dictionaries."""
        watch = threading.Timer(PAGE_SECONDS, self.process.kill)
        watch.start()
        try:
            self.process.stdin.write(json.dumps(document).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            watch.cancel()
        if not line.endswith(b"\n"):
            self.end()
            code = self.process.returncode
            cause = f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise Dead(f"the worker {cause}, {TRIES} times; clean the page by itself to see why")
        return json.loads(line)

    def end(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def is_page(record):
    """True if a record is a successfully fetched page, by the rules of `vclean clean`."""
    if record.rec_type == "resource":
        kind = record.rec_headers.get_header("Content-Type") or ""
        return kind == "" or "html" in kind.lower()
    if record.rec_type != "response" or record.http_headers is None:
        return False
    kind = record.http_headers.get_header("Content-Type") or ""
    return record.http_headers.get_statuscode().startswith("2") and (kind == "" or "html" in kind.lower())


def charset_of(record):
    """The encoding that the server named, or None."""
    kind = (record.http_headers.get_header("Content-Type") or "") if record.http_headers else ""
    _, found, value = kind.lower().partition("charset=")
    return value.replace(";", " ").split(" ")[0].strip("\"'") if found else None


def pages_of(archive):
    """The pages of an archive as (id, url, bytes, charset, error)."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    number = 0
    with open(archive, "rb") as stream:
        try:
            for number, record in enumerate(ArchiveIterator(stream), 1):
                if not is_page(record):
                    continue
                headers = record.rec_headers
                key = headers.get_header("WARC-Record-ID") or f"{os.path.basename(archive)}#{number}"
                url = (headers.get_header("WARC-Target-URI") or "").strip("<>") or None
                content = record.content_stream().read(MAX_PAGE_BYTES + 1)
                if len(content) > MAX_PAGE_BYTES:
                    yield key, url, None, None, f"the page has more than the {MAX_PAGE_BYTES} bytes a page may have"
                else:
                    yield key, url, content, charset_of(record), None
        except (ArchiveLoadFailed, EOFError, OSError) as error:
            name = os.path.basename(archive)
            cause = f"the archive {name} cannot be read on after record {number}: {error}; fetch it again"
            yield f"{name}#{number + 1}", None, None, None, cause


def clean_archive(archive, command):
    """The rows of an archive, one per page, in its order."""
    worker = None
    try:
        for key, url, content, charset, error in pages_of(archive):
            if error is not None:
                yield key, url, None, None, error
                continue
            document = {"id": key, "url": url, "base64": base64.b64encode(content).decode(), "charset": charset}
            for tries_left in reversed(range(TRIES)):
                worker = worker or Worker(command)
                try:
                    answer = worker.ask({name: value for name, value in document.items() if value is not None})
                    break
                except Dead as death:
                    worker = None
                    answer = {"error": str(death)}
            metadata = answer.get("metadata")
            yield (
                key,
                url,
                answer.get("text"),
                json.dumps(metadata, ensure_ascii=False, sort_keys=True) if metadata is not None else None,
                answer.get("error"),
            )
    finally:
        if worker is not None:
            worker.end()


def program(name):
    """The path of a program sent with the job (`--files`), otherwise the name itself."""
    from pyspark import SparkFiles

    shipped = SparkFiles.get(os.path.basename(name))
    if not os.path.exists(shipped):
        return name
    os.chmod(shipped, 0o755)
    return shipped


def archives_in(folder):
    names = sorted(name for name in os.listdir(folder) if name.endswith((".warc", ".warc.gz")))
    return [os.path.abspath(os.path.join(folder, name)) for name in names]


def main():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description="Cleans a folder of WARC archives; what follows -- goes to the workers")
    parser.add_argument("archives", help="folder of .warc and .warc.gz files that every machine sees under this path")
    parser.add_argument("out", help="folder to write; it must not exist")
    parser.add_argument("--vclean", default="vclean", help="the program, by name or path [default: %(default)s]")
    parser.add_argument("--format", choices=["parquet", "json"], default="parquet")
    arguments = parser.parse_args(words[:at])
    worker_arguments = words[at + 1 :]

    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName("vclean").getOrCreate()
    archives = archives_in(arguments.archives)
    if not archives:
        sys.exit(f"clean_warc: {arguments.archives} holds no .warc and no .warc.gz file")
    name = arguments.vclean

    def rows(archive):
        return clean_archive(archive, [program(name), "worker", *worker_arguments])

    pages = session.sparkContext.parallelize(archives, len(archives)).flatMap(rows)
    session.createDataFrame(pages, COLUMNS).write.format(arguments.format).save(arguments.out)
    session.stop()


if __name__ == "__main__":
    main()
