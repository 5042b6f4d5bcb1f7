"""Tests the loader, the parser and the transformer for LangChain."""

import asyncio

import pytest
from site_pages import FIXTURES, NAMES, PDF, address, content, text_content

import vclean

pytest.importorskip("langchain_core")

from langchain_core.documents import Document
from langchain_core.documents.base import Blob

from vclean.integrations.langchain import VcleanBlobParser, VcleanLoader, VcleanTransformer

ARTICLE = FIXTURES / "site" / "article" / "index.html"


def test_the_loader_gives_a_document_a_source() -> None:
    sources = [str(ARTICLE), vclean.Page(PDF, address("pdf")), FIXTURES / "none.html"]
    sources += [vclean.Page(content(name), address(name)) for name in NAMES]
    documents = VcleanLoader(sources, min_precision=0.9).load()
    cleaner = vclean.Cleaner(min_precision=0.9)
    assert documents[0].page_content == cleaner.clean_file(ARTICLE).markdown
    assert documents[0].metadata["source"] == str(ARTICLE)
    assert documents[1].page_content == "" and documents[1].metadata["source"] == address("pdf")
    assert "PDF" in documents[1].metadata["error"] and "none.html" in documents[2].metadata["error"]
    for document, name in zip(documents[3:], NAMES, strict=True):
        cleaned = cleaner.clean_html(content(name), address(name))
        assert document.page_content == cleaned.markdown and document.metadata["source"] == address(name)
        assert document.metadata["title"] == cleaned.metadata["title"] and "error" not in document.metadata
        assert None not in document.metadata.values() and document.id == address(name)


def test_the_loader_is_lazy_and_loads_in_asyncio() -> None:
    def endless():  # type: ignore[no-untyped-def]
        while True:
            yield vclean.Page(content("german"))

    first = next(iter(VcleanLoader(endless(), output_format="text").lazy_load()))
    assert first.page_content == vclean.Cleaner().clean_html(content("german")).text
    (loaded,) = asyncio.run(VcleanLoader(ARTICLE).aload())
    assert loaded.metadata["kind"] == "article"


def test_html_passed_as_a_source_is_an_error_with_the_remedy() -> None:
    with pytest.raises(vclean.InputError, match="pass HTML as vclean.Page"):
        VcleanLoader("<p>A page.</p>")


def test_the_parser_takes_blobs() -> None:
    blob = Blob.from_data(content("windows-1251"), metadata={"url": address("russian"), "rank": 3})
    (document,) = VcleanBlobParser().parse(blob)
    assert document.page_content == vclean.Cleaner().clean_html(content("windows-1251"), address("russian")).markdown
    assert document.metadata["rank"] == 3
    (document,) = VcleanBlobParser().parse(Blob.from_path(ARTICLE))
    assert document.metadata["source"] == str(ARTICLE) and "last ferry" in document.metadata["title"]
    (document,) = VcleanBlobParser().parse(Blob.from_data(PDF))
    assert document.page_content == "" and "PDF" in document.metadata["error"]


def test_the_transformer_replaces_html_and_keeps_what_it_was_passed() -> None:
    names = ["article", "german"]
    pages = [Document(page_content=text_content(name), metadata={"source": address(name)}, id=name) for name in names]
    pages.insert(1, Document(page_content="broken \ud800", metadata={"source": address("broken")}))
    result = VcleanTransformer(output_format="text").transform_documents(pages)
    assert pages[0].page_content == text_content("article")
    assert [document.metadata["source"] for document in result] == [address(name) for name in ["article", "broken", "german"]]
    cleaner = vclean.Cleaner()
    for name, document in zip(names, [result[0], result[2]], strict=True):
        cleaned = cleaner.clean_html(text_content(name), address(name))
        assert document.page_content == cleaned.text and document.id == name
        assert document.metadata["language"] == cleaned.metadata["language"]
    assert result[1].page_content == "" and "Unicode" in result[1].metadata["error"]


def test_chunks_are_documents_with_their_headings() -> None:
    loaded = VcleanLoader([vclean.Page(content("german"), address("german"))], chunk_size=60).load()
    cleaned = vclean.Cleaner().clean_html(content("german"), address("german"))
    assert [document.page_content for document in loaded] == [chunk["text"] for chunk in cleaned.chunks(60)]
    assert len({document.id for document in loaded}) == len(loaded) > 1
    assert loaded[1].metadata["chunk"] == 1 and "#:~:text=" in loaded[1].metadata["url"]
    assert loaded[0].metadata["headings"] and loaded[0].metadata["language"] == "de"
    (failed,) = VcleanLoader([vclean.Page(PDF)], chunk_size=60).load()
    assert "PDF" in failed.metadata["error"]
    with pytest.raises(ValueError, match="name their chunk_size"):
        VcleanLoader([], chunk_overlap=5)
