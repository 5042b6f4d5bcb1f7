"""Tests the function extract and its errors."""

import inspect
import json
import pathlib
import types
import warnings

import pytest

import vclean


def test_the_parameters_are_those_users_know(page: str) -> None:
    text = vclean.extract(page)
    assert text is not None and "drop mussels" in text and "Imprint" not in text
    markdown = vclean.extract(page, url="https://a.example/x", output_format="markdown", include_links=True)
    assert markdown is not None and "[hard the shell](https://a.example/shells)" in markdown
    assert vclean.extract(page, output_format="txt") == vclean.extract(page, output_format="text") == text
    everything = vclean.extract(page, output_format="json")
    assert everything is not None and json.loads(everything)["metadata"]["title"] == "Herring gulls"
    with_metadata = vclean.extract(page, output_format="markdown", with_metadata=True)
    assert with_metadata is not None and with_metadata.startswith('---\ntitle: "Herring gulls"\n')


def test_tables_can_be_left_out(page: str) -> None:
    table = "<table><tr><th>Height<th>Tries</tr><tr><td>Three meters<td>Two tries</tr></table>"
    html = page.replace("</article>", f"{table}</article>")
    assert "Three meters" in (vclean.extract(html) or "")
    assert "Three meters" not in (vclean.extract(html, include_tables=False) or "")


def test_precision_and_recall_are_choices(files: list) -> None:
    def kept(**options: bool) -> int:
        return sum(len(vclean.extract(file.read_bytes(), **options) or "") for file in files[:20])

    assert kept(favor_precision=True) < kept() < kept(favor_recall=True)
    with pytest.raises(vclean.ModelError, match="exclude each other"):
        vclean.extract("<p>x", favor_precision=True, favor_recall=True)


def test_a_page_without_text_gives_none() -> None:
    for empty in ["", b"", "<script>gulls()</script>"]:
        assert vclean.extract(empty, output_format="markdown") is None
    with pytest.raises(vclean.ModelError, match="there is no format pdf; formats are text"):
        vclean.extract("", output_format="pdf")


def test_bytes_of_any_kind_and_encoding_are_read(page: str) -> None:
    expected = vclean.extract(page)
    data = page.encode()
    for same in [data, bytearray(data), memoryview(data), vclean.Page(data)]:
        assert vclean.extract(same) == expected
    german = "<meta charset=windows-1252><p>Möwen lassen Muscheln aus großer Höhe auf Felsen fallen, bis sie brechen.</p>"
    assert "großer Höhe" in (vclean.extract(german.encode("cp1252")) or "")
    # The page declares a wrong encoding.
    lying = german.replace("windows-1252", "utf-16").encode("utf-8")
    assert "großer Höhe" in (vclean.extract(lying) or "")


def test_the_parameters_are_those_of_trafilatura() -> None:
    trafilatura = pytest.importorskip("trafilatura")
    theirs = inspect.signature(trafilatura.extract).parameters
    assert list(inspect.signature(vclean.extract).parameters) == list(theirs)
    different = [name for name, one in inspect.signature(vclean.extract).parameters.items() if one.default != theirs[name].default]
    assert different == ["include_comments", "config"]


def test_the_counterparts_of_other_functions_work(page: str) -> None:
    guide = (pathlib.Path(__file__).parents[2] / "docs" / "guide" / "python.md").read_text()
    rows = [line.split(" | ") for line in guide.splitlines() if line.startswith(("| `trafilatura.", "| `resiliparse."))]
    assert len(rows) >= 5
    for theirs, ours, *_ in rows:
        module, _, call = theirs.strip("|` ").rpartition(".")
        assert callable(getattr(pytest.importorskip(module), call.split("(")[0])), theirs
        found = eval(ours.strip("|` "), {"vclean": vclean, "html": page})
        assert "drop mussels" in str(found) or found["title"] == "Herring gulls", ours


def test_each_parameter_of_trafilatura_has_its_effect(page: str) -> None:
    page = page.replace("</h1>", "</h1><time datetime=2024-05-06>6 May 2024</time><img src=/a.png alt='A gull' width=600 height=400>")
    url = "https://a.example/x"
    text = vclean.extract(page)
    assert vclean.extract(None) is None
    assert 'id="r7"' in (vclean.extract(page, record_id="r7", output_format="xml") or "")
    assert (vclean.extract(page, include_formatting=True) or "").startswith("# Herring gulls")
    assert "![A gull]" in (vclean.extract(page, url, include_images=True, output_format="markdown") or "")
    assert vclean.extract(page, target_language="en-US") == text and vclean.extract(page, target_language="de") is None
    assert vclean.extract(page, url, only_with_metadata=True) == text and vclean.extract(page, only_with_metadata=True) is None
    assert vclean.extract(page, url, url_blacklist={url}) is None and vclean.extract(page, url, url_blacklist=set()) == text
    assert "drop mussels" in (vclean.extract(page, fast=True) or "")
    with pytest.raises(vclean.OptionError, match="target_language is english; it is a code"):
        vclean.extract(page, target_language="english")
    with pytest.warns(UserWarning, match="no links and pictures into plain text"):
        assert vclean.extract(page, include_links=True) == text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vclean.extract(page, url, None, False, True, False, False, False, "txt", False)
    for name in ["deduplicate", "prune_xpath", "author_blacklist", "settingsfile", "max_tree_size"]:
        with pytest.warns(UserWarning, match=f"ignores {name}: "):
            assert vclean.extract(page, **{name: 1}) == text  # type: ignore[arg-type]


def test_responses_and_trees_are_pages(page: str) -> None:
    response = types.SimpleNamespace(content=page.encode(), url="https://a.example/x")
    linked = vclean.extract(response, include_links=True, output_format="markdown")
    assert linked is not None and "(https://a.example/shells)" in linked
    html = pytest.importorskip("lxml.html")
    assert vclean.extract(html.fromstring(page)) == vclean.extract(page)


def test_what_is_no_page_gives_an_exception_with_the_cause() -> None:
    with pytest.raises(vclean.InputTypeError, match="not int") as caught:
        vclean.extract(42)
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, vclean.VcleanError)
    for place, remedy in [("https://a.example/x", "clean_url"), ("pages/article.html", "clean_file")]:
        with pytest.raises(vclean.InputError, match=f"not a page; .*{remedy}"):
            vclean.extract(place)
    with pytest.raises(vclean.InputError, match="no Unicode.*bytes"):
        vclean.extract("a\ud800b")
    with pytest.raises(vclean.InputError, match="PNG picture"):
        vclean.extract(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(vclean.LimitError, match="bytes are more than"):
        vclean.extract(b"<p>" + b"x " * (70 << 20 >> 1))
    with pytest.raises(vclean.LimitError, match="bytes are more than"):
        vclean.extract("<p>" + "ü " * (70 << 20 >> 1))
    assert issubclass(vclean.LimitError, vclean.VcleanError) and issubclass(vclean.InputError, ValueError)


def test_large_and_deep_pages_are_read() -> None:
    deep = "<div>" * 100_000 + "Herring gulls drop mussels on rocks, from a height that depends on the shell."
    assert vclean.extract(deep) is None or "mussels" in (vclean.extract(deep) or "")
    sentence = "Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is. "
    large = "<p>" + sentence * (50 * 1024 * 1024 // len(sentence))
    text = vclean.extract(large)
    assert text is not None and len(text) > 40 << 20
