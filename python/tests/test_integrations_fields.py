"""Tests the fields of the adapters; no other package is needed."""

import pytest
from site_pages import NAMES, PDF, address, content, rows

import vclean
from vclean.integrations._fields import FIELDS, checked, fields_of, pages
from vclean.integrations._sources import clean_sources


def test_unknown_fields_are_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no field txt; fields are text, .*markdown.*, error"):
        checked(["txt"])
    assert checked("text") == ("text",)


def test_a_page_and_an_error_have_the_same_fields() -> None:
    cleaner = vclean.Cleaner()
    document = cleaner.clean_html(content("article"), address("article"))
    fields = fields_of(document, FIELDS)
    assert list(fields) == list(FIELDS)
    assert fields["text"] == document.text and fields["markdown"] == document.markdown
    assert fields["title"] == document.metadata["title"] and fields["date"] == "2024-03-18"
    assert fields["date_source"] == document.metadata["sources"]["date"]
    assert fields["kind"] == "article" and 0.9 < fields["expected_f"] < 1
    assert fields["error"] is None
    failed = fields_of(vclean.InputError("it is no page"), FIELDS)
    assert list(failed) == list(FIELDS)
    assert failed["error"] == "it is no page" and {failed[name] for name in FIELDS[:-1]} == {None}


def test_what_is_no_page_becomes_an_error_in_its_place() -> None:
    table = rows()
    results = list(vclean.Cleaner().clean_many(pages([row["html"] for row in table], [row["url"] for row in table])))
    assert [isinstance(result, Exception) for result in results] == [False, False, True, False, True, False]
    assert address("pdf") in str(results[2]) and "PDF" in str(results[2])
    assert "NoneType" in str(results[4])


def test_sources_of_all_kinds_come_in_order_with_their_names(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "page.html"
    file.write_bytes(content("german"))
    page = vclean.Page(content("article"), address("article"))
    sources = [str(file), page, tmp_path / "none.html", None, vclean.Page(PDF, name="pdf"), file]
    results = list(clean_sources(vclean.Cleaner(), sources, render=False))  # type: ignore[arg-type]
    assert [name for name, _ in results] == [str(file), address("article"), str(tmp_path / "none.html"), "None", "pdf", str(file)]
    assert [isinstance(result, Exception) for _, result in results] == [False, False, True, True, True, False]
    assert results[0][1].text == results[5][1].text == vclean.Cleaner().clean_html(content("german")).text
    assert NAMES[0] in results[1][0]
