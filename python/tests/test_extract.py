"""Tests the function extract and its errors."""

import json

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


def test_what_is_no_page_gives_an_exception_with_the_cause() -> None:
    with pytest.raises(TypeError, match="not NoneType"):
        vclean.extract(None)  # type: ignore[arg-type]
    with pytest.raises(vclean.InputError, match="no Unicode.*bytes"):
        vclean.extract("a\ud800b")
    with pytest.raises(vclean.InputError, match="PNG picture"):
        vclean.extract(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(vclean.LimitError, match="bytes are more than"):
        vclean.extract(b"<p>" + b"x " * (70 << 20 >> 1))
    assert issubclass(vclean.LimitError, vclean.VcleanError) and issubclass(vclean.InputError, ValueError)


def test_large_and_deep_pages_are_read() -> None:
    deep = "<div>" * 100_000 + "Herring gulls drop mussels on rocks, from a height that depends on the shell."
    assert vclean.extract(deep) is None or "mussels" in (vclean.extract(deep) or "")
    sentence = "Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is. "
    large = "<p>" + sentence * (50 * 1024 * 1024 // len(sentence))
    text = vclean.extract(large)
    assert text is not None and len(text) > 40 << 20
