"""Runs the tools of scripts/bench-rendering in turn and prints the time of each."""

import asyncio
import os
import pathlib
import subprocess
import sys
import tempfile
import time

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


async def screenshots(browser_program, tabs, addresses):
    """The Playwright script: loads each page and takes one full-page screenshot."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_program, args=["--no-sandbox"])
        left = list(reversed(addresses))

        async def work():
            page = await browser.new_page(viewport={"width": 1280, "height": 1024})
            while left:
                address = left.pop()
                try:
                    await page.goto(address, wait_until="load")
                    await page.screenshot(full_page=True)
                except Exception as error:  # a page that fails counts as one page less
                    print(f"bench-rendering: {address}: {error}", file=sys.stderr)
                    continue
                print("done", flush=True)

        await asyncio.gather(*(work() for _ in range(tabs)))
        await browser.close()


def processes():
    """Parent and CPU ticks of every process."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = pathlib.Path("/proc", name, "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        found[int(name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    return found


def timed(command):
    """Wall and CPU seconds of a command with all processes below it, and its output."""
    begun = time.monotonic()
    ticks = {}
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        family = {process.pid}
        # Read often, because the CPU time of a killed browser is lost.
        while process.poll() is None:
            now = processes()
            size = 0
            while size != len(family):
                size = len(family)
                family.update(child for child, (parent, _) in now.items() if parent in family)
            for member in family & now.keys():
                ticks[member] = max(ticks.get(member, 0), now[member][1])
            time.sleep(0.1)
        wall = time.monotonic() - begun
        output.seek(0)
        return wall, sum(ticks.values()) / TICKS_A_SECOND, output.read()


def main():
    if sys.argv[1] == "--playwright":
        asyncio.run(screenshots(sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
        return
    folder, browser, vclean = sys.argv[1:4]
    count, tabs, rounds = map(int, sys.argv[4:7])
    pages = sorted(pathlib.Path(folder).resolve().glob("*.mhtml"))[:count]
    addresses = [page.as_uri() for page in pages]
    print(f"{len(pages)} pages, {tabs} tabs, {rounds} rounds in turn, {os.cpu_count()} cores")
    sums = {}
    for _ in range(rounds):
        bare = [sys.executable, __file__, "--playwright", browser, str(tabs), *addresses]
        wall, cpu, output = timed(bare)
        add(sums, f"playwright, {tabs} tabs", output.count("done"), wall, cpu)
        for engine, jobs in (("chromium", tabs), ("chromium", 2 * tabs), ("builtin", 1), ("builtin", os.cpu_count())):
            with tempfile.TemporaryDirectory() as out:
                cleaning = [vclean, "render-and-clean", *map(str, pages), "--engine", engine, "--offline", "--out", out]
                wall, cpu, _ = timed(cleaning + ["--fallback", "none"] * (engine == "builtin") + ["--jobs", str(jobs), "--browser", browser])
                done = sum(path.is_file() for path in pathlib.Path(out).iterdir())
                add(sums, f"vclean, {engine}, {jobs} jobs", done, wall, cpu)
    print(f"{'':<26}{'pages':>7}{'pages/s':>10}{'CPU s/page':>12}")
    for name, (done, wall, cpu) in sums.items():
        print(f"{name:<26}{done:>7}{done / wall:>10.2f}{cpu / max(done, 1):>12.3f}")


def add(sums, name, *values):
    before = sums.get(name, (0, 0, 0))
    sums[name] = tuple(old + new for old, new in zip(before, values))


main()
