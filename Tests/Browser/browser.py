#!/usr/bin/env python3
"""Runs scenarios in Debian's Chromium against running daemons; BrowserTests starts it.

Usage: browser.py [--token TOKEN] [--shots FOLDER] MODULE.FUNCTION@ADMIN[,PUBLIC] ...

ADMIN and PUBLIC are base URLs such as http://127.0.0.1:8081. A scenario is a function of a module in this folder; it gets a
Browser and fails by an exception. All of them run, in one browser, whose pages share nothing. With --shots, screenshots are
written to the folder; otherwise none are taken.

Every page fails its scenario if the console has an error or a warning, a script fails, the content security policy refuses
something, or a request to another server is made.
"""

import argparse
import importlib
import importlib.util
import os
import sys
import tempfile
import threading
import traceback
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PATIENCE = 20_000  # milliseconds; the machine may be busy

WATCH = """
window.refused = [];
addEventListener('securitypolicyviolation', event => window.refused.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


class Browser:
    def __init__(self, chromium, admin, public, options):
        self.chromium = chromium
        self.admin = admin
        self.public = public
        self.token = options.token
        self.shots = options.shots

    @contextmanager
    def page(self, theme="light", width=1280, height=900, scripts=True, path="/", expects_errors=False):
        """A page in a new profile, which is checked when the block ends."""
        context = self.chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, java_script_enabled=scripts
        )
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        troubles = []
        if scripts:
            page.add_init_script(WATCH)
        page.on("console", lambda message: message.type in ("error", "warning") and troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on(
            "request",
            lambda request: request.url.startswith("http")
            and urlsplit(request.url).netloc != urlsplit(self.admin).netloc
            and troubles.append(f"request to {request.url}"),
        )
        try:
            page.goto(self.admin + path)
            yield page
            if scripts:
                troubles += page.evaluate("window.refused")
            if not expects_errors:
                assert not troubles, troubles
        finally:
            context.close()

    def shot(self, page, name):
        """Writes a screenshot of the whole page."""
        if self.shots:
            page.screenshot(path=f"{self.shots}/{name}.png", full_page=True)

    def get(self, target):
        """Requests a target of the public listener; returns the status."""
        try:
            with urllib.request.urlopen(self.public + target, timeout=20) as response:
                response.read()
                return response.status
        except urllib.error.HTTPError as error:
            return error.code

    def wait_for_metric(self, name, value):
        """Waits until a metric without labels has a value."""
        while True:
            with urllib.request.urlopen(self.admin + "/metrics", timeout=20) as response:
                if f"{name} {value}" in response.read().decode().splitlines():
                    return

    @contextmanager
    def load(self, targets):
        """Requests targets in turn, all the time, until the block ends."""
        over = threading.Event()

        def run():
            while not over.is_set():
                for target in targets:
                    if not over.is_set():
                        self.get(target)

        threads = [threading.Thread(target=run, daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def check_accessibility(self, page):
        """Runs axe-core, if it is installed, and fails for what it finds."""
        spec = importlib.util.find_spec("axe_playwright_python")
        files = sorted(Path(spec.origin).parent.glob("**/axe.min.js")) if spec else []
        if not files:
            print("axe-core is not installed; accessibility is not checked")
            return
        page.evaluate(files[0].read_text())
        found = page.evaluate("axe.run().then(result => result.violations)")
        troubles = [f"{each['id']}: {[node['html'][:120] for node in each['nodes']]}" for each in found]
        assert not troubles, "\n".join(troubles)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenarios", nargs="+", metavar="MODULE.FUNCTION@ADMIN[,PUBLIC]")
    parser.add_argument("--token", default="")
    parser.add_argument("--shots", default="")
    options = parser.parse_args()
    failed = False
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(Path(__file__).parent))
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        os.environ["HOME"] = home
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            # Chromium's own sandbox does not run as root; the pages are this project's.
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        try:
            for scenario in options.scenarios:
                name, _, addresses = scenario.partition("@")
                admin, _, public = addresses.partition(",")
                module, function = name.split(".")
                run = getattr(importlib.import_module(module), function)
                try:
                    run(Browser(chromium, admin, public, options))
                except Exception:
                    failed = True
                    print(f"{name}: {traceback.format_exc()}", file=sys.stderr)
        finally:
            chromium.close()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
