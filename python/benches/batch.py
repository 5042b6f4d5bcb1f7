"""Cleans the same pages by `clean_many`, Ray, datatrove and Spark, each in a process of its own, and compares the texts.

    python batch.py DATA... [--count 3000] [--runs clean_many,ray]

Prints the seconds of each from its start to the last text, and whether all texts are equal to those
of the first. The piped variant is the job in examples/spark, with the command line of the package
as the program.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path

import pages
import pyarrow
import pyarrow.parquet

CORES = os.cpu_count() or 1
# Time limit of one run.
LIMIT_SECONDS = 1800
CLEAN_WARC = Path(__file__).parents[2] / "examples" / "spark" / "clean_warc.py"


def plain(folder: Path) -> dict[str, str]:
    """Cleans all pages in one process, with one thread per core."""
    import vclean

    table = pyarrow.parquet.read_table(folder / "pages.parquet").to_pydict()
    inputs = (vclean.Page(html, url) for html, url in zip(table["html"], table["url"], strict=True))
    results = vclean.Cleaner().clean_many(inputs)
    return {name: getattr(result, "text", "") for name, result in zip(table["name"], results, strict=True)}


def ray(folder: Path) -> dict[str, str]:
    """Cleans all pages with one actor per core."""
    import ray

    from vclean.integrations.ray import CleanBatch

    # One more core than the actors take, for the tasks that read.
    ray.init(num_cpus=CORES + 1, include_dashboard=False, configure_logging=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    read = ray.data.read_parquet(str(folder / "pages.parquet"), override_num_blocks=8 * CORES)
    settings = {"fields": ["text", "error"]}
    cleaned = read.map_batches(CleanBatch, fn_constructor_kwargs=settings, batch_size=64, concurrency=CORES)
    return {row["name"]: row["text"] or "" for row in cleaned.iter_rows()}


def datatrove(folder: Path) -> dict[str, str]:
    """Cleans all pages with one task per core."""
    from datatrove.executor.local import LocalPipelineExecutor
    from datatrove.pipeline.readers import ParquetReader
    from datatrove.pipeline.writers.jsonl import JsonlWriter

    from vclean.integrations.datatrove import VcleanExtractor

    read = ParquetReader(str(folder / "parts"), text_key="html", id_key="name")
    write = JsonlWriter(str(folder / "datatrove"), compression=None)
    pipeline = [read, VcleanExtractor(timeout=60), write]
    LocalPipelineExecutor(pipeline, tasks=CORES, workers=CORES, logging_dir=str(folder / "logs")).run()
    lines = [line for file in (folder / "datatrove").glob("*.jsonl") for line in file.read_text().splitlines()]
    return {row["id"]: row["text"] for row in map(json.loads, lines)}


def spark(folder: Path) -> dict[str, str]:
    """Cleans all pages with `clean_pages`, which uses mapInPandas."""
    from pyspark.sql import SparkSession

    from vclean.integrations.spark import clean_pages

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master(f"local[{CORES}]").config("spark.ui.enabled", "false").getOrCreate()
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
    read = session.read.parquet(str(folder / "parts")).repartition(4 * CORES)
    clean_pages(read, fields=["text", "error"], keep=["name"]).write.parquet(str(folder / "spark"))
    table = pyarrow.parquet.read_table(folder / "spark").to_pydict()
    return {name: text or "" for name, text in zip(table["name"], table["text"], strict=True)}


def piped(folder: Path) -> dict[str, str]:
    """Runs the job of examples/spark on WARC archives."""
    program = folder / "vclean"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m vclean "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    submit = [str(Path(sys.executable).parent / "spark-submit"), "--master", f"local[{CORES}]", "--conf", "spark.ui.enabled=false"]
    job = [str(CLEAN_WARC), str(folder / "archives"), str(folder / "piped"), "--vclean", str(program)]
    subprocess.run([*submit, *job], check=True, env=environment, capture_output=True)
    table = pyarrow.parquet.read_table(folder / "piped").to_pydict()
    return {name: text or "" for name, text in zip(table["id"], table["text"], strict=True)}


RUNS = {"clean_many": plain, "ray": ray, "datatrove": datatrove, "spark": spark, "spark-piped": piped}


def write_inputs(inputs: list[pages.Input], folder: Path) -> None:
    """Writes the pages as one Parquet file, as parts, and as archives."""
    table = pyarrow.table({field: [getattr(page, field) for page in inputs] for field in ["name", "url", "html"]})
    pyarrow.parquet.write_table(table, folder / "pages.parquet", row_group_size=100)
    parts = 4 * CORES
    (folder / "parts").mkdir()
    size = -(-len(inputs) // parts)
    for part in range(parts):
        pyarrow.parquet.write_table(table.slice(part * size, size), folder / "parts" / f"{part}.parquet")


def write_archives(inputs: list[pages.Input], folder: Path) -> None:
    """Writes the pages as WARC archives whose record ids are the names."""
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    (folder / "archives").mkdir()
    for part in range(4 * CORES):
        with open(folder / "archives" / f"{part}.warc", "wb") as stream:
            writer = WARCWriter(stream, gzip=False)
            for page in inputs[part :: 4 * CORES]:
                http = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
                headers = {"WARC-Record-ID": page.name}
                payload = BytesIO(page.html.encode("utf-8", "replace"))
                url = page.url or "https://pages.example/"
                record = writer.create_warc_record(url, "response", payload=payload, http_headers=http, warc_headers_dict=headers)
                writer.write_record(record)


def main() -> None:
    """Runs all benchmarks, or one if this process was started for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--runs", default=",".join(RUNS), help=f"which of {', '.join(RUNS)}")
    parser.add_argument("--run", choices=RUNS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        texts = RUNS[options.run](options.folder)
        (options.folder / "texts.json").write_text(json.dumps(texts))
        return
    share = -(-options.count // len(options.data))
    inputs = list(pages.repeated([page for data in options.data for page in pages.load(data, share)], options.count))
    with tempfile.TemporaryDirectory() as name:
        compare(inputs, Path(name), options.runs.split(","))


def compare(inputs: list[pages.Input], folder: Path, runs: list[str]) -> None:
    """Runs each in its own process, and compares its texts with those of the first."""
    write_inputs(inputs, folder)
    write_archives(inputs, folder)
    expected: dict[str, str] = {}
    for run in runs:
        load = os.getloadavg()[0]
        started = time.monotonic()
        command = [sys.executable, __file__, "--run", run, "--folder", str(folder)]
        subprocess.run(command, check=True, timeout=LIMIT_SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds = time.monotonic() - started
        texts = json.loads((folder / "texts.json").read_text())
        expected = expected or texts
        different = [page.name for page in inputs if texts.get(page.name, "") != expected.get(page.name, "")]
        digest = hashlib.sha256("\0".join(texts.get(page.name, "") for page in inputs).encode()).hexdigest()[:12]
        outcome = f"{len(different)} texts differ, such as {different[0]}" if different else "all texts equal"
        print(f"{run}: {len(inputs)} pages in {seconds:.1f} s; {outcome} ({digest}); load {load:.1f} before", flush=True)


if __name__ == "__main__":
    main()
