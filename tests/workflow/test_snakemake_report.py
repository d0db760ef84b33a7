"""`snakemake --report`: tables and figures by category, with captions."""

import json
import re
import zipfile
from html.parser import HTMLParser

import pytest

pytestmark = pytest.mark.slow

RULES = ("tables.smk", "figures.smk", "tuning.smk")


# what runs as the report is opened, wherever it is read as HTML, JavaScript or reStructuredText
HOSTILE = "</script><img src=x onerror=alert(1)><!-- <script> {x} `a\n\n.. raw:: html\n\n   <img>\n"


class Tags(HTMLParser):
    """The tags of a page, and what they hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.events: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.events += [name for name, _ in attributes if name.startswith("on")]


def test_the_report_holds_tables_and_figures_by_paper_and_task(workspace):
    with workspace.edited_config() as config:
        # as a person may write: braces that are not wildcards, marks of reStructuredText
        config["figures"]["sizes"]["caption"] = "A *caption* of ``sizes``: .. raw:: html {x}_"
        for block in (config["figures"]["plane"], config["tables"]["models"]):
            block["title"] += HOSTILE
        config["figures"]["plane"]["caption"] = HOSTILE
        config["papers"]["mirror-bert"]["title"] += HOSTILE
    workspace.succeeds("all_tables")
    config = workspace.read_config()
    workspace.succeeds("--report", "report.zip")
    with zipfile.ZipFile(workspace.folder / "report.zip") as archive:
        names = archive.namelist()
        page = "".join(
            archive.read(name).decode()
            for name in archive.namelist()
            if name.endswith(("html", "js"))
        )
        (report,) = (archive.read(name).decode() for name in names if name.endswith("report.html"))
    tables = {f"{table}.html" for table in config["tables"]}
    figures = {f"{figure}.png" for figure in config["figures"]}
    assert tables | figures | {"scorecard.html"} <= {name.rpartition("/")[2] for name in names}
    for said in ("the first paper", "Your own", "Bitext retrieval", "Similarity", "Scorecard"):
        assert said in page
    # the caption of the figure, and no mark of it read as one
    assert "A *caption* of ``sizes``: .. raw:: html {x}_" in page.replace("\\u0060", "`")
    # no text of the config is read as anything else
    tags = Tags(report)
    assert "img" not in tags.tags and not tags.events
    found = json.loads(re.search(r"var results = ({.*);\n", report)[1])
    texts = [text for one in found.values() for text in one["labels"].values()]
    texts += re.findall(r"var categories = ({.*);\n", report)
    assert not re.search("<[/!a-z]", "".join(texts)) and "img src=x" in "".join(texts)
    assert not any("system-message" in one["caption"] for one in found.values())


def test_what_a_rule_says_of_itself_and_to_the_report_reruns_nothing(workspace):
    for name in RULES:
        file = workspace.folder / "rules" / name
        text = re.sub(r'(rule \w+:\n    """)', r"\1Otherwise: ", file.read_text())
        file.write_text(text.replace('"shows":', '"shown":').replace("All papers", "Everything"))
    caption = workspace.folder / "rules/report/table.rst"
    caption.write_text(caption.read_text() + "\nMore.\n")
    assert workspace.planned() == []
