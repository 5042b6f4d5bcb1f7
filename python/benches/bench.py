"""Measures the Python package; run by scripts/bench-python, which describes the parts."""

import argparse
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import pages

SMALL = """<html lang="en"><title>Herring gulls</title><nav><a href="/">Home</a> <a href="/about">About us</a></nav><article>
<h1>Herring gulls</h1><p>Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is, and they
seldom have to try more than twice.</p><p>Young gulls try it with pebbles first, which do not break.</p></article>
<footer>Imprint | Privacy</footer></html>"""


def speed(options: argparse.Namespace) -> None:
    """Measures pages per second of CPU time with one thread; the packages take turns in each round."""
    import resiliparse.extract.html2text
    import trafilatura

    import vclean

    tools = {
        "vclean": lambda page: vclean.extract(page.html),
        "trafilatura": lambda page: trafilatura.extract(page.html),
        "resiliparse": lambda page: resiliparse.extract.html2text.extract_plain_text(page.html, main_content=True),
    }
    for folder in options.data:
        inputs = pages.load(folder, options.pages)
        rates: dict[str, list[float]] = {name: [] for name in tools}
        for _ in range(options.rounds + 1):
            for name, tool in tools.items():
                started = time.process_time()
                for page in inputs:
                    tool(page)
                rates[name].append(len(inputs) / (time.process_time() - started))
        # The first round warms up.
        medians = ", ".join(f"{name} {statistics.median(values[1:]):.1f}" for name, values in rates.items())
        print(f"{folder.name}, {len(inputs)} pages: {medians} pages per second of CPU time", flush=True)


def memory(options: argparse.Namespace) -> None:
    """Measures the resident memory while small pages are extracted."""
    import vclean

    for call in range(1, options.calls + 1):
        vclean.extract(SMALL)
        if call in (1_000, options.calls // 2, options.calls):
            print(f"after {call} calls: {_resident_mb():.1f} MB", flush=True)


def threads(options: argparse.Namespace) -> None:
    """Cleans random pages in eight threads and compares each text with that of one thread."""
    import vclean

    cleaner = vclean.Cleaner()
    inputs = [page for folder in options.data for page in pages.load(folder, options.pages)]
    expected = [cleaner.clean_html(page.html).markdown for page in inputs]
    end = time.monotonic() + options.seconds
    counts, wrong = [0] * 8, []

    def work(thread: int) -> None:
        choice = random.Random(thread)
        while time.monotonic() < end:
            number = choice.randrange(len(inputs))
            if cleaner.clean_html(inputs[number].html).markdown != expected[number]:
                wrong.append(inputs[number].name)
            counts[thread] += 1

    started = [threading.Thread(target=work, args=(thread,)) for thread in range(8)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    print(f"8 threads, {options.seconds} s: {sum(counts)} pages, {len(wrong)} texts differ, {_resident_mb():.0f} MB")
    if wrong:
        sys.exit(f"other texts than with one thread: {sorted(set(wrong))}")


def imports(options: argparse.Namespace) -> None:
    """Measures the time of the import, with everything that it imports."""
    command = [sys.executable, "-X", "importtime", "-c", "import vclean"]
    times = []
    for _ in range(options.rounds + 1):
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stderr.splitlines()
        times.append(int(next(line for line in lines if line.endswith("| vclean")).split("|")[1]) / 1000)
    print(f"import vclean: {statistics.median(times[1:]):.1f} ms, extension {_extension_mb():.1f} MB")


def _extension_mb() -> float:
    import vclean

    return Path(vclean._vclean.__file__).stat().st_size / 1e6


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


PARTS = {"speed": speed, "memory": memory, "threads": threads, "imports": imports}


def main() -> None:
    """Runs the part that is named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("data", nargs="*", type=Path, help="data folders")
    parser.add_argument("--pages", type=int, default=100, help="pages of each folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    PARTS[options.part](options)


if __name__ == "__main__":
    main()
