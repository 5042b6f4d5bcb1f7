"""Tests Cleaner, Document, blocks and features."""

import copy
import inspect
import json
import os
import pathlib
import pickle
import pydoc
import re
import subprocess
import sys

import pytest

import vclean


def test_a_document_has_everything(page: str) -> None:
    document = vclean.Cleaner(explain=True).clean_html(page, url="https://a.example/x")
    assert document and "drop mussels" in document.text and str(document) == document.text
    assert "Herring gulls" in document.markdown and "<p>" in document.html
    assert document.metadata["title"] == "Herring gulls" and document.metadata["language"] == "en"
    assert document.to_dict()["metadata"] == document.metadata
    assert 0 < document.expected_f <= 1 and document.kind is not None and document.warnings == []
    assert [document.write(name) != "" for name in vclean.FORMATS] == [True] * len(vclean.FORMATS)
    block = next(block for block in document.blocks if "drop mussels" in block.text)
    assert block.is_content and block.kind == "paragraph" and block.box is None and block.path == "html/body/article/p"
    name, value, weight = block.reasons[0]
    assert isinstance(name, str) and isinstance(value, float) and weight != 0
    assert document.blocks[-1].text == "Imprint | Privacy"
    blocks = list(document.blocks)
    for part in (slice(2), slice(None, None, -1), slice(-2, None), slice(50, 60)):
        assert [block.text for block in document.blocks[part]] == [block.text for block in blocks[part]]
    with pytest.raises(IndexError):
        document.blocks[99]


def test_blocks_and_features_are_tables(page: str) -> None:
    numpy, pyarrow = pytest.importorskip("numpy"), pytest.importorskip("pyarrow")
    document = vclean.Cleaner().clean_html(page)
    blocks, features = document.blocks, document.features
    records = blocks.to_numpy()
    assert [float(one) for one in records["probability"]] == [block.probability for block in blocks]
    assert numpy.isnan(records["x"]).all() and records["is_content"].dtype == bool
    table = blocks.to_arrow()
    assert table.column("text").to_pylist() == [block.text for block in blocks]
    assert pyarrow.table(blocks).equals(table)
    values = features.to_numpy()
    assert values.shape == features.shape == (len(blocks), len(features.columns)) and values.dtype == numpy.float32
    assert features.to_arrow().column_names == features.columns


def test_positions_say_where_the_text_comes_from(page: str) -> None:
    located = vclean.Cleaner(positions=True).clean_html(page).to_dict()["segments"][0]
    assert located["spans"][0]["positions"][0]["xpath"].startswith("/html[1]/body[1]/")
    assert "position" not in vclean.Cleaner().clean_html(page).to_dict()["segments"][0]


def test_data_frames(page: str) -> None:
    pytest.importorskip("pandas"), pytest.importorskip("polars")
    document = vclean.Cleaner().clean_html(page)
    assert document.blocks.to_pandas()["text"].tolist() == document.blocks.to_polars()["text"].to_list()
    frame = document.features.to_pandas()
    assert frame.shape == document.features.shape == document.features.to_polars().shape
    assert (frame["text.ends_sentence"].to_numpy() == document.features.to_polars()["text.ends_sentence"].to_numpy()).all()


def test_arrow_does_not_copy(page: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    before = pyarrow.total_allocated_bytes()
    table = vclean.Cleaner().clean_html(page).blocks.to_arrow()
    assert pyarrow.total_allocated_bytes() == before and table.nbytes > 0


def test_pickles(page: str) -> None:
    cleaner = pickle.loads(pickle.dumps(vclean.Cleaner(min_precision=0.9, comments="separate")))
    document = cleaner.clean_html(page)
    assert document.text == vclean.Cleaner(min_precision=0.9, comments="separate").clean_html(page).text
    same = pickle.loads(pickle.dumps(document))
    for name in vclean.FORMATS:
        assert same.write(name) == document.write(name)
        assert same.write(name, links=True) == document.write(name, links=True)
        assert same.write(name, images=True) == document.write(name, images=True)
    assert same.metadata == document.metadata and same.to_dict() == document.to_dict()
    assert [block.text for block in same.blocks] == [block.text for block in document.blocks]
    assert pickle.loads(pickle.dumps(same)).markdown == document.markdown and copy.deepcopy(same).text == document.text
    with pytest.raises(vclean.StoredDocumentError, match="no features"):
        same.features
    with pytest.raises(vclean.StoredDocumentError, match="damaged or of another version"):
        vclean.Document._restore(b"x")  # type: ignore[attr-defined]


def test_all_results_can_be_pickled(page: str, files: list[pathlib.Path], tmp_path: pathlib.Path) -> None:
    def copied(value: object) -> object:
        return pickle.loads(pickle.dumps(value))

    document = vclean.Cleaner(explain=True).clean_html(page)
    blocks = copied(document.blocks)
    assert blocks.to_pandas().equals(document.blocks.to_pandas())  # type: ignore[attr-defined]
    assert copied(document.blocks[0]).reasons == document.blocks[0].reasons  # type: ignore[attr-defined]
    features = copied(document.features)
    assert features.columns == document.features.columns  # type: ignore[attr-defined]
    assert (features.to_numpy() == document.features.to_numpy()).all()  # type: ignore[attr-defined]
    cleaner = vclean.Cleaner(engine="builtin")
    for one in [vclean.Page(page, "https://a.example/x", "x"), vclean.Page(page.encode()), vclean.Page.from_file(files[0], name="f")]:
        same = copied(one)
        assert (same.url, same.name) == (one.url, one.name)  # type: ignore[attr-defined]
        found = list(cleaner.clean_many([one, same], errors="raise"))  # type: ignore[list-item]
        assert found[0].text == found[1].text
    capture = cleaner.render(files[0])
    same = copied(capture)
    assert same.screenshot == capture.screenshot  # type: ignore[attr-defined]
    assert cleaner.clean_capture(same).text == cleaner.clean_capture(capture).text  # type: ignore[arg-type]
    with pytest.raises(vclean.InputError) as caught:
        vclean.Cleaner().clean_file("/nowhere.html")
    error = copied(caught.value)
    assert (type(error), str(error), error.kind) == (vclean.InputError, str(caught.value), "source")  # type: ignore[attr-defined]


def test_a_pickle_is_not_much_larger_than_its_page(files: list[pathlib.Path]) -> None:
    for file in files:
        document = vclean.Cleaner().clean_file(file)
        assert len(pickle.dumps(document)) < max(2 * file.stat().st_size, 12_000), file


def test_the_documentation_is_there_at_run_time() -> None:
    parameters = inspect.signature(vclean.Cleaner).parameters
    assert {one.kind for one in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    stub = (pathlib.Path(vclean.__file__).parent / "_vclean.pyi").read_text()
    declared = re.search(r"class Cleaner.*?def __new__\((.*?)\) -> Self", stub, re.DOTALL)
    assert declared is not None
    assert sorted(re.findall(r"^ +(\w+): ", declared[1], re.MULTILINE)) == sorted(parameters)
    described = pydoc.render_doc(vclean.Cleaner, renderer=pydoc.plaintext)
    for name in parameters:
        assert re.search(rf"^ +\|? +{name}: \w", described, re.MULTILINE), name


def test_notebooks_show_documents(page: str) -> None:
    document = vclean.Cleaner().clean_html(page)
    html = document._repr_html_()
    assert document._repr_markdown_() == document.markdown and document.blocks._repr_html_() == html
    assert html.count("<p ") == len(document.blocks) and html.count("line-through") == sum(not block.is_content for block in document.blocks)
    assert "<script" not in vclean.Cleaner().clean_html("<p>&lt;script>alert(1)&lt;/script> is how it begins, they say.")._repr_html_()


def test_options_are_checked() -> None:
    for wrong, cause in [
        ({"modell": "static"}, "no option modell; did you mean model"),
        ({"xyzzy": 1}, "no option xyzzy; options are .*model"),
        ({"min_precision": "high"}, "`min_precision`"),
        ({"comments": 3}, "`comments`"),
        ({"no_tables": object()}, "`no_tables` is <object"),
        ({"headers": {"a": "secret", "b": object()}}, "`headers` is <class 'dict'>: Object of type object"),
        ({"timeout": []}, r"`timeout` is \[\]"),
        ({"timeout": "5s"}, "`timeout` is '5s'; it is a number"),
        ({"no_title": "yes"}, "`no_title` is 'yes'; it is True or False"),
        ({"comments": True}, "`comments` is True; it is one of keep, drop, separate, only"),
        ({"comments": "x"}, "`comments` is 'x'; it is one of keep, drop, separate, only"),
        ({"min_precision": 2}, "min.precision"),
        ({"method": "magic"}, "magic"),
        ({"parameter": "magic=1"}, "magic"),
    ]:
        with pytest.raises(vclean.OptionError, match=cause) as caught:
            vclean.Cleaner(**wrong)  # type: ignore[arg-type]
        assert isinstance(caught.value, TypeError) and isinstance(caught.value, ValueError)
    with pytest.raises(vclean.ModelError, match="built-in models are"):
        vclean.Cleaner(model="nowhere")
    with pytest.raises(vclean.ModelError, match="above 0"):
        vclean.Cleaner(timeout=0)
    with pytest.raises(vclean.ModelError, match="tabs is 0, allowed is 1 or more"):
        vclean.Cleaner(tabs=0)
    with pytest.raises(vclean.BrowserError, match="`scripts` on does not work with `engine` builtin"):
        vclean.Cleaner(engine="builtin", scripts="on")
    assert "justext" in repr(vclean.Cleaner(method="justext", parameter={"language": "en"}))


def test_a_wrong_page_has_an_error_that_names_the_method_for_it(page: str, files: list[pathlib.Path]) -> None:
    cleaner = vclean.Cleaner()
    address = "https://a.example/x"
    for call, given, method in [
        (cleaner.clean_html, files[0], "clean_file"),
        (cleaner.clean_html, address, "clean_url"),
        (cleaner.clean_html, vclean.Page.from_url(address), "clean_url"),
        (cleaner.clean_file, address, "clean_url"),
        (cleaner.clean_file, page, "clean_html"),
        (cleaner.clean_file, page.encode(), "clean_html"),
        (cleaner.clean_file, vclean.Page(page), "clean_html"),
        (cleaner.clean_url, files[0], "clean_file"),
        (cleaner.clean_url, vclean.Page(page), "clean_html"),
    ]:
        with pytest.raises(vclean.InputError, match=method):
            call(given)  # type: ignore[operator]


def test_a_relative_address_is_told(page: str) -> None:
    document = vclean.Cleaner().clean_html(page, url="example.org/gulls")
    assert any("example.org/gulls is not an absolute address" in warning for warning in document.warnings)
    assert not vclean.Cleaner().clean_html(page, url="https://example.org/gulls").warnings


def test_front_matter_is_for_text(page: str) -> None:
    document = vclean.Cleaner().clean_html(page)
    assert document.with_front_matter("text").startswith("---\n")
    with pytest.raises(vclean.OptionError, match="not for json"):
        document.with_front_matter("json")


def test_html_has_links_and_pictures_if_asked_for() -> None:
    html = "<article><h1>Gulls</h1><p>Herring gulls <a href=https://a.example/x>drop mussels</a> on rocks, from a great height.</p>"
    document = vclean.Cleaner().clean_html(html)
    assert "<a " not in document.html and '<a href="https://a.example/x">drop mussels</a>' in document.write("html", links=True)


def test_a_browser_that_is_no_program_is_refused(tmp_path: pathlib.Path) -> None:
    text = tmp_path / "chromium"
    text.write_text("not executable")
    for path in ["/nope", tmp_path, text, "nope", ""]:
        for options in [{}, {"engine": "builtin"}, {"engine": "chromium"}]:
            with pytest.raises(vclean.BrowserError, match="`browser` names .*which is not a program; check the path") as caught:
                vclean.Cleaner(browser=path, **options)
            assert str(path) in str(caught.value)


def test_a_page_that_had_to_do_without_a_browser_says_so(server: str) -> None:
    script = f"""import vclean
cleaner = vclean.Cleaner(allow_private=True)
document = cleaner.clean_url("{server}/article/index.html")
assert "ferry" in document.text
print(document.warnings)"""
    env = {**os.environ, "VCLEAN_BROWSER": "/nope"}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, check=False)
    assert run.returncode == 0, run.stderr
    assert "VCLEAN_BROWSER names /nope" in run.stdout and "built-in engine" in run.stdout


def test_options_of_loading_are_checked_and_secrets_are_not_shown() -> None:
    for options, cause in [
        ({"wait_for": "soon"}, "invalid value soon for `wait_for`"),
        ({"headers": {"Host": "x"}}, "belongs to the connection"),
        ({"viewport": "1x1"}, "`viewport`"),
        ({"actions": [{"type": "screenshot"}]}, "number 1 of `actions`"),
        ({"proxy": "socks5://a.example"}, "speak socks5"),
    ]:
        with pytest.raises(vclean.ModelError, match=cause):
            vclean.Cleaner(**options)  # type: ignore[arg-type]
    secrets = vclean.Cleaner(
        headers={"X-Token": "hunter2"},
        cookies={"sid": "hunter2"},
        storage_state={"cookies": [{"name": "a", "value": "hunter2", "domain": "a.example"}]},
        actions=[{"type": "write", "text": "hunter2"}],
        proxy="http://me:hunter2@a.example:3128",
        viewport="390x844",
    )
    assert "hunter2" not in repr(secrets) and "390x844" in repr(secrets) and "headers" in repr(secrets)


def test_files_are_the_same_as_on_the_command_line(files: list[pathlib.Path], program: str, tmp_path: pathlib.Path) -> None:
    cleaner = vclean.Cleaner()
    for file in files:
        document = cleaner.clean_file(file)
        for name in ["text", "cleaneval", "markdown", "html"]:
            out = subprocess.run([program, "clean", file, "--format", name], capture_output=True, check=True).stdout
            assert document.write(name).encode() == out, (name, file)
        # The JSON of the command line also has the id and the input of the page.
        out = subprocess.run([program, "clean", file, "--format", "json"], capture_output=True, check=True).stdout
        everything = json.loads(out)
        del everything["id"], everything["input"]
        reasons = [block.pop("reasons") for block in everything["targets"]]
        own = document.to_dict()
        assert any(reasons) and [block.pop("reasons") for block in own["targets"]] == [[]] * len(reasons)
        assert own == everything, file


def test_missing_files_are_named() -> None:
    with pytest.raises(vclean.InputError, match="cannot read /nowhere.html: No such file"):
        vclean.Cleaner().clean_file("/nowhere.html")


def test_rendering(server: str, browser: str, tmp_path: pathlib.Path, files: list[pathlib.Path]) -> None:
    builtin = vclean.Cleaner(engine="builtin")
    capture = builtin.render(files[0])
    assert capture.engine == "builtin" and (capture.screenshot or b"").startswith(b"\x89PNG")
    document = builtin.clean_capture(capture)
    assert document.text and document.blocks[0].box is not None
    capture.save(tmp_path / "capture")
    assert builtin.clean_file(tmp_path / "capture").text == document.text
    assert builtin.clean_capture(vclean.Capture.load(tmp_path / "capture")).text == document.text

    chromium = vclean.Cleaner(engine="chromium", browser=browser, allow_private=True, no_sandbox=True)
    address = f"{server}/article/index.html"
    assert "ferry" in chromium.clean_url(address).text
    waiting = vclean.Cleaner(
        engine="chromium", browser=browser, allow_private=True, no_sandbox=True, timeout=6, wait_for=["selector:body", "text:never ever"]
    )
    assert [text for text in waiting.render(address).warnings if "text:never ever did not come" in text]
    with pytest.raises(vclean.RenderError, match="404"):
        chromium.clean_url(f"{server}/nowhere")
    with pytest.raises(vclean.RenderError, match="private|loopback"):
        vclean.Cleaner(engine="chromium", browser=browser, no_sandbox=True).clean_url(address)
    with pytest.raises(vclean.InputError, match="begins with https"):
        chromium.render("article.html")
    with pytest.raises(vclean.BrowserError, match="nowhere"):
        vclean.Cleaner(engine="chromium", browser="/nowhere").clean_url("https://a.example/")


def test_chunks_are_the_text_in_pieces_with_their_headings() -> None:
    html = "<h1>Gulls</h1><p>Gulls drop mussels on rocks. The shells break there, and the gulls eat what is in them.</p>"
    html += "<h2>Young</h2><p>Young gulls are brown. They learn from which height to drop a mussel in two years.</p>"
    page = vclean.Cleaner(positions=True).clean_html(html, "https://example.org/gulls")
    chunks = page.chunks(20)
    assert [chunk["headings"] for chunk in chunks] == [["Gulls"], ["Gulls", "Young"]]
    assert chunks[1]["text"] == page.text[chunks[1]["start"] : chunks[1]["end"]]
    assert chunks[1]["url"].startswith("https://example.org/gulls#:~:text=Young,")
    assert chunks[1]["xpath"] == "/html[1]/body[1]"
    counted = page.chunks(60, count=len)
    assert len(counted) > 2 and any(len(chunk["text"]) <= 60 for chunk in counted)
    assert page.chunks(17, 6)[1]["repeated"] > 0

    def fails(text: str) -> int:
        raise LookupError("no tokens")

    with pytest.raises(LookupError, match="no tokens"):
        page.chunks(count=fails)
    with pytest.raises(vclean.OptionError, match="at most half"):
        page.chunks(10, 6)
    stored = pickle.loads(pickle.dumps(page))
    assert [chunk["text"] for chunk in stored.chunks()] == [chunk["text"] for chunk in page.chunks()]
    with pytest.raises(vclean.StoredDocumentError):
        stored.chunks(20)
