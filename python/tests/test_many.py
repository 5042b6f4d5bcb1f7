"""Tests clean_many: order, memory, errors, threads, forks, signals."""

import asyncio
import gc
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

import vclean


def test_documents_come_in_order_and_one_bad_page_ends_nothing(files: list[pathlib.Path]) -> None:
    cleaner = vclean.Cleaner()
    expected = [cleaner.clean_file(file).text for file in files]
    pages = [item for file in files for item in (file, None, vclean.Page(b"\x89PNG\r\n\x1a\n" + bytes(9), name="picture"))]
    found = list(cleaner.clean_many(pages, threads=4))
    assert [document.text for document in found[::3]] == expected
    assert all(isinstance(one, vclean.InputTypeError) for one in found[1::3])
    assert all(isinstance(one, vclean.InputError) and "picture: " in str(one) for one in found[2::3])
    assert [document.text for document in cleaner.clean_many(pages, errors="skip")] == expected
    iterator = cleaner.clean_many(pages, errors="raise")
    assert next(iterator).text == expected[0]
    with pytest.raises(TypeError):
        next(iterator)
    with pytest.raises(vclean.InputError):
        next(iterator)
    assert next(iterator).text == expected[1]


def test_pages_come_in_every_form(page: str, files: list[pathlib.Path]) -> None:
    cleaner = vclean.Cleaner()
    url = "https://a.example/x"
    pages = [(page, url), (page.encode(), None), (files[0], url), vclean.Page(page, url, "gulls")]
    found = list(cleaner.clean_many(pages, errors="raise"))
    assert [document.metadata["url"] for document in found] == [url, None, found[2].metadata["url"], url]
    assert found[2].text == cleaner.clean_file(files[0]).text and 'id="gulls"' in found[3].write("xml")
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"html": [page, page]})
    assert [document.text for document in cleaner.clean_many(table["html"], errors="raise")] == [found[0].text] * 2
    for one in [page, page.encode(), files[0], vclean.Page(page)]:
        with pytest.raises(vclean.OptionError, match="takes several pages"):
            cleaner.clean_many(one)  # type: ignore[call-overload]


def test_documents_are_filtered() -> None:
    def page(text: str, language: str) -> str:
        return f"<html lang={language}><title>x</title><article><h1>{text.split('.')[0]}</h1><p>{text}</p></article>"

    gulls = "Herring gulls drop mussels on rocks. They fly up with a shell, let it fall, and eat what is left of it."
    moewen = "Silbermöwen lassen Muscheln auf Felsen fallen. Sie fliegen mit der Schale auf und essen, was übrig ist."
    pages = [page(gulls, "en"), page(moewen, "de"), page(gulls, "en"), page("Gulls.", "en")]
    cleaner = vclean.Cleaner()

    def kept(**filters: object) -> list[int]:
        named = [vclean.Page(page, name=str(number)) for number, page in enumerate(pages)]
        found = cleaner.clean_many(named, errors="raise", **filters)  # type: ignore[call-overload]
        return [int(document.name) for document in found]

    assert kept() == [0, 1, 2, 3]
    assert kept(languages=["de"]) == kept(languages="de") == [1]
    assert kept(near_duplicates="drop", min_words=3) == [0, 1]
    assert kept(max_words=3) == [3]
    assert 0 in kept(states=["text"]) and kept(states=["login"]) == []
    for wrong, cause in [
        ({"languages": ["german"]}, "german is not the code of a language"),
        ({"states": ["closed"]}, "`states` is .'closed'.; states are text, blocked"),
        ({"min_words": "many"}, "`min_words` is 'many'; it is a whole number"),
        ({"near_duplicates": True}, '`near_duplicates` is True; it is "drop"'),
        ({"comments": "keep"}, "there is no option comments of clean_many"),
    ]:
        with pytest.raises(vclean.OptionError, match=cause):
            kept(**wrong)


def test_each_page_has_the_time_limit(page: str) -> None:
    cleaner = vclean.Cleaner(timeout=0.2)
    heavy = "<p>" + "Gulls <b>drop</b> mussels. " * 400_000
    found = list(cleaner.clean_many([page, heavy, page], threads=1))
    assert [type(result) for result in found] == [vclean.Document, vclean.LimitError, vclean.Document]
    assert "more than 0.2 s; raise `timeout`" in str(found[1])


def test_an_event_loop_goes_on_while_pages_are_cleaned(files: list[pathlib.Path]) -> None:
    cleaner = vclean.Cleaner()

    async def clean() -> tuple[list[str], int]:
        ticks, done = 0, asyncio.Event()

        async def tick() -> None:
            nonlocal ticks
            while not done.is_set():
                ticks += 1
                await asyncio.sleep(0.001)

        ticking = asyncio.create_task(tick())
        texts = [document.text async for document in cleaner.clean_many(files, errors="raise")]
        done.set()
        await ticking
        return texts, ticks

    texts, ticks = asyncio.run(clean())
    assert texts == [cleaner.clean_file(file).text for file in files] and ticks > 2


def test_no_more_pages_are_read_than_asked_for(page: str) -> None:
    read = 0

    def pages() -> object:
        nonlocal read
        for _ in range(50):
            read += 1
            yield page

    iterator = vclean.Cleaner().clean_many(pages(), threads=2, ahead=5)
    for taken in range(1, 51):
        next(iterator)
        assert read <= taken + 4
    with pytest.raises(StopIteration):
        next(iterator)


def test_an_error_of_the_users_iterator_is_raised(page: str) -> None:
    def pages() -> object:
        yield page
        raise RuntimeError("the disk is gone")

    iterator = vclean.Cleaner().clean_many(pages())
    assert next(iterator).text
    with pytest.raises(RuntimeError, match="disk"):
        next(iterator)


def test_eight_threads_give_the_same_texts(files: list[pathlib.Path]) -> None:
    cleaner = vclean.Cleaner()
    pages = [file.read_bytes() for file in files]
    expected = [cleaner.clean_html(page).markdown for page in pages]
    wrong = []

    def work(seed: int) -> None:
        order = random.Random(seed)
        for _ in range(60):
            number = order.randrange(len(pages))
            if cleaner.clean_html(pages[number]).markdown != expected[number]:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_fork_in_the_middle_of_the_work(files: list[pathlib.Path]) -> None:
    cleaner = vclean.Cleaner(engine="builtin", explain=True)
    capture = cleaner.render(files[0])
    expected = cleaner.clean_capture(capture).text
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            cleaner.clean_capture(capture)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                same = cleaner.clean_capture(capture).text == expected and vclean.extract("<p>A gull.") is not None
                rendered = cleaner.clean_capture(cleaner.render(files[0])).text == expected
                os._exit(0 if same and rendered else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_control_c_ends_the_wait(tmp_path: pathlib.Path) -> None:
    code = """if True:
        import http.server, sys, threading, vclean
        class Slow(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                print("asked", flush=True)
                threading.Event().wait(60)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cleaner = vclean.Cleaner(engine="builtin", allow_private=True)
        try:
            cleaner.clean_url(f"http://127.0.0.1:{server.server_port}/")
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            import os; os._exit(7)
    """
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "asked\n"
    child.send_signal(signal.SIGINT)
    started = time.monotonic()
    assert child.wait(timeout=20) == 7 and time.monotonic() - started < 10


def test_memory_does_not_grow(page: str) -> None:
    def resident_kb() -> int:
        gc.collect()
        lines = pathlib.Path("/proc/self/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Rss:"))

    cleaner = vclean.Cleaner()
    for _ in range(300):
        cleaner.clean_html(page).blocks
    before = resident_kb()
    for _ in range(1500):
        cleaner.clean_html(page).blocks
    assert resident_kb() - before < 8_000


def large_page() -> str:
    sentence = "Herring gulls drop mussels on <b>rocks</b>, from a height that <a href=/x>depends</a> on the shell. "
    return "<body>" + ("<p>" + 8 * sentence) * 45_000


def test_a_time_limit_ends_the_work(page: str) -> None:
    with pytest.raises(vclean.LimitError, match="more than 0.3 s; raise `timeout`"):
        vclean.Cleaner(timeout=0.3).clean_html(large_page())
    started = time.monotonic()
    vclean.Cleaner().clean_html(page)
    assert time.monotonic() - started < 3, "the work has ended, too"
