"""Scenarios of the playground, the overlay and the error page. The daemon has the source photos with a.png and b.png."""

import html
import http.server
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.parse
import urllib.request
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from playwright.sync_api import expect

def settle(page):
    """Waits until the page has shown the result of all changes."""
    page.wait_for_timeout(50)
    # Not wait_for_function, which evaluates text in the page: its policy forbids that.
    expect(page.locator("#app")).to_have_attribute("data-state", "idle", timeout=60_000)


def watch(page):
    """Keeps the images that the page receives; its policy does not let it read them from their blob: URLs."""
    page.evaluate(
        """() => {
          const original = window.fetch;
          window.made = [];
          window.fetch = async (...all) => {
            const response = await original(...all);
            if (String(all[0]).startsWith("/playground/image"))
              window.made.push([all[0], response.clone().arrayBuffer().then(bytes => new Uint8Array(bytes))]);
            return response;
          };
        }"""
    )


def begin(browser, page, path="/photos/a.png"):
    watch(page)
    settle(page)
    page.get_by_label("Address of the server").fill(browser.public)
    page.get_by_label("Path on this server").fill(path)
    settle(page)


def shown(page, name):
    """The bytes of a format's figure: those of the last response in that format."""
    values = page.evaluate("async name => Array.from(await made.findLast(([url]) => url.includes(`format%3D${name}`))[1])", name)
    return bytes(values)


def curl(url):
    return subprocess.run(["curl", "-sSf", "--noproxy", "*", url], check=True, capture_output=True).stdout


def copied(page, name):
    page.get_by_role("button", name=name, exact=True).click()
    settle(page)
    return page.get_by_label("Copied text").input_value()


def titles(page):
    return page.locator(".cards header b").all_inner_texts()


def check(browser, page, expected):
    """The copied URL has the expected query, and curl gets what the page shows."""
    url = copied(page, "URL")
    assert url.startswith(browser.public), url
    query = urllib.parse.urlsplit(url).query
    assert query == expected, query
    assert curl(url) == shown(page, "webp")


def mouse(browser):
    """Three steps, put into order by mouse."""
    with browser.page(path="/playground", width=1400, height=1000) as page:
        begin(browser, page)
        for name in ("resize", "blur", "round"):
            page.locator(".palette").get_by_role("button", name=name, exact=True).click()
        page.locator("[data-parameter=w] input[type=number]").fill("200")
        page.locator("[data-parameter=blur] input[type=number]").fill("2")
        page.locator("[data-parameter=format] select").select_option("webp")
        settle(page)
        grip = page.locator(".cards li").nth(2).locator(".grip")
        target = page.locator(".cards li").nth(0).bounding_box()
        grip.scroll_into_view_if_needed()
        start = grip.bounding_box()
        page.mouse.move(start["x"] + 8, start["y"] + 8)
        page.mouse.down()
        page.mouse.move(start["x"] + 8, target["y"] + 40, steps=8)
        page.mouse.move(start["x"] + 8, target["y"] + 2, steps=8)
        page.mouse.up()
        settle(page)
        assert [title.lower() for title in titles(page)] == ["round", "resize", "blur"], titles(page)
        check(browser, page, "round=24&w=200&blur=2&format=webp")
        for name in ("srcset", "picture"):
            assert name in copied(page, {"srcset": "<img srcset>", "picture": "<picture>"}[name])
        assert "sd_setImage" in copied(page, "Swift") and copied(page, "curl").startswith("curl ")
        cells = page.locator(".formats dd").all_inner_texts()
        assert len(cells) == 12 and all(re.search(r"\d|cached", cell) for cell in cells), cells
        assert cells[11] == "100.0", cells
        expect(page.locator(".clients tbody tr")).to_have_count(4)
        explained = page.locator(".explain pre")
        expect(explained).to_contain_text("round=24")
        assert "upstream" not in explained.inner_text() and "127.0.0.1" not in explained.inner_text()


def keyboard(browser):
    """The same without a mouse."""
    with browser.page(path="/playground", width=1400, height=1000) as page:
        begin(browser, page)
        for name in ("resize", "blur", "round"):
            page.locator(".palette").get_by_role("button", name=name, exact=True).focus()
            page.keyboard.press("Enter")
            settle(page)
        # A new step's grip has the focus.
        assert "round, step 3 of 3" in page.evaluate("document.activeElement.getAttribute('aria-label')")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        assert "round, step 1 of 3" in page.evaluate("document.activeElement.getAttribute('aria-label')")
        page.locator("[data-parameter=w] input[type=number]").focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("200")
        page.locator("[data-parameter=blur] input[type=number]").focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("2")
        page.locator("[data-parameter=format] select").focus()
        page.keyboard.type("webp")
        settle(page)
        check(browser, page, "round=24&w=200&blur=2&format=webp")
        page.locator(".cards li").nth(2).locator(".grip").focus()
        page.keyboard.press("Delete")
        settle(page)
        assert [title.lower() for title in titles(page)] == ["round", "resize"], titles(page)


def handles(browser):
    """Crop and focal point on an uploaded picture, by mouse and by keyboard."""
    with browser.page(path="/playground", width=1400, height=1000) as page:
        watch(page)
        settle(page)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "own.png"
            file.write_bytes(curl(f"{browser.public}/photos/a.png"))
            page.set_input_files("input[type=file]", str(file))
            expect(page.locator(".drop")).to_contain_text("own.png")
        settle(page)
        page.locator(".palette").get_by_role("button", name="crop", exact=True).click()
        settle(page)
        box = page.get_by_role("group", name="Part to keep")
        expect(box).to_be_visible()
        value = page.locator("[data-parameter=crop] input")
        assert value.input_value() == "10%,10%,80%,80%"
        box.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowDown")
        assert value.input_value() == "11%,20%,80%,80%", value.input_value()
        page.locator(".handle.se").focus()
        page.keyboard.press("Shift+ArrowLeft")
        assert value.input_value() == "11%,20%,70%,80%", value.input_value()
        settle(page)
        frame = page.locator(".frame").bounding_box()
        page.mouse.move(frame["x"] + frame["width"] * 0.5, frame["y"] + frame["height"] * 0.5)
        page.mouse.down()
        page.mouse.move(frame["x"] + frame["width"] * 0.4, frame["y"] + frame["height"] * 0.4, steps=5)
        page.mouse.up()
        settle(page)
        numbers = [float(part.strip("%")) for part in value.input_value().split(",")]
        assert abs(numbers[0] - 1) < 0.6 and abs(numbers[1] - 10) < 0.6 and numbers[2:] == [70, 80], numbers
        browser.shot(page, "playground-crop")
        page.keyboard.press("Escape")
        settle(page)
        expect(box).to_be_hidden()
        # The focus goes back to the step.
        assert "crop, step 1 of 1" in page.evaluate("document.activeElement.getAttribute('aria-label')")
        page.locator(".palette").get_by_role("button", name="resize", exact=True).click()
        page.locator("[data-parameter=w] input[type=number]").fill("30")
        page.locator("[data-parameter=h] input[type=number]").fill("30")
        page.locator("[data-parameter=fit] select").select_option("cover")
        page.locator("[data-parameter=gravity]").last.get_by_role("button", name="Place").click()
        settle(page)
        point = page.get_by_role("button", name="Focal point")
        expect(point).to_be_visible()
        point.focus()
        page.keyboard.press("Shift+ArrowLeft")
        page.keyboard.press("ArrowUp")
        settle(page)
        browser.shot(page, "playground-focus")
        expect(page.locator("[data-parameter=gravity] select").last).to_have_value("point")
        assert "gravity=0.4,0.49" in copied(page, "URL"), copied(page, "URL")
        assert shown(page, "png")[16:24] == bytes([0, 0, 0, 30] * 2)


def errors(browser):
    """What the server refuses is told at its control, or beside the picture."""
    # The console reports responses with an error's status.
    with browser.page(path="/playground", width=1400, height=1000, expects_errors=True) as page:
        begin(browser, page)
        page.locator(".palette").get_by_role("button", name="border", exact=True).click()
        page.locator("[data-parameter=border] input[type=number]").fill("99999")
        settle(page)
        expect(page.locator("[data-parameter=border] .wrong")).to_contain_text("must be a number from")
        page.locator("[data-parameter=border] input[type=number]").fill("3")
        settle(page)
        expect(page.locator("[data-parameter=border] .wrong")).to_be_empty()
        page.get_by_label("Path on this server").fill("/photos/a#b.png")
        settle(page)
        assert "/photos/a%23b.png?" in copied(page, "URL"), copied(page, "URL")
        page.get_by_label("Path on this server").fill("/photo/a.png")
        settle(page)
        expect(page.get_by_role("alert")).to_contain_text("did you mean 'photos'?")
        page.set_input_files("input[type=file]", {"name": "a.txt", "mimeType": "image/png", "buffer": b"no picture " * 9})
        expect(page.get_by_role("alert")).to_contain_text("not a picture")


@contextmanager
def serving(folder, handler=http.server.SimpleHTTPRequestHandler):
    """A server of a folder's files on a free port of 127.0.0.1; its URL."""

    class Handler(handler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def are_whole(page):
    """Whether each image of the page is there and can be decoded."""
    script = """async () => Promise.all([...document.querySelectorAll('.thumb img, .result')].map(
      image => image.decode().then(() => image.naturalWidth > 0, () => false)))"""
    found = page.evaluate(script)
    return len(found) == 5 and all(found)


def urls(browser):
    """A URL is shown in four formats; a path that names no picture clears them."""
    with browser.page(path="/playground", width=1400, height=1000) as page:
        with tempfile.TemporaryDirectory() as folder, serving(folder) as server:
            (Path(folder) / "c d.png").write_bytes(curl(f"{browser.public}/photos/b.png"))
            begin(browser, page, f"{server}/c d.png")
            expect(page.locator(".thumb img[src]")).to_have_count(4)
            assert are_whole(page)
            expect(page.locator(".facts")).to_have_text("80 × 60 pixels")
            url = copied(page, "URL")
            address = urllib.parse.quote(f"{server}/c d.png", safe="")
            assert url == f"{browser.public}/fetch?url={address}", url
        page.get_by_label("Path on this server").fill("/photos")
        settle(page)
        expect(page.locator(".thumb img[src]")).to_have_count(0)
        expect(page.locator(".frame")).to_be_hidden()
        assert set(page.locator(".formats dd").all_inner_texts()) == {"–"}


def srcset(browser):
    """The widths of srcset are those of the files, also with dpr."""
    with browser.page(path="/playground", width=1400, height=1000) as page:
        begin(browser, page)
        page.locator(".palette").get_by_role("button", name="resize", exact=True).click()
        for name, value in (("w", "100"), ("h", "60"), ("dpr", "2")):
            page.locator(f"[data-parameter={name}] input[type=number]").fill(value)
        page.locator("[data-parameter=fit] select").select_option("cover")
        page.locator("[data-parameter=format] select").select_option("png")
        settle(page)
        markup = html.unescape(copied(page, "<img srcset>"))
        candidates = [each.rsplit(" ", 1) for each in re.search('srcset="([^"]*)"', markup)[1].split(", ")]
        assert [width for _, width in candidates] == ["100w", "200w", "300w", "400w"], candidates
        for url, width in candidates:
            width = int(width[:-1])
            sides = [int.from_bytes(curl(url)[at : at + 4], "big") for at in (16, 20)]
            assert sides == [width, width * 6 // 10], (url, sides)


def back(browser):
    """Values that are set again are shown again, from the images that the page keeps."""
    with browser.page(path="/playground", width=1400, height=1000) as page:
        begin(browser, page, "/photos/b.png")
        page.locator(".palette").get_by_role("button", name="resize", exact=True).click()
        settle(page)
        expect(page.locator(".clients tbody tr").filter(has_text="Chrome")).to_contain_text("WebP for animations")
        expect(page.locator(".clients tbody tr").filter(has_text="SDWebImage")).not_to_contain_text("WebP")
        for width in [*range(20, 27), *range(25, 19, -1)]:
            page.locator("[data-parameter=w] input[type=number]").fill(str(width))
            settle(page)
            assert are_whole(page), width
            expect(page.locator(".facts")).to_contain_text(f"{width} × ")


def sent(browser):
    """A drawing that was sent has no size in pixels; a picture that the server has forgotten is not named any more."""
    # The console reports responses with an error's status.
    with browser.page(path="/playground", width=1400, height=1000, expects_errors=True) as page:
        watch(page)
        settle(page)
        drawing = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="9" height="9"/></svg>'
        page.set_input_files("input[type=file]", {"name": "a.svg", "mimeType": "image/svg+xml", "buffer": drawing})
        expect(page.locator(".drop")).to_contain_text("a.svg · 94 B")
        settle(page)
        page.locator(".palette").get_by_role("button", name="round", exact=True).click()
        page.get_by_label("round, kind").select_option("corners")
        settle(page)
        expect(page.locator("[data-parameter=round] .wrong")).to_be_empty()
        id = page.evaluate("new URLSearchParams(made.at(-1)[0].split('?')[1]).get('picture')")
        request = urllib.request.Request(f"{browser.admin}/playground/pictures/{id}", method="DELETE")
        assert urllib.request.urlopen(request, timeout=20).status == 204
        page.locator("[data-parameter=bg] input[type=color]").fill("#00ff00")
        settle(page)
        expect(page.get_by_role("alert")).to_contain_text("expired")
        expect(page.get_by_role("button", name="Choose a picture")).to_be_visible()
        expect(page.locator(".drop")).not_to_contain_text("a.svg")


def session(browser):
    """After the end of a session, the page asks for the token."""
    # The console reports the responses with status 401.
    with browser.page(path="/playground", width=1400, height=1000, expects_errors=True) as page:
        page.get_by_label("Admin token").fill(browser.token)
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name="Playground")).to_be_visible()
        page.goto(browser.admin + "/playground")
        settle(page)
        page.context.clear_cookies()
        page.get_by_label("Path on this server").fill("/photos/a.png")
        expect(page.get_by_label("Admin token")).to_be_visible()


def measures(browser):
    """The score of two given images is that of the server (PerceptualScoreTests)."""
    with browser.page(path="/playground") as page:
        settle(page)
        found = page.evaluate(
            """async () => {
              const { score } = await import("/assets/score.js");
              const make = f => {
                const image = new ImageData(160, 130);
                for (let y = 0; y < 130; y++) for (let x = 0; x < 160; x++) image.data.set([...f(x, y), 255], 4 * (y * 160 + x));
                return image;
              };
              const left = make((x, y) => [(x * 5 + y * 3) % 256, (x * 2 + y * 7) % 256, x * y % 256]);
              const right = make((x, y) => [(x * 5 + y * 3) % 256 ^ ((x + y) % 3 ? 0 : 8), (x * 2 + y * 7) % 256 ^ (x * y % 5 ? 0 : 4),
                x * y % 256 ^ (y % 2 ? 0 : 16)]);
              return [score(left, left), score(left, right)];
            }"""
        )
        assert found[0] == 100 and abs(found[1] - 83.6419) < 0.01, found


def static(browser):
    """Without scripts, the page has a form and the tables of parameters."""
    with browser.page(path="/playground", scripts=False) as page:
        expect(page.get_by_role("cell", name="blur=8")).to_be_visible()
        page.get_by_label("Path and query").fill("/photos/a.png?w=20&format=png")
        page.get_by_role("button", name="Show").click()
        assert page.url.endswith("/playground/image?path=%2Fphotos%2Fa.png%3Fw%3D20%26format%3Dpng"), page.url


def looks(browser):
    """Both themes, a desk's and a phone's width: nothing overflows, and axe-core finds nothing."""
    for theme in ("light", "dark"):
        for width in (1400, 390):
            with browser.page(path="/playground", theme=theme, width=width) as page:
                begin(browser, page)
                for name in ("resize", "round", "watermark"):
                    page.locator(".palette").get_by_role("button", name=name, exact=True).click()
                page.locator("[data-parameter=w] input[type=number]").fill("300")
                settle(page)
                over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert over <= 0, f"{theme} {width}: {over} pixels wider than the window"
                browser.check_accessibility(page)
                browser.shot(page, f"playground-{theme}-{width}")


def overlay(browser):
    """The overlay marks pictures that are larger than shown or not negotiated, on a page of another server with a strict policy."""
    with tempfile.TemporaryDirectory() as folder:
        markup = f"""<!doctype html><html lang="en"><title>shop</title><link rel="stylesheet" href="box.css"><body><h1>Shop</h1>
            <p><img id="large" src="{browser.public}/photos/a.png?w=600&amp;format=webp" width="100" alt="">
            <img id="right" src="{browser.public}/photos/a.png?w=120&amp;format=webp" width="120" alt="">
            <img id="old" src="{browser.public}/photos/a.png?w=200&amp;format=jpeg" width="200" alt="">
            <div id="box"><edge-picture src="{browser.public}/photos/a.png" width="100" height="75"></edge-picture></div>
            <script type="module" src="edgeprint.js"></script>
            <script src="{browser.admin}/overlay.js" defer></script></body></html>"""
        (Path(folder) / "index.html").write_text(markup)
        (Path(folder) / "box.css").write_text("#box { width: 100px }")
        shutil.copy(Path(__file__).parents[2] / "clients/js/edgeprint.js", folder)

        class Handler(http.server.SimpleHTTPRequestHandler):
            def end_headers(self):
                policy = f"default-src 'none'; script-src 'self' {browser.admin}; style-src 'self'; img-src {browser.public}; connect-src {browser.public}"
                self.send_header("Content-Security-Policy", policy)
                super().end_headers()

        context = browser.chromium.new_context(viewport={"width": 900, "height": 500})
        page = context.new_page()
        troubles = []
        page.on("console", lambda message: message.type == "error" and troubles.append(message.text))
        try:
            with serving(folder, Handler) as server:
                page.goto(f"{server}/index.html")
                expect(page.get_by_role("button")).to_contain_text("3 of 4 pictures could be smaller", timeout=20_000)
                found = page.evaluate("window.edgeprintOverlay.found")
                assert "times the pixels" in found[0]["words"][0] and "w=600" in found[0]["url"], found
                assert found[1]["words"][0] == "JPEG, not negotiated", found
                # The element requests its smallest width.
                assert found[2]["words"][0].startswith("160 × 120 shown as 100 × 75"), found
                browser.shot(page, "overlay")
                page.get_by_role("button").press("Enter")
                expect(page.locator(".mark").first).to_be_hidden()
                assert not [trouble for trouble in troubles if "favicon" not in trouble and "404" not in trouble], troubles
        finally:
            context.close()


def wrong(browser):
    """A person who opens a wrong URL sees what is wrong, and gets the picture by the link."""
    for theme in ("light", "dark"):
        context = browser.chromium.new_context(viewport={"width": 900, "height": 600}, color_scheme=theme)
        page = context.new_page()
        troubles = []
        page.on("console", lambda message: message.type == "error" and troubles.append(message.text))
        try:
            page.goto(f"{browser.public}/photos/a.png?widht=300&blur=999")
            expect(page.locator("mark")).to_have_text("widht=300")
            assert page.evaluate("getComputedStyle(document.querySelector('mark')).textDecorationStyle") == "wavy"
            browser.shot(page, f"error-{theme}")
            assert all("400" in trouble for trouble in troubles), troubles
            with page.expect_navigation() as navigation:
                page.get_by_role("link").click()
            assert navigation.value.status == 200 and "w=300&blur=250" in page.url, page.url
        finally:
            context.close()
