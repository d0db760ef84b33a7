"""`snakemake --report`: tables and figures by category, with captions."""

import re
import zipfile

RULES = ("tables.smk", "figures.smk", "tuning.smk")


def test_the_report_holds_tables_and_figures_by_paper_and_task(workspace):
    with workspace.edited_config() as config:
        # as a person may write: braces that are no wildcards, marks of reStructuredText
        config["figures"]["sizes"]["caption"] = "A *caption* of ``sizes``: .. raw:: html {x}_"
    workspace.succeeds("all_tables")
    config = workspace.read_config()
    workspace.succeeds("--report", "report.zip")
    with zipfile.ZipFile(workspace.folder / "report.zip") as archive:
        names = {name.rpartition("/")[2] for name in archive.namelist()}
        page = "".join(
            archive.read(name).decode()
            for name in archive.namelist()
            if name.endswith(("html", "js"))
        )
    tables = {f"{table}.html" for table in config["tables"]}
    figures = {f"{figure}.png" for figure in config["figures"]}
    assert tables | figures | {"scorecard.html"} <= names
    for said in ("the first paper", "Your own", "Bitext retrieval", "Similarity", "Scorecard"):
        assert said in page
    # the caption of the figure, and no mark of it read as one
    assert "A *caption* of ``sizes``: .. raw:: html {x}_" in page.replace("\\u0060", "`")


def test_what_a_rule_says_of_itself_and_to_the_report_reruns_nothing(workspace):
    for name in RULES:
        file = workspace.folder / "rules" / name
        text = re.sub(r'(rule \w+:\n    """)', r"\1Otherwise: ", file.read_text())
        file.write_text(text.replace('"shows":', '"shown":').replace("All papers", "Everything"))
    caption = workspace.folder / "rules/report/table.rst"
    caption.write_text(caption.read_text() + "\nMore.\n")
    assert workspace.planned() == []


def test_every_rule_has_a_description(project):
    for file in sorted((project / "rules").glob("*.smk")):
        for rule in re.findall(r"^ *rule(?: \w+)?:\n(.*)$", file.read_text(), flags=re.MULTILINE):
            assert rule.strip().startswith('"""'), (file.name, rule)
