"""A reader of HTML pages that fails on tags that do not match."""

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "input"}


class Page(HTMLParser):
    """Collects the rows of each table, fails on tags that do not match, keeps links and ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.ids, self.links, self.captions = [], [], [], []
        self.tables: list[list[list[str]]] = []
        self.bodies = 0
        self.scopes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given_attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [given_attrs["id"]] if given_attrs.get("id") else []
        self.links += [v for k, v in attrs if k in ("href", "src") and v]
        if tag == "table":
            self.tables.append([])
        elif tag == "tbody":
            self.bodies += 1
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.scopes.append((tag, given_attrs.get("scope")))
        elif tag == "caption":
            self.captions.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += data
        elif "caption" in self.open:
            self.captions[-1] += data
