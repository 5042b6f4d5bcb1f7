"""Tests `clean_pages` in Spark on two local cores; needs Java."""

import os
import shutil
import sys

import pytest
from site_pages import NAMES, rows

import vclean

pytest.importorskip("pyspark")
pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

from pyspark.sql import SparkSession

from vclean.integrations.spark import clean_pages


@pytest.fixture(scope="module")
def spark():  # type: ignore[no-untyped-def]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "2")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_rows_have_the_texts_of_the_cleaner_and_the_errors(spark) -> None:  # type: ignore[no-untyped-def]
    pages = spark.createDataFrame(
        [(row["id"], row["url"], row["html"]) for row in rows()], "id string, url string, html binary"
    ).repartition(2)
    cleaned = clean_pages(pages, min_precision=0.9)
    assert cleaned.columns[:4] == ["id", "url", "text", "markdown"] and "html" not in cleaned.columns
    found = {row["id"]: row for row in cleaned.collect()}
    assert sorted(found) == sorted(str(row["id"]) for row in rows())
    cleaner = vclean.Cleaner(min_precision=0.9)
    for page in rows():
        row = found[page["id"]]
        if page["id"] in NAMES:
            document = cleaner.clean_html(page["html"], page["url"])
            assert row.text == document.text and row.markdown == document.markdown and row.error is None
            assert row.title == document.metadata["title"] and row.expected_f == pytest.approx(document.expected_f)
        else:
            assert row.text is None and row.expected_f is None
            assert ("PDF" if page["id"] == "pdf" else "NoneType") in row.error


def test_columns_are_chosen(spark) -> None:  # type: ignore[no-untyped-def]
    gull = "<p>Herring gulls drop mussels on rocks, from a height, to open them.</p>"
    pages = spark.createDataFrame([(1, gull)], "id int, page string")
    (row,) = clean_pages(pages, html="page", fields=["markdown", "error"], keep=["id"]).collect()
    assert row.asDict() == {"id": 1, "markdown": vclean.Cleaner().clean_html(gull).markdown, "error": None}
    with pytest.raises(ValueError, match="no column html"):
        clean_pages(pages)
