"""The commands of docs/howto/reports.md, run as they are written."""

import re

import pytest


@pytest.mark.slow
def test_the_page_of_reports_runs_as_written(project, linked_checkout, run_as_written):
    page = (project / "docs" / "howto" / "reports.md").read_text()
    [commands] = re.findall(r"^```sh\n(.*?)^```$", page, flags=re.M | re.S)
    run_as_written(commands, linked_checkout)
    folder = linked_checkout / "results" / "reports"
    titles = {"evaluate": "Scores of encoder", "link": "Links by", "search": "Nearest strings"}
    for name, title in titles.items():
        assert f"<h1>{title} " in (folder / f"{name}.html").read_text()
    assert "(learning_curve.svg)" in (folder / "encoder" / "README.md").read_text()
    assert (folder / "encoder" / "learning_curve.svg").is_file()
