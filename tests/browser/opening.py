"""A page is opened, and what it says, asks for, and how wide it is."""

from __future__ import annotations

from typing import Literal

from playwright.sync_api import Browser, Page

Scheme = Literal["light", "dark"]
UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true })"


def complaints(page: Page, address: str) -> list[str]:
    """What its console says, and what it asks for that is not in itself; nothing is good."""
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    return said + [url for url in asked if not url.startswith(("file:", "data:"))]


def width_px(browser: Browser, address: str, window_px: int, scheme: Scheme = "light") -> int:
    """How wide it is, all that can be unfolded unfolded, in a window of so much."""
    page = browser.new_page(viewport={"width": window_px, "height": 800}, color_scheme=scheme)
    page.goto(address)
    page.evaluate(UNFOLD)
    found = int(page.evaluate("document.documentElement.scrollWidth"))
    page.close()
    return found
