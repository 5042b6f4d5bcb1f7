"""Tests the reader for LlamaIndex."""

import pytest
from site_pages import FIXTURES, NAMES, PDF, address, content

import vclean

pytest.importorskip("llama_index.core")

from llama_index.core import SimpleDirectoryReader
from llama_index.core.schema import MetadataMode

from vclean.integrations.llama_index import VcleanReader

ARTICLE = FIXTURES / "site" / "article" / "index.html"


def test_the_reader_gives_a_document_a_source() -> None:
    sources = [vclean.Page(content(name), address(name)) for name in NAMES]
    sources.insert(1, vclean.Page(PDF, address("pdf")))
    documents = VcleanReader(output_format="text").load_data([ARTICLE, *sources], extra_info={"set": "fixtures"})
    cleaner = vclean.Cleaner()
    assert documents[0].text == cleaner.clean_file(ARTICLE).text and documents[0].metadata["source"] == str(ARTICLE)
    assert documents[2].text == "" and "PDF" in documents[2].metadata["error"]
    for document, name in zip([documents[1], *documents[3:]], NAMES, strict=True):
        cleaned = cleaner.clean_html(content(name), address(name))
        assert document.text == cleaned.text and document.metadata["title"] == cleaned.metadata["title"]
        assert document.metadata["set"] == "fixtures" and "error" not in document.metadata
        assert document.id_ == address(name) and document.get_content(MetadataMode.EMBED) == cleaned.text


def test_a_folder_is_read_with_the_reader(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for name in NAMES:
        (tmp_path / f"{name}.html").write_bytes(content(name))
    (tmp_path / "broken.html").write_bytes(PDF)
    documents = SimpleDirectoryReader(str(tmp_path), file_extractor={".html": VcleanReader()}).load_data()
    assert len(documents) == len(NAMES) + 1
    found = {document.metadata["file_name"]: document for document in documents}
    cleaner = vclean.Cleaner()
    for name in NAMES:
        assert found[f"{name}.html"].text == cleaner.clean_html(content(name)).markdown
    assert "PDF" in found["broken.html"].metadata["error"]


def test_a_file_system_of_fsspec_is_read() -> None:
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    files.pipe("/pages/article.html", content("article"))
    documents = VcleanReader().load_data(["/pages/article.html", "/pages/none.html"], fs=files)
    assert documents[0].text == vclean.Cleaner().clean_html(content("article")).markdown
    assert documents[1].text == "" and "/pages/none.html" in documents[1].metadata["error"]
