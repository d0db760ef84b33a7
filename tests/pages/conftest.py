"""A browser (Debian's chromium, driven by selenium: `make test-pages`) and pages to open in it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_results import make_results

SELECT = """
const all = (selector) => [...document.querySelectorAll(selector)];
const one = (selector) => document.querySelector(selector);
"""


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `results` of a made-up run."""
    return make_results(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="session")
def results(made: Path) -> Path:
    """The folder that is looked at: of a real run where PAGES names one (`make test-pages`)."""
    return Path(os.environ["PAGES"]).resolve() if os.environ.get("PAGES") else made


class Browser:
    """A chromium without a window, at file:// and without a network."""

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        # the address of the proxy is nobody's: what uses the network fails, and is on the console
        words = "--headless=new --no-sandbox --disable-gpu --proxy-server=127.0.0.1:9"
        for word in words.split():
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = Service(os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_script_timeout(300)  # of axe, on a machine that has other things to do

    def open(self, page: Path, width: int = 1300, height: int = 900, scheme: str = "light") -> None:
        """Open a page as one of a size, light or dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.driver.get(page.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        """Return what a script returns, which has `all(selector)` and `one(selector)`."""
        return self.driver.execute_script(SELECT + script, *arguments)

    def console(self) -> list[str]:
        """Return the messages that the console logged since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = Browser()
    yield found
    found.driver.quit()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, from the package that brings it."""
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
