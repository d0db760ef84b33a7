"""A reader of report pages."""

from html.parser import HTMLParser

import pytest

# without an end tag
VOID = {"meta", "br", "img", "input", "link", "hr"}


class Page(HTMLParser):
    """The elements of a page with their texts; all tags have to be closed in their order."""

    def __init__(self, text):
        super().__init__()
        self.size = len(text.encode())
        self.addresses, self.tables, self.texts, self._open = [], [], {}, []
        self.feed(text)
        assert not self._open

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.addresses += [values[key] for key in ("src", "href") if values.get(key)]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] in ("script", "style"):
            return
        for tag in self._open:
            self.texts[tag] = self.texts.get(tag, "") + data
        if self._open and self._open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data


@pytest.fixture
def read_page():
    """Returns a function that reads a page, and checks that it fetches nothing and is small."""

    def read(text):
        page = Page(text)
        assert page.addresses == []
        assert page.size < 500_000
        return page

    return read
