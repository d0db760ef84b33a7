"""Every command that a page shows exists, and those that a test machine can run do, as written."""

import importlib
import json
import random
import re
import subprocess

import pytest
from doc_pages import blocks_of, commands_of, written_pages
from small_project import copy_project

from workflow_scripts.cli import COMMANDS
from workflow_scripts.command_line import read_help

FOLDER = "/tmp/mine"
ENVIRONMENT = "make environment && . .venv/bin/activate"
# pages whose blocks `sh` are followed below, with a file that they write last
FOLLOWED = {
    "README.md": "scores.json",
    "docs/tutorials/first-encoder.md": "my-sentence-encoder/model.safetensors",
    "docs/tutorials/first-table.md": "results/tables/my-pairs.md",
    "docs/howto/choose-settings.md": "results/tuning_grid/mine.md",
    "docs/howto/embed-and-search.md": "results/lexicon/found.tsv",
    "CONTRIBUTING.md": "results/scores/bert-en/base-mp/none/seed0/similarity.tsv",
}
EXAMPLES = "docs/howto/extend-the-tables.md"
# examples of some minutes: of these the dry run alone
LONG = ("A model", "A language")


@pytest.fixture(scope="module")
def pages(project):
    return written_pages(project)


def shell_blocks(text):
    fenced = [block for kind, block in blocks_of(text) if kind in ("sh", "shell")]
    return fenced + re.findall(r"(?:^    (?:make|mirror-bert|snakemake) .*\n)+", text, re.M)


def options_of(command):
    main = importlib.import_module(f"workflow_scripts.{COMMANDS[command][0]}").main
    functions = getattr(main, "modes", {"": getattr(main, "path_function", None)}).values()
    groups = [group for function in functions for group in read_help(function)[1]]
    return {option.name for group in groups for option, _ in group.options}


def words_after(program, block):
    """Return the words of each call of a program, up to what ends it."""
    joined = re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", block.replace("\\\n", " "))
    calls = re.findall(rf"(?:^|[\s`(]){program} ([^|;&\n]*)", joined)
    return [call.split() for call in calls if call.strip()]


def test_commands_and_options_of_mirror_bert_exist(pages):
    seen = 0
    for page, text in pages.items():
        for block in shell_blocks(text):
            for command, *words in words_after("mirror-bert", block):
                assert command in COMMANDS, f"{page}: mirror-bert {command}"
                options = {word.split("=")[0] for word in words if word.startswith("--")}
                assert options <= options_of(command), f"{page}: mirror-bert {command}"
                seen += 1
    assert seen >= 20


def test_options_of_snakemake_and_targets_of_make_exist(pages, project):
    shown = subprocess.run(["snakemake", "--help"], capture_output=True, text=True).stdout
    known = set(re.findall(r"--[\w-]+", shown))
    makefile = (project / "Makefile").read_text()
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split())
    for page, text in pages.items():
        for block in shell_blocks(text):
            for words in words_after("snakemake", block):
                # those of the SLURM plugin are its own
                options = {w.split("=")[0] for w in words if re.match("--[a-z]", w)}
                assert options <= known, f"{page}: {options - known}"
            for target, *_ in words_after("make", block):
                assert target in targets, f"{page}: make {target}"


def test_pages_show_one_form_of_each_command(pages):
    for page, text in pages.items():
        if page != "CHANGELOG.md":
            assert "python -m workflow_scripts." not in text, page


def test_what_a_page_marks_as_run_is_run_by_a_test(pages, project):
    """By one of this file, or by one that names the page."""
    tests = {file: file.read_text() for file in (project / "tests").rglob("test_*.py")}
    for page, text in pages.items():
        if any(kind == "sh" for kind, _ in blocks_of(text)):
            name = page.rpartition("/")[2]
            assert any(name in test for test in tests.values()), page


def sections_of(text):
    """Return the sections of a page by heading."""
    _, *parts = re.split(r"^## ", text, flags=re.M)
    return {heading: rest for heading, _, rest in (part.partition("\n") for part in parts)}


def table_of(text):
    """Return the first number of each cell of a table in Markdown, by the label of its row."""
    rows = {}
    for line in re.findall(r"^\|.*\|$", text, flags=re.M):
        label, *cells = line.strip("|").split("|")
        numbers = [re.search(r"-?\d*\.\d+", cell) for cell in cells]
        if all(numbers):
            rows.setdefault(label.split("<br>")[0].strip(), [float(n[0]) for n in numbers])
    return rows


NUMBER = re.compile(r"[-+]?\d*\.\d+")


def is_printed(line, printed):
    """Tell whether a line is among those printed; scores may differ by .03 between machines."""
    for other in printed:
        if NUMBER.sub("#", " ".join(line.split())) == NUMBER.sub("#", " ".join(other.split())):
            pairs = zip(NUMBER.findall(line), NUMBER.findall(other), strict=True)
            return all(abs(float(a) - float(b)) <= 0.03 for a, b in pairs)
    return False


class Reader:
    """Someone with a copy of the project who does what a page says."""

    def __init__(self, project, folder, mirror_bert):
        self.copied = copy_project(project, folder / "project")
        self.own = folder / "mine"
        self.programs = mirror_bert.parent

    def follow(self, text, compared=True):
        """Write the files of a text, run its commands, and compare what it shows."""
        printed, table = "", None
        for kind, block in blocks_of(text):
            path, _, rest = block.removeprefix("# ").partition("\n")
            if kind == "yaml" and path.startswith(FOLDER):
                self.own.mkdir(exist_ok=True)
                (self.own / path.removeprefix(f"{FOLDER}/")).write_text(self.here(rest))
            elif kind == "sh":
                lines = [line for line in commands_of(block) if line != ENVIRONMENT]
                printed = self.run(self.here("\n".join(lines))) if lines else printed
                asked = re.search(r"results/tables/\S+\.md", block)
                table = asked[0] if asked and lines else table
            elif kind == "text":
                for line in block.splitlines():
                    assert is_printed(line, printed.splitlines()), line
        if compared and table is not None:
            rows = table_of((self.copied.folder / table).read_text())
            for label, values in table_of(text).items():
                assert rows[label] == pytest.approx(values, abs=0.03)

    def here(self, text):
        return text.replace(FOLDER, str(self.own))

    def run(self, commands):
        environment = self.copied.environment()
        environment["PATH"] = f"{self.programs}:{environment['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=self.copied.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, f"{commands}\n{done.stdout}"
        return done.stdout


def misspelt(name, draw):
    """A name with two of its neighbouring letters exchanged."""
    place = draw.randrange(len(name) - 1)
    return name[:place] + name[place + 1] + name[place] + name[place + 2 :]


def write_own_tables(project, folder):
    """The names of the sample, and 200 scored pairs in two files."""
    draw = random.Random(5)
    folder.mkdir()
    sample = project / "resources" / "sample_data" / "names" / "biomedical_names.txt"
    names = [name for name in dict.fromkeys(sample.read_text().splitlines()) if len(name) > 4]
    pairs = [(name, misspelt(name, draw), 1) for name in draw.sample(names, 100)]
    pairs += [(*draw.sample(names, 2), 0) for _ in range(100)]
    draw.shuffle(pairs)
    rows = "".join(f'N{number},"{name}"\n' for number, name in enumerate(names))
    (folder / "names.csv").write_text(f"id,name\n{rows}")
    for number, half in enumerate((pairs[:100], pairs[100:]), start=1):
        rows = "".join(f'"{left}","{right}",{score}\n' for left, right, score in half)
        (folder / f"pairs-{number}.csv").write_text(f"left,right,score\n{rows}")


@pytest.mark.slow
@pytest.mark.parametrize("page", FOLLOWED)
def test_who_follows_a_page_sees_what_it_shows(page, pages, project, tmp_path, mirror_bert):
    reader = Reader(project, tmp_path, mirror_bert)
    write_own_tables(project, reader.copied.folder / "data")
    reader.follow(pages[page])
    assert (reader.copied.folder / FOLLOWED[page]).is_file()
    if page == "README.md":
        record = json.loads((reader.copied.folder / "scores.record.json").read_text())
        means = record["against"]["means"]
        assert all(mean["difference"] > 0 and mean["p_value"] < 0.05 for mean in means)


def test_each_example_runs_with_the_files_that_it_writes(pages):
    for heading, section in sections_of(pages[EXAMPLES]).items():
        blocks = blocks_of(section)
        files = {text.split("\n")[0].removeprefix("# ") for kind, text in blocks if kind == "yaml"}
        lines = [line for kind, text in blocks if kind == "sh" for line in commands_of(text)]
        runs = [line for line in lines if line.startswith("snakemake")]
        if any(file.startswith(FOLDER) for file in files):
            assert files <= set(runs[0].split()) and "--cores 2" in runs[0], heading


@pytest.mark.nightly
def test_who_follows_the_examples_sees_their_numbers(pages, project, tmp_path, mirror_bert):
    reader = Reader(project, tmp_path, mirror_bert)
    for heading, section in sections_of(pages[EXAMPLES]).items():
        text = section.replace("--cores 2", "-n") if heading in LONG else section
        reader.follow(text, compared=heading not in LONG)
    assert (reader.copied.folder / "results/figures/my-figure.png").is_file()
