"""A reader of HTML: it fails on tags that do not match, repeated ids and heads without scope."""

from collections import Counter
from html.parser import HTMLParser

VOID = {"meta", "br", "img", "input", "link", "hr"}


class Page(HTMLParser):
    """The rows of each table; links and ids; of each tag how many there are and their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: Counter[str] = Counter()
        self.texts: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [] and len(set(self.ids)) == len(self.ids)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value}
        self.links += [values[name] for name in ("href", "src") if name in values]
        self.ids += [values["id"]] if "id" in values else []
        self.tags[tag] += 1
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            assert tag == "td" or values["scope"] in ("row", "col")
            self.tables[-1][-1].append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"script", "style"} & {*self._open}:
            return
        for tag in {*self._open}:
            self.texts[tag] = self.texts.get(tag, "") + data
        if {"td", "th"} & {*self._open}:
            self.tables[-1][-1][-1] += data
