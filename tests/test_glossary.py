"""Words that newcomers stumbled over do not come back; the glossary has the others."""

import ast
import re
import subprocess

import pytest

# words that went, and what is said instead
RETIRED = {
    r"front[ _-]?doors?": "command",
    r"stand_ins?\w*": "synthetic",
    r"departures?": "difference from the paper",
    r"standings?(_of)?": "comparability",
    r"warm[ _]python|warm_step": "fork server",
    r"made_files|MadeFiles": "output_integrity",
    r"slurm_mends": "slurm_patches",
    r"counted_metrics": "weighted_metrics",
    r"told_as_damaged": "damaged_file_error",
    r"rooms": "packages",
    r"embedded sampler|the sampler": "sample data",
}
# what tells of the past, and this list
HISTORY = ("CHANGELOG.md", "tests/test_glossary.py")

# names that mean something else in every function, and so hide mistakes
EMPTY_NAMES = {"found", "one", "its", "said", "wanted", "place", "views"}
# keys of recipes that users read
PUBLIC = {
    ("tuning/methods/mirror.py", "place"),
    ("tuning/span_masking.py", "place"),
    ("tuning/vectors_beside.py", "place"),
}


@pytest.fixture(scope="module")
def texts(project):
    """The text of every file of the project that people write, by path."""
    listed = subprocess.run(["git", "ls-files"], cwd=project, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("needs git, to know which files are the project's")
    kinds = (".py", ".smk", ".md", ".yaml", ".toml", ".sh", ".j2", "Makefile", "Snakefile")
    paths = [path for path in listed.stdout.splitlines() if path.endswith(kinds)]
    return {
        path: (project / path).read_text(encoding="utf-8")
        for path in paths
        if path not in HISTORY and (project / path).is_file()
    }


@pytest.mark.parametrize(("word", "instead"), RETIRED.items())
def test_a_word_that_went_is_not_used(texts, word, instead):
    pattern = re.compile(rf"(?<![a-z]){word}(?![a-z])", flags=re.IGNORECASE)
    lines = [
        f"{path}:{number}: {line.strip()[:80]}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]
    assert not lines, f"use {instead!r}:\n" + "\n".join(lines)


def test_the_modules_that_the_glossary_names_exist(project):
    text = (project / "docs/reference/glossary.md").read_text(encoding="utf-8")
    paths = re.findall(r"`([a-z_]+/(?:[\w/]+\.py|[\w/]*))`", text)
    assert len(paths) > 20
    for path in paths:
        tops = (project / "workflow_scripts", project)
        assert any((top / path).exists() for top in tops), path


def assigned_names(text):
    """Return (line, name) of all variables, fields and parameters of a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def empty_names(text):
    return [(line, name) for line, name in assigned_names(text) if name in EMPTY_NAMES]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("found = read()", ["found"]),
        ("def hold(one, *, its=None): ...", ["one", "its"]),
        ("rows = [said for said in lines]", ["said"]),
        ("if (place := find()): ...", ["place"]),
        ("for index, wanted in enumerate(rows): ...", ["wanted"]),
        ("class Sample:\n    views: int", ["views"]),
        ("rows = part.found + one_in(found_rows)", []),
    ],
)
def test_names_are_seen_where_they_are_given(text, names):
    assert [name for _, name in empty_names(text)] == names


def test_variables_say_what_they_are(project):
    root, lines = project / "workflow_scripts", []
    for path in sorted(root.rglob("*.py")):
        module = path.relative_to(root).as_posix()
        for line, name in empty_names(path.read_text(encoding="utf-8")):
            if (module, name) not in PUBLIC:
                lines.append(f"{module}:{line}: {name}")
    assert not lines, "name it for what it is:\n" + "\n".join(lines)
