"""The examples of docs/adding.md, followed as they are written, in their order."""

import re
import subprocess
from typing import NamedTuple

import pytest
from small_project import copy_project

# examples of some minutes: of these the dry run alone
LONG = {"A model", "A language"}
EXAMPLES = (
    "A model",
    "A language",
    "Scored pairs",
    "A table",
    "A corpus from a text file",
    "A figure",
)
FOLDER = "/tmp/mine"


class Example(NamedTuple):
    """What stands below a heading: files by path, commands, what they print, a table's cells."""

    files: dict[str, str]
    commands: list[str]
    printed: list[str]
    rows: dict[str, list[str]]


def read_example(page, heading):
    section = re.search(rf"^## {heading}\n(.*?)(?=^## )", page, flags=re.M | re.S)[1]
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", section, flags=re.M | re.S)
    texts = {kind: [text for one, text in blocks if one == kind] for kind in ("yaml", "sh", "text")}
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in re.findall(r"^\|.*\|$", section, flags=re.M)
    ]
    return Example(
        files={text.split("\n")[0].removeprefix("# "): text for text in texts["yaml"]},
        commands=[one for text in texts["sh"] for one in re.sub(r"\\\n", "", text).splitlines()],
        printed=[line for text in texts["text"] for line in text.splitlines()],
        rows={label: values for label, *values in rows[2:]},
    )


def read_table(text):
    """Return the first number of each cell of a table in Markdown, by the label of its row."""
    found = {}
    for line in re.findall(r"^\|.*\|$", text, flags=re.M):
        label, *cells = line.strip("|").split("|")
        numbers = [re.search(r"-?\d*\.\d+", cell) for cell in cells]
        found.setdefault(label.split("<br>")[0].strip(), [one and one[0] for one in numbers])
    return found


@pytest.fixture(scope="module")
def page(project):
    return (project / "docs" / "adding.md").read_text()


def test_each_example_dry_runs_what_it_runs(page):
    for heading in EXAMPLES:
        example = read_example(page, heading)
        *_, dry, wet = [one for one in example.commands if one.startswith("snakemake")]
        assert dry.replace("-n ", "") == wet.replace("--cores 2 ", "")
        assert set(example.files) <= set(wet.split())


@pytest.mark.slow
def test_who_follows_them_needs_no_second_dry_run(page, project, tmp_path):
    copied = copy_project(project, tmp_path / "project")
    folder = tmp_path / "mine"
    folder.mkdir()

    def follow(command):
        found = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command.replace(FOLDER, str(folder))],
            cwd=copied.folder,
            env=copied.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert found.returncode == 0, f"{command}\n{found.stdout}"
        return found.stdout

    for heading in EXAMPLES:
        example = read_example(page, heading)
        for path, text in example.files.items():
            written = folder / path.removeprefix(f"{FOLDER}/")
            written.write_text(text.replace(FOLDER, str(folder)))
        for command in example.commands:
            long = heading in LONG and not command.startswith("snakemake -n")
            output = "" if long else follow(command)
            if command.startswith("snakemake -n"):
                assert "This was a dry-run" in output
        if heading in LONG:
            continue
        assert set(example.printed) <= set(output.splitlines())
        if example.rows:
            table = re.search(r"results/tables/\S+\.md", " ".join(example.commands))[0]
            found = read_table((copied.folder / table).read_text())
            for label, values in example.rows.items():
                shown = [float(value) for value in values]
                assert [float(one) for one in found[label]] == pytest.approx(shown, abs=0.03)
