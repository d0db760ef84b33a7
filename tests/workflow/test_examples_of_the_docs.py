"""The examples of docs/howto/extend-the-tables.md and docs/tutorials/first-table.md, followed as written and in their order."""

import re
import subprocess

import pytest
from small_project import copy_project

EXAMPLES = (*("A model", "A language", "Scored pairs", "A table and a corpus", "A figure"),)
# examples of some minutes: of these the dry run alone
LONG = {"A model", "A language"}
FOLDER = "/tmp/mine"


def blocks_of(text):
    """Return (kind, text) of the fenced blocks."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.M | re.S)


def commands_of(text):
    """Return the commands of a block, each on one line."""
    return text.replace("\\\n", "").splitlines()


def sections_of(project, page):
    """Return the sections of a page by heading."""
    _, *parts = re.split(r"^## ", (project / "docs" / page).read_text(), flags=re.M)
    return {heading: rest for heading, _, rest in (part.partition("\n") for part in parts)}


def table_of(text):
    """Return the first number of each cell of a table in Markdown, by the label of its row."""
    found = {}
    for line in re.findall(r"^\|.*\|$", text, flags=re.M):
        label, *cells = line.strip("|").split("|")
        numbers = [re.search(r"-?\d*\.\d+", cell) for cell in cells]
        if all(numbers):
            found.setdefault(label.split("<br>")[0].strip(), [float(one[0]) for one in numbers])
    return found


class Reader:
    """Someone with a copy of the project who does what a page says."""

    def __init__(self, project, folder):
        self.copied = copy_project(project, folder / "project")
        self.own = folder / "mine"
        self.own.mkdir()

    def follow(self, section, skipped=(), compared=True):
        """Write a section's files, run its commands but the `skipped`, and compare what it shows.

        Numbers of tables may differ by .03: processors round differently.
        """
        said, table = "", None
        for kind, text in blocks_of(section):
            if kind == "yaml":
                path, _, rest = text.removeprefix("# ").partition("\n")
                (self.own / path.removeprefix(f"{FOLDER}/")).write_text(self.here(rest))
            elif kind == "sh":
                commands = [one for one in commands_of(text) if one not in skipped]
                said = "".join(self.run(self.here(one)) for one in commands)
                asked = re.search(r"results/tables/\S+\.md", text)
                table = asked[0] if asked and commands else table
            elif kind == "text":
                printed = {" ".join(line.split()) for line in said.splitlines()}
                assert {" ".join(line.split()) for line in text.splitlines()} <= printed
        if compared and table is not None:
            found = table_of((self.copied.folder / table).read_text())
            for label, values in table_of(section).items():
                assert found[label] == pytest.approx(values, abs=0.03)

    def here(self, text):
        return text.replace(FOLDER, str(self.own))

    def run(self, command):
        found = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.copied.folder,
            env=self.copied.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert found.returncode == 0, f"{command}\n{found.stdout}"
        return found.stdout


def test_each_example_runs_with_the_files_that_it_writes(project):
    sections = sections_of(project, "adding.md")
    for heading in EXAMPLES:
        blocks = blocks_of(sections[heading])
        files = {text.split("\n")[0].removeprefix("# ") for kind, text in blocks if kind == "yaml"}
        commands = [one for kind, text in blocks if kind == "sh" for one in commands_of(text)]
        (run,) = [one for one in commands if one.startswith("snakemake")]
        assert files <= set(run.split()) and "--cores 2" in run


@pytest.mark.nightly
def test_who_follows_the_examples_sees_their_numbers(project, tmp_path):
    reader = Reader(project, tmp_path)
    for heading, section in sections_of(project, "adding.md").items():
        if heading in EXAMPLES:
            text = section.replace("--cores 2", "-n") if heading in LONG else section
            reader.follow(text, compared=heading not in LONG)
    assert (reader.copied.folder / "results/figures/my-figure.png").is_file()


@pytest.mark.slow
def test_the_tutorial_shows_what_happens(project, tmp_path):
    reader = Reader(project, tmp_path)
    for section in sections_of(project, "tutorial.md").values():
        reader.follow(section, skipped={"make environment && . .venv/bin/activate"})
    assert (reader.copied.folder / "results" / "my-scores.json").is_file()
