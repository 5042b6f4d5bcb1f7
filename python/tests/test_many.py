"""Tests clean_many: order, memory, errors, threads, forks, signals."""

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
    assert all(isinstance(one, TypeError) for one in found[1::3])
    assert all(isinstance(one, vclean.InputError) and "picture: " in str(one) for one in found[2::3])
    assert [document.text for document in cleaner.clean_many(pages, errors="skip")] == expected
    iterator = cleaner.clean_many(pages, errors="raise")
    assert next(iterator).text == expected[0]
    with pytest.raises(TypeError):
        next(iterator)
    with pytest.raises(vclean.InputError):
        next(iterator)
    assert next(iterator).text == expected[1]


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
