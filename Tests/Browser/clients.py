"""Scenarios of `<edge-picture>` (clients/js) in pages of the public listener, whose images are the daemon's."""

import base64
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

MODULE = Path(__file__).parents[2] / "clients/js/edgeprint.js"
KEY = "ab" * 32  # signing.keys of the daemon
PICTURE, WIDTH = "/photos/a.png", 1440  # 960 pixels high

PAGE = """<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Pictures</title>
<style>
  body { margin: 0; padding: 0 5vw; }
  edge-picture { display: block; aspect-ratio: 3 / 2; }
</style>
<h1>Before</h1>
%s
<p id="after">After</p>
<script>
  window.shift = 0;
  new PerformanceObserver(list => { for (const entry of list.getEntries()) window.shift += entry.value; })
    .observe({ type: "layout-shift", buffered: true });
</script>
<script type="module" src="/edgeprint.js"></script>
"""

IMAGE = "document.querySelector('edge-picture').shadowRoot.querySelector('img')"
IMAGE_OF = "picture.shadowRoot.querySelector('img')"
LOADED = f"() => {IMAGE}.complete && {IMAGE}.naturalWidth > 0"


@contextmanager
def page(browser, markup, width=1280, density=1, height=900, hold=False, expects_failures=False):
    """A page with pictures: the page, the requests for images, and a function that lets held ones go on."""
    context = browser.chromium.new_context(viewport={"width": width, "height": height}, device_scale_factor=density)
    context.set_default_timeout(20_000)
    opened = context.new_page()
    asked, held, troubles = [], [], []

    def serve(route):
        path = urlsplit(route.request.url).path
        if path == "/page":
            route.fulfill(content_type="text/html", body=PAGE % markup)
        elif path == "/edgeprint.js":
            route.fulfill(content_type="text/javascript", body=MODULE.read_text())
        elif path == "/favicon.ico":
            route.fulfill(status=204)
        else:
            asked.append(route.request.url)
            held.append(route) if hold else route.continue_()

    def release():
        while held:
            held.pop(0).continue_()

    opened.route("**", serve)
    opened.on("console", lambda message: message.type in ("error", "warning") and troubles.append(message.text))
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    try:
        opened.goto(browser.public + "/page")
        yield opened, asked, release
        if expects_failures:
            troubles = [each for each in troubles if not each.startswith("Failed to load resource")]
        assert not troubles, troubles
    finally:
        context.close()


def settle(opened):
    """Waits until the layout has been observed."""
    opened.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")


def parameters(url):
    return dict(parse_qsl(urlsplit(url).query))


def scoped(browser, scope):
    """The URL of the picture with a scoped signature, signed by the module itself in the page."""
    with page(browser, "") as (opened, _, _):
        sign = "([key, target]) => import('/edgeprint.js').then(module => module.signed(key, module.target(...target)))"
        return opened.evaluate(sign, [KEY, [PICTURE, {}, {"scope": scope}]])


def thumbhash(browser, url):
    with urllib.request.urlopen(f"{browser.public}{url}&format=thumbhash", timeout=20) as response:
        return response.read().decode()


def right_variant(browser):
    """At three widths and two densities the right variant is requested, once, and nothing moves."""
    url = scoped(browser, "w:160-2560,dpr:1-3,format:*")
    markup = f'<edge-picture src="{url}" width="3" height="2" alt="A"></edge-picture>'.replace("&", "&amp;")
    # The page has margins of 5 % of its width.
    for width, step in ((360, 480), (800, 960), (1280, 1280)):
        for density in (1, 2):
            with page(browser, markup, width, density) as (opened, asked, _):
                opened.wait_for_function(LOADED)
                settle(opened)
                assert len(asked) == 1, asked
                found = parameters(asked[0])
                assert found["w"] == str(step) and found.get("dpr", "1") == str(density), (width, density, asked)
                assert opened.evaluate(f"{IMAGE}.naturalWidth") == min(step * density, WIDTH)
                assert opened.evaluate("window.shift") == 0, (width, density)


def blur_up(browser):
    """The ThumbHash is seen until the image has loaded."""
    url = scoped(browser, "w:160-2560,dpr:1-3,format:*")
    hash = thumbhash(browser, url)
    markup = f'<edge-picture src="{url}" thumbhash="{hash}" width="3" height="2" alt=""></edge-picture>'.replace("&", "&amp;")
    with page(browser, markup, hold=True) as (opened, asked, release):
        opened.wait_for_function("document.querySelector('edge-picture').matches(':defined')")
        opened.wait_for_function(f"{IMAGE}.src")
        box = opened.locator("edge-picture").bounding_box()
        before = pixels(opened, box)
        background = opened.evaluate(f"getComputedStyle({IMAGE}).backgroundImage")
        assert background.startswith('url("data:image/png;base64,'), background
        release()
        opened.wait_for_function(LOADED)
        settle(opened)
        after = pixels(opened, box)
        assert opened.evaluate(f"getComputedStyle({IMAGE}).backgroundImage") == "none"
        # Blurred, but of the same colours (blue is noise in this picture); nothing is white as the page.
        for one, other in zip(before, after):
            assert max(abs(a - b) for a, b in zip(one[:2], other[:2])) < 40, (before, after)
            assert min(one) < 240
        assert before != after and len(set(before)) == len(before)
        assert opened.evaluate("window.shift") == 0


def pixels(opened, box):
    """The colours of five places of the picture, as it is shown."""
    shot = opened.screenshot(clip=box, type="png")
    script = """async data => {
      const image = await createImageBitmap(await (await fetch("data:image/png;base64," + data)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      return [[0.1, 0.1], [0.9, 0.1], [0.5, 0.5], [0.1, 0.9], [0.9, 0.9]].map(([x, y]) =>
        [...context.getImageData(x * image.width, y * image.height, 1, 1).data.slice(0, 3)]);
    }"""
    return [tuple(each) for each in opened.evaluate(script, base64.b64encode(shot).decode())]


def layout(browser):
    """A picture grows with the layout, never asks for less again, waits while it is hidden, and follows its attributes."""
    url = scoped(browser, "w:160-2560,dpr:1-3,format:*,blur:1-9").replace("&", "&amp;")
    markup = f"""<div id="box" style="width: 300px">
      <edge-picture style="display: none" src="{url}" width="3" height="2"></edge-picture></div>"""
    with page(browser, markup) as (opened, asked, _):
        opened.evaluate("window.picture = document.querySelector('edge-picture')")
        steps = [
            ("", None), ("picture.style.display = ''", "320"), ("box.style.width = '600px'", "640"),
            ("box.style.width = '200px'", "640"), ("box.style.width = '640px'", "640"), ("picture.remove()", "640"),
            ("box.append(picture)", "640"), ("picture.setAttribute('src', picture.getAttribute('src') + '&blur=2')", "640"),
        ]
        for change, expected in steps:
            opened.evaluate(change)
            settle(opened)
            opened.wait_for_function(f"(new URLSearchParams({IMAGE_OF}.src.split('?')[1]).get('w') ?? '') === '{expected or ''}'")
            src = opened.evaluate("picture.shadowRoot.querySelector('img').src")
            assert parameters(src).get("w") == expected, (change, src)
        opened.wait_for_function(LOADED)
        assert [(parameters(each)["w"], parameters(each).get("blur")) for each in asked] == [
            ("320", None), ("640", None), ("640", "2"),
        ], asked


def content_width(browser):
    """Where its content determines the width, a picture has that of its attribute, and is no wider than its container."""
    url = scoped(browser, "w:160-2560,dpr:1-3").replace("&", "&amp;")
    places = [
        ("display: flex", ""), ("display: flex; flex-direction: column; align-items: center", ""),
        ("display: grid; justify-items: center", ""), ("display: grid; grid-template-columns: auto 1fr", ""),
        ("height: 300px", "display: inline-block"), ("height: 300px", "float: left"), ("height: 300px", "position: absolute"),
    ]
    markup = "".join(
        f"""<div style="position: relative; {place}"><edge-picture style="{own}" src="{url}" width="300" height="200" alt="">
        </edge-picture></div>""" for place, own in places
    )
    for container, expected in ((1000, [300, 200]), (150, [150, 100])):
        with page(browser, f'<div style="width: {container}px">{markup}</div>', height=3000) as (opened, asked, _):
            every = "[...document.querySelectorAll('edge-picture')]"
            opened.wait_for_function(f"{every}.every(each => each.shadowRoot?.querySelector('img').naturalWidth > 0)")
            settle(opened)
            boxes = opened.evaluate(f"{every}.map(each => [each.offsetWidth, each.offsetHeight])")
            assert boxes == [expected] * len(places), list(zip(places, boxes))
            assert {parameters(each)["w"] for each in asked} == {"320" if container == 1000 else "160"}, asked


def no_width(browser):
    """A picture whose layout gives it no width says so in the console, once; one that is not displayed does not."""
    with page(browser, "") as (opened, asked, _):
        opened.evaluate("window.warnings = []; console.warn = text => { warnings.push(text); }; null")
        opened.evaluate("""document.body.insertAdjacentHTML("beforeend", `<div id="box" style="display: flex">
          <edge-picture src="/photos/a.png"></edge-picture><edge-picture style="display: none" src="/photos/a.png"></edge-picture>
          </div>`)""")
        opened.wait_for_function("warnings.length > 0")
        for _ in range(2):
            opened.evaluate("box.append(box.firstElementChild)")
            settle(opened)
        warnings = opened.evaluate("warnings")
        assert len(warnings) == 1 and "edge-picture" in warnings[0] and not asked, (warnings, asked)


def growth(browser):
    """A picture that grows requests the final width only, and a larger one that fails leaves the shown one."""
    url = scoped(browser, "w:160-640,dpr:1-3").replace("&", "&amp;")
    markup = f"""<div id="box" style="width: 100px"><edge-picture src="{url}" width="3" height="2" alt=""></edge-picture></div>"""
    with page(browser, markup, expects_failures=True) as (opened, asked, _):
        opened.wait_for_function(LOADED)
        opened.evaluate("""() => {
          window.events = []; window.timers = new Map(); let last = 0;
          for (const type of ["load", "error"]) document.querySelector("edge-picture").addEventListener(type, () => events.push(type));
          window.setTimeout = run => (timers.set(++last, run), last);
          window.clearTimeout = timer => timers.delete(timer);
          window.elapse = () => { for (const run of timers.values()) run(); timers.clear(); };
        }""")
        for width in range(200, 650, 50):
            opened.evaluate(f"box.style.width = '{width}px'")
            settle(opened)
            assert opened.evaluate("timers.size") == 1 and len(asked) == 1, (width, asked)
        opened.evaluate("elapse()")
        opened.wait_for_function(f"{IMAGE}.naturalWidth === 640")
        assert [parameters(each)["w"] for each in asked] == ["160", "640"], asked
        opened.evaluate("box.style.width = '1200px'")
        settle(opened)
        with opened.expect_response(lambda response: response.status == 403):
            opened.evaluate("elapse()")
        settle(opened)
        state = opened.evaluate(f"[{IMAGE}.complete, {IMAGE}.naturalWidth, {IMAGE}.part.value, events]")
        assert state == [True, 640, "img", ["load"]], state


def recycling(browser):
    """Another src, or none, removes the picture, and the placeholder is shown again."""
    url = scoped(browser, "w:160-2560,dpr:1-3,blur:1-9,format:*")
    markup = f"""<edge-picture src="{url}" thumbhash="{thumbhash(browser, url)}" blurhash="LEHV6nWB2yk8pyo0adR*.7kCMdnj" width="3" height="2">
      </edge-picture>""".replace("&", "&amp;")
    background = f"getComputedStyle({IMAGE}).backgroundImage"
    with page(browser, markup, hold=True) as (opened, asked, release):
        opened.evaluate("window.picture = document.querySelector('edge-picture'); window.hash = picture.getAttribute('thumbhash')")

        def load():
            opened.wait_for_function(f"{IMAGE}.src")
            settle(opened)
            first = opened.evaluate(background)
            release()
            opened.wait_for_function(LOADED)
            opened.wait_for_function(f"{background} === 'none'")
            return first

        first = load()
        opened.evaluate("""picture.setAttribute("thumbhash", hash + ""); picture.setAttribute("src", picture.getAttribute("src") + "&blur=2")""")
        opened.wait_for_function(f"{IMAGE}.naturalWidth === 0")
        assert opened.evaluate(background) == first != "none"
        opened.evaluate("picture.removeAttribute('thumbhash')")
        second = load()
        assert second not in ("none", first), second
        opened.evaluate("picture.removeAttribute('src')")
        opened.wait_for_function(f"{IMAGE}.naturalWidth === 0 && !{IMAGE}.hasAttribute('src')")
        assert opened.evaluate(background) == second
        assert [parameters(each).get("blur") for each in asked] == [None, "2"], asked


def attributes(browser):
    """Attributes reach the image before its URL does; a lazy one far below is not requested."""
    url = scoped(browser, "w:160-2560,dpr:1-3").replace("&", "&amp;")
    markup = f"""<edge-picture fetchpriority="high" alt="First" src="{url}" width="3" height="2" max-dpr="1"></edge-picture>
      <div style="height: 9000px"></div>
      <edge-picture loading="lazy" alt="Last" src="{url}&amp;w=400" width="3" height="2"></edge-picture>"""
    with page(browser, markup, density=3) as (opened, asked, _):
        opened.wait_for_function(LOADED)
        settle(opened)
        assert [parameters(each).get("dpr") for each in asked] == [None], asked
        first = opened.evaluate(f"(image => [image.alt, image.fetchPriority, image.getAttributeNames().at(-1)])({IMAGE})")
        assert first == ["First", "high", "src"], first
        opened.evaluate("document.querySelectorAll('edge-picture')[1].scrollIntoView()")
        opened.wait_for_function(LOADED.replace("querySelector('edge-picture')", "querySelectorAll('edge-picture')[1]"))
        assert len(asked) == 2 and parameters(asked[1]) | {"dpr": "3", "w": "1280"} == parameters(asked[1]), asked


def signatures(browser):
    """Signatures that the module makes in a browser are accepted, and a URL that is signed as a whole is left as it is."""
    with page(browser, "") as (opened, _, _):
        make = """key => import('/edgeprint.js').then(async module => {
          const images = new module.SigningEdgeprint({ key });
          const url = await images.url("photos/a.png", { w: 200, format: "webp" });
          const made = document.createElement("edge-picture");
          made.src = url; made.setAttribute("src", url); document.body.append(made);
          return url;
        })"""
        url = opened.evaluate(make, KEY)
        opened.wait_for_function(LOADED)
        assert opened.evaluate(f"{IMAGE}.getAttribute('src')") == url
        assert opened.evaluate(f"{IMAGE}.naturalWidth") == 200
        answer = """async url => { const answer = await fetch(url); const module = await import('/edgeprint.js');
          return [answer.status, module.cacheStatus(answer.headers.get("cache-status"))]; }"""
        status, members = opened.evaluate(answer, url)
        assert status == 200 and members[0]["cache"] == "edgeprint" and members[0]["hit"], members
