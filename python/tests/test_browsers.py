"""Tests pages that are open in Playwright and Selenium."""

import asyncio
import pathlib
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

import vclean

sync_api = pytest.importorskip("playwright.sync_api")

STATE = """() => [document.documentElement.outerHTML, scrollY, document.adoptedStyleSheets.length, CSS.highlights.size,
    [...document.querySelectorAll('*')].map((element) => element.getAttribute('style'))]"""
CHANGING = """<style>.late { content-visibility: auto }</style><p class=late>Late.</p><p style="content-visibility: auto">Later.</p>
    <div role=tabpanel style="display: none; content-visibility: auto">The second tab.</div>
    <input id=name><p style="color: teal; --own: 1" id=styled>Styled.</p><script>window.ticks = 0;
    setInterval(() => window.ticks++, 20);</script></body>"""


@pytest.fixture(scope="module")
def playwright(browser: str) -> object:
    with sync_api.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.mark.parametrize("density", [1, 2])
def test_an_open_page_gives_what_our_own_rendering_gives(playwright: object, server: str, browser: str, density: int) -> None:
    cleaner = vclean.Cleaner(engine="chromium", browser=browser, allow_private=True, no_sandbox=True)
    for name in ["article", "arabic", "forum"]:
        context = playwright.new_context(device_scale_factor=density, viewport={"width": 1280, "height": 1024})
        page = context.new_page()
        page.goto(f"{server}/{name}/index.html")
        document = vclean.from_playwright(page, cleaner)
        own = cleaner.clean_url(f"{server}/{name}/index.html")
        assert document.markdown == own.markdown and len(document.blocks) == len(own.blocks)
        assert document.metadata["url"] is not None
        context.close()


def test_the_page_is_left_as_it_was(playwright: object, server: str, files: list[pathlib.Path]) -> None:
    page = playwright.new_page()
    html = (files[0].parent.parent / "article" / "index.html").read_text()
    page.route("**/own.html", lambda route: route.fulfill(body=html.replace("</body>", CHANGING), content_type="text/html"))
    page.goto(f"{server}/own.html")
    page.fill("#name", "typed")
    page.evaluate("scrollTo(0, 300)")
    before = page.evaluate(STATE)
    document = vclean.from_playwright(page)
    assert "ferry" in document.text
    assert page.evaluate(STATE) == before and page.input_value("#name") == "typed"
    ticks = page.evaluate("ticks")
    page.wait_for_timeout(300)
    assert page.evaluate("ticks") > ticks, "its scripts run again"
    page.close()


def test_what_only_scripts_and_clicks_show_is_there(playwright: object) -> None:
    page = playwright.new_page()
    sentence = "Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is."
    page.set_content(f"<button onclick=\"document.querySelector('p').textContent = '{sentence}'\">Read</button><p></p>")
    page.click("button")
    assert sentence in vclean.from_playwright(page, scroll=False).text
    page.close()


def test_a_closed_page_is_an_exception_with_the_cause(playwright: object, page: str) -> None:
    closed = playwright.new_page()
    closed.close()
    with pytest.raises(vclean.RenderError, match="has to be open") as caught:
        vclean.from_playwright(closed)
    assert caught.value.__cause__ is not None
    dying = playwright.new_page()
    dying.set_content(page)
    dying.context.new_cdp_session(dying)
    session = dying.context.new_cdp_session

    def closing(target: object) -> object:
        opened = session(target)
        dying.close()
        return opened

    dying.context.new_cdp_session = closing
    with pytest.raises(vclean.RenderError) as caught:
        vclean.from_playwright(dying)
    assert caught.value.__cause__ is not None


def test_the_asynchronous_interface(server: str, browser: str) -> None:
    from playwright.async_api import async_playwright

    async def clean() -> tuple[str, int]:
        async with async_playwright() as started:
            opened = await started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            page = await opened.new_page()
            await page.goto(f"{server}/article/index.html")
            ticks = 0

            async def tick() -> None:
                nonlocal ticks
                while True:
                    await asyncio.sleep(0.01)
                    ticks += 1

            ticking = asyncio.create_task(tick())
            document = await vclean.from_playwright_async(page)
            ticking.cancel()
            with pytest.raises(vclean.InputError, match="from_playwright_async"):
                vclean.from_playwright(page)
            await opened.close()
            return document.text, ticks

    # Playwright's synchronous interface, used by other tests, runs an event loop in this thread.
    with ThreadPoolExecutor() as pool:
        text, ticks = pool.submit(asyncio.run, clean()).result()
    assert "ferry" in text and ticks > 10, "other tasks run meanwhile"


def test_selenium(server: str, browser: str) -> None:
    webdriver = pytest.importorskip("selenium.webdriver")
    driver = shutil.which("chromedriver")
    if not driver:
        pytest.skip("there is no chromedriver")
    options = webdriver.ChromeOptions()
    # Debian's program is a script that starts the browser, and the browser would outlive the
    # driver.
    started = pathlib.Path("/usr/lib/chromium") / pathlib.Path(browser).name
    options.binary_location = str(started) if started.exists() else browser
    for argument in ["--headless", "--no-sandbox", "--window-size=1280,1024"]:
        options.add_argument(argument)
    with webdriver.Chrome(options, webdriver.ChromeService(driver)) as opened:
        opened.get(f"{server}/article/index.html")
        before = opened.execute_script("return document.documentElement.outerHTML")
        assert "ferry" in vclean.from_selenium(opened).text
        assert opened.execute_script("return document.documentElement.outerHTML") == before
