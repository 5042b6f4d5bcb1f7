"""Tests the extractor in a datatrove pipeline, with its local executor."""

import json
import pickle
import time

import pytest
from site_pages import address, text_content

import vclean

pytest.importorskip("datatrove")

from datatrove.data import Document
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.writers.jsonl import JsonlWriter

from vclean.integrations.datatrove import VcleanExtractor

NAMES = ["article", "german", "listing"]
BROKEN = "<p>Half of a pair of surrogates: \ud83d</p>"


def documents() -> list[Document]:
    pages = [Document(text_content(name), name, metadata={"url": address(name)}) for name in NAMES]
    pages.insert(1, Document(BROKEN, "broken"))
    pages.insert(2, Document("<html></html>", "blank"))
    return pages


class Halves(PipelineStep):
    """Gives half of the documents to each of two tasks."""

    def run(self, data, rank=0, world_size=1):  # type: ignore[no-untyped-def]
        yield from documents()[rank::world_size]


def read(folder) -> dict[str, dict]:  # type: ignore[no-untyped-def]
    rows = [json.loads(line) for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    return {row["id"]: row for row in rows}


def test_a_pipeline_of_two_tasks_gives_the_texts_of_the_cleaner(tmp_path) -> None:  # type: ignore[no-untyped-def]
    extractor = VcleanExtractor(
        timeout=60, exclusion_writer=JsonlWriter(str(tmp_path / "dropped"), compression=None), no_tables=False
    )
    LocalPipelineExecutor(
        pipeline=[
            Halves(),
            extractor,
            JsonlWriter(str(tmp_path / "out"), compression=None),
        ],
        tasks=2,
        workers=2,
        logging_dir=str(tmp_path / "logs"),
    ).run()
    found = read(tmp_path / "out")
    assert sorted(found) == sorted(NAMES)
    cleaner = vclean.Cleaner()
    for name in NAMES:
        document = cleaner.clean_html(text_content(name), address(name))
        assert found[name]["text"] == document.text
        assert found[name]["metadata"]["page"]["title"] == document.metadata["title"]
    dropped = read(tmp_path / "dropped")
    assert sorted(dropped) == ["blank", "broken"]
    assert "Unicode" in dropped["broken"]["metadata"]["error"] and "surrogates: ?" in dropped["broken"]["text"]
    assert dropped["blank"]["metadata"]["error"] == "the page has no text"


def test_a_broken_page_is_counted_and_the_next_is_cleaned() -> None:
    extractor = VcleanExtractor(timeout=60, output_format="markdown")
    kept = list(extractor.run(iter(documents())))
    assert [page.id for page in kept] == NAMES
    assert kept[0].text == vclean.Cleaner().clean_html(text_content("article"), address("article")).markdown
    counts = {name: stat.total for name, stat in extractor.stats.stats.items()}
    assert counts["clean_error"] == 1 and counts["extracted"] == 4 and counts["dropped"] == 2 and counts["forwarded"] == 3


def test_a_page_that_takes_too_long_is_dropped_and_the_next_is_cleaned() -> None:
    extractor = Slow(timeout=20)
    extractor.timeout = 3
    kept = list(extractor.run(iter([Document("slow", "slow"), *documents()])))
    assert [page.id for page in kept] == NAMES
    assert extractor.stats.stats["timeout"].total == 1


class Slow(VcleanExtractor):
    """An extractor that takes long for one page."""

    def _fields_of_page(self, page):  # type: ignore[no-untyped-def]
        if page[0] == "slow":
            time.sleep(60)
        return super()._fields_of_page(page)


def test_the_extractor_pickles_and_extracts() -> None:
    extractor = pickle.loads(pickle.dumps(VcleanExtractor(min_precision=0.9)))
    cleaner = vclean.Cleaner(min_precision=0.9)
    assert extractor.extract(text_content("listing")) == cleaner.clean_html(text_content("listing")).text
    with pytest.raises(vclean.InputError, match="Unicode"):
        extractor.extract(BROKEN)
