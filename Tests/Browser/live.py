"""Scenarios of the Live page. The daemon has the source photos with a.png and b.png, and nothing else there."""

from playwright.sync_api import expect

PIXELS = """canvas => canvas.width > 0
  && canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(value => value > 0)"""


def live(page):
    expect(page.locator("#connection")).to_have_text("live", timeout=20_000)


def moves(browser):
    """The page shows what happens while requests are made."""
    with browser.page() as page:
        live(page)
        targets = [f"/photos/{name}.png?w={width}" for name in "ab" for width in range(16, 60)] + ["/photos/none.png?w=8"]
        with browser.load(targets):
            expect(page.locator("#recent")).to_contain_text("/photos/a.png?w=", timeout=20_000)
            expect(page.locator("#answers")).to_contain_text("memory", timeout=20_000)
            expect(page.locator("#failed")).to_contain_text("404", timeout=20_000)
            expect(page.locator("#pictures")).to_contain_text("/photos/b.png", timeout=20_000)
            page.wait_for_function("Number.parseFloat(document.querySelector('#status dd').textContent) > 0")
            first = page.locator("#answers").inner_text()
            page.wait_for_function("text => document.querySelector('#answers').innerText !== text", arg=first)
            for name in ("ribbon", "rate", "timeline"):
                page.wait_for_function(f"({PIXELS})(document.querySelector('#{name}'))")
        page.get_by_text("Slowest of ten minutes").click()
        expect(page.locator("#slowest svg.bar").first).to_be_visible()
        assert "decode" in page.locator("#slowest svg.bar").first.get_attribute("aria-label")
        expect(page.locator("#lanes")).to_contain_text("/photos/")


def forms(browser):
    """Purge, warm, sources and failures, by mouse."""
    browser.get("/photos/a.png?w=20")
    browser.get("/photos/none.png?w=20")
    # What is only counted must be on disk.
    browser.wait_for_metric("edgeprint_disk_stores_total", 2)
    with browser.page() as page:
        live(page)
        page.select_option("#what", "source")
        page.fill("#value", "photos")
        page.get_by_role("button", name="Count").click()
        expect(page.locator("#notice")).to_contain_text("Would purge 1 original")
        page.get_by_role("button", name="Purge", exact=True).click()
        expect(page.locator("#notice")).to_contain_text("Purged 1 original")
        page.select_option("#what", "all")
        page.fill("#value", "")
        page.get_by_role("button", name="Purge", exact=True).click()
        expect(page.locator("#notice .bad")).to_contain_text("enter the word everything")
        page.fill("#urls", "/photos/a.png?w=30\n/photos/b.png?w=30")
        page.get_by_role("button", name="Warm", exact=True).click()
        expect(page.locator("#notice")).to_contain_text("2 of 2, 0 failed, done", timeout=20_000)
        expect(page.locator("#warm")).to_contain_text("2 of 2")
        page.get_by_role("button", name="Clear all", exact=True).click()
        expect(page.locator("#notice")).to_contain_text("Forgot")
        page.fill("#explain-path", "/photos/a.png?w=64&sig=secret")
        page.get_by_role("button", name="Explain").click()
        expect(page.locator("#explained")).to_contain_text("photos")
        explained = page.locator("#explained").inner_text()
        assert "secret" not in explained and "127.0.0.1" not in explained, explained


def hidden(browser):
    """A hidden page has no stream, so that six windows do not take all connections that a browser opens to a host."""
    with browser.page() as page:
        live(page)
        browser.wait_for_metric("edgeprint_event_subscribers", 1)
        page.evaluate(
            """() => {
              Object.defineProperty(document, 'hidden', { get: () => window.isAway, configurable: true });
              window.isAway = true;
              document.dispatchEvent(new Event('visibilitychange'));
            }"""
        )
        browser.wait_for_metric("edgeprint_event_subscribers", 0)
        page.evaluate("document.querySelector('#connection').textContent = ''")
        page.evaluate("() => { window.isAway = false; document.dispatchEvent(new Event('visibilitychange')); }")
        live(page)
        browser.wait_for_metric("edgeprint_event_subscribers", 1)


def crowded(browser):
    """While all streams are in use, the page says so. The daemon has one."""
    # The console reports the response.
    with browser.page() as first:
        live(first)
        with browser.page(expects_errors=True) as second:
            expect(second.locator("#connection")).to_contain_text("events.subscribers", timeout=20_000)
            first.goto("about:blank")
            live(second)


def keyboard(browser):
    """Everything can be reached and used without a mouse, and the focus is visible."""
    with browser.page() as page:
        live(page)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "pause"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.press("Space")
        expect(page.locator("#pause")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("Space")
        page.locator("[data-key='photos']").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text("photos is suspended")
        expect(page.locator("#sources")).to_contain_text("suspended")
        # The row was replaced, and its button has the focus still.
        assert page.evaluate("document.activeElement.textContent") == "Resume"
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text("photos is on again")
        page.focus("#what")
        page.keyboard.press("s")
        page.keyboard.press("Tab")
        page.keyboard.type("photos")
        # The first button only counts.
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text("Would purge")


def static(browser):
    """Without scripts, the page has its tables, and its forms answer after a redirection."""
    browser.get("/photos/a.png?w=24")
    browser.wait_for_metric("edgeprint_disk_stores_total", 2)
    with browser.page(scripts=False) as page:
        assert not page.locator("#ribbon").is_visible()
        expect(page.locator("#recent")).to_contain_text("/photos/a.png?w=24")
        expect(page.locator("#sources")).to_contain_text("photos")
        page.select_option("#what", "source")
        page.fill("#value", "photos")
        page.get_by_role("button", name="Purge", exact=True).click()
        expect(page.locator("#notice")).to_contain_text("Purged 1 original")
        page.fill("#urls", "/photos/a.png?w=32")
        page.get_by_role("button", name="Warm", exact=True).click()
        expect(page.locator("#notice")).to_contain_text("Warm job")
        page.get_by_role("button", name="Suspend photos").click()
        expect(page.locator("#notice")).to_contain_text("photos is suspended")
        page.get_by_role("button", name="Resume photos").click()
        expect(page.locator("#notice")).to_contain_text("photos is on again")
        page.fill("#explain-path", "/photos/a.png?w=64")
        page.get_by_role("button", name="Explain").click()
        expect(page.locator("#explained")).to_contain_text("photos")
        browser.shot(page, "static")


def looks(browser):
    """Both themes, a desk's and a phone's width: nothing overflows, and axe-core finds nothing."""
    targets = [f"/photos/{name}.png?w={width}" for name in "ab" for width in range(16, 60)]
    for theme in ("light", "dark"):
        for width in (1280, 360):
            with browser.page(theme=theme, width=width) as page:
                live(page)
                with browser.load(targets + ["/photos/none.png?w=8"]):
                    expect(page.locator("#recent")).to_contain_text("/photos/", timeout=20_000)
                    expect(page.locator("#failed")).to_contain_text("404", timeout=20_000)
                    if browser.shots:
                        page.wait_for_timeout(12_000)  # until the drawings are full
                over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert over <= 0, f"{theme} {width}: {over} pixels wider than the window"
                browser.check_accessibility(page)
                browser.shot(page, f"live-{theme}-{width}")


def sign_in(browser):
    """With a token, a browser signs in by a form, and out again."""
    # The response to a request without a token has status 401, which the console reports.
    with browser.page(expects_errors=True) as page:
        expect(page.get_by_label("Admin token")).to_be_focused()
        browser.check_accessibility(page)
        browser.shot(page, "sign-in")
        page.keyboard.type("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("The token is wrong.")
        page.get_by_label("Admin token").fill(browser.token)
        page.keyboard.press("Enter")
        live(page)
        assert page.evaluate("document.cookie") == ""
        page.get_by_role("button", name="Count").click()
        expect(page.locator("#notice")).to_contain_text("Enter what to purge")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Admin token")).to_be_visible()
        page.goto(browser.admin + "/")
        expect(page.get_by_label("Admin token")).to_be_visible()
        assert page.evaluate("window.refused") == []
