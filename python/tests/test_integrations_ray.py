"""Tests the callable class in `map_batches` of Ray Data."""

import numpy
import pytest
from site_pages import NAMES, rows

import vclean
from vclean.integrations.ray import CleanBatch

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")


def check(table: list[dict]) -> None:
    """Asserts that a result equals that of the cleaner."""
    cleaner = vclean.Cleaner()
    inputs = {row["id"]: row for row in rows()}
    assert len(table) == len(inputs)
    for row in table:
        page = inputs[row["id"]]
        assert "html" not in row and row["url"] == page["url"]
        if row["id"] in NAMES:
            document = cleaner.clean_html(page["html"], page["url"])
            assert row["text"] == document.text and row["markdown"] == document.markdown
            assert row["title"] == document.metadata["title"] and row["error"] is None
            assert row["expected_f"] == pytest.approx(document.expected_f)
        else:
            assert row["text"] is None and row["title"] is None
            assert "PDF" in row["error"] if row["id"] == "pdf" else "a page is str, bytes" in row["error"]


def arrow_table():  # type: ignore[no-untyped-def]
    return pyarrow.Table.from_pylist(rows())


def test_a_batch_of_each_format_gives_a_batch_of_that_format() -> None:
    clean = CleanBatch(threads=2)
    result = clean(arrow_table())
    assert isinstance(result, pyarrow.Table) and result.schema.field("error").type == pyarrow.string()
    check(result.to_pylist())

    frame = pandas.DataFrame(rows())
    cleaned = clean(frame)
    assert "html" in frame and "text" not in frame
    check(cleaned.astype(object).where(cleaned.notna(), None).to_dict("records"))

    columns = {name: numpy.array([row[name] for row in rows()], dtype=object) for name in ["id", "url", "html"]}
    arrays = clean(columns)
    assert all(isinstance(column, numpy.ndarray) for column in arrays.values())
    check([{name: column[number] for name, column in arrays.items()} for number in range(len(rows()))])


def test_columns_are_chosen_and_those_of_the_same_name_are_replaced() -> None:
    batch = {"text": numpy.array(["<p>Herring gulls drop mussels on rocks, from a height, to open them.</p>"], dtype=object)}
    assert list(CleanBatch(html="text", fields=["text"])(batch)["text"]) == [
        "Herring gulls drop mussels on rocks, from a height, to open them.\n"
    ]
    kept = CleanBatch(fields=["error"], keep_html=True)(arrow_table())
    assert kept.column_names == ["id", "url", "html", "error"]
    with pytest.raises(ValueError, match="no column page"):
        CleanBatch(html="page")(arrow_table())


def test_ray_data_cleans_in_actors(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    ray.init(num_cpus=2, include_dashboard=False, configure_logging=False, log_to_driver=False)
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        for batch_format in ["numpy", "pandas", "pyarrow"]:
            pages = ray.data.from_arrow(arrow_table()).repartition(3)
            cleaned = pages.map_batches(CleanBatch, batch_size=2, batch_format=batch_format, concurrency=1)
            check(sorted((none_for_nan(row) for row in cleaned.take_all()), key=lambda row: row["id"]))
    finally:
        ray.shutdown()


def none_for_nan(row: dict) -> dict:
    return {name: None if value != value else value for name, value in row.items()}
