"""The command that links mentions, end to end on tiny suites."""

import json
import sys

import numpy as np
import pytest

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.retrieval.link_entities import main
from workflow_scripts.retrieval.rankings import RankedName, read_rankings

# Strings 0-3 are names, 4-6 mentions; the vectors make dot and cosine disagree about string 4.
VECTORS = np.array(
    [[1, 0], [0, 1], [3, 3], [0, 1], [1, 0.1], [0, 2], [-1, 0]],
    dtype=np.float32,
)
ENTRY = {
    "task": "entity-linking",
    "names": [0, 1, 2, 3],
    "name_concepts": [["D1"], ["D2"], ["D3"], ["D2"]],
    "mentions": [[4], [5, 4], [5]],
    "gold": [[["D1"]], [["D2"], ["D1"]], [["D2"]]],
    "dropped": {},
}


@pytest.fixture
def suite(tmp_path):
    """Write a suite and return a function that runs the command on it."""
    items, vectors, output = tmp_path / "items.json", tmp_path / "bel.npy", tmp_path / "links.tsv"

    def write(datasets, matrix=VECTORS):
        items.write_text(json.dumps({"suite": "bel", "datasets": datasets}), encoding="utf-8")
        np.save(vectors, matrix)

    def link(*options):
        main([f"--vectors={vectors}", f"--items={items}", f"--output={output}", *options])
        return read_rankings(output, RankedName)

    write({"tiny": ENTRY, "sts": {"task": "similarity"}})
    link.write, link.vectors, link.output = write, vectors, output
    return link


def rows_of(links):
    found = {}
    for link in links:
        found.setdefault((link.query, link.part), []).append(link.name_row)
    return found


def test_dot_takes_long_vectors_and_cosine_near_directions(suite):
    # Names 1 and 3 have one vector: the lower row leads.
    assert rows_of(suite("--k=2", "--similarity=dot")) == {
        (0, 0): [2, 0],
        (1, 0): [2, 1],
        (1, 1): [2, 0],
        (2, 0): [2, 1],
    }
    links = suite("--k=3", "--similarity=cosine")
    assert rows_of(links) == {
        (0, 0): [0, 2, 1],
        (1, 0): [1, 3, 2],
        (1, 1): [0, 2, 1],
        (2, 0): [1, 3, 2],
    }
    assert [link.rank for link in links[:3]] == [1, 2, 3]
    assert links[3].score == pytest.approx(1)
    assert links[5].score == pytest.approx(np.sqrt(0.5))
    assert {link.dataset for link in links} == {"tiny"}


def test_the_file_has_the_agreed_header(suite):
    suite("--k=1")
    lines = suite.output.read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == ["dataset", "query", "part", "rank", "name_row", "score"]
    assert lines[1].split("\t") == ["tiny", "0", "0", "1", "2", "3.3"]
    assert len(lines) == 5


def test_two_datasets_keep_their_own_dictionaries(suite):
    other = ENTRY | {"names": [3, 0]}
    suite.write({"tiny": ENTRY, "other": other})
    links = suite("--k=1", "--similarity=cosine")
    assert [link.dataset for link in links] == ["tiny"] * 4 + ["other"] * 4
    assert rows_of(links[4:]) == {(0, 0): [1], (1, 0): [0], (1, 1): [1], (2, 0): [0]}


@pytest.mark.parametrize(
    ("change", "matrix", "options", "message"),
    [
        ({}, VECTORS, ["--k=5"], "dataset tiny: k = 5 of a dictionary of 4 names"),
        ({}, VECTORS[:5], [], "no row for string 5 (5 rows)"),
        ({"names": [0, -1, 2, 3]}, VECTORS, [], "no row for string -1"),
        ({}, VECTORS * np.where(np.arange(7) == 5, np.nan, 1)[:, None], [], "string 5 holds NaN"),
        (
            {},
            VECTORS * (np.arange(7) != 4)[:, None],
            ["--similarity=cosine"],
            "row 4 is a zero vector",
        ),
        ({"mentions": []}, VECTORS, [], "dataset tiny: no mentions"),
        ({"task": "similarity"}, VECTORS, [], "no entity-linking dataset"),
        ({}, VECTORS.astype(int), [], "expected a matrix of floating-point numbers"),
        ({}, VECTORS[0], [], "expected a matrix of floating-point numbers"),
    ],
)
def test_mistakes_give_one_clear_error_and_no_file(suite, change, matrix, options, message):
    suite.write({"tiny": ENTRY | change}, matrix)
    with pytest.raises(UserError) as caught:
        suite("--k=2", *options)
    assert message in str(caught.value)
    assert not suite.output.exists()


def test_missing_and_damaged_files_are_named(suite):
    whole = suite.vectors.read_bytes()
    for damaged in (whole[:140], b"", b"text"):
        suite.vectors.write_bytes(damaged)
        with pytest.raises(UserError, match=r"bel\.npy: not a whole npy file"):
            suite("--k=1")
    suite.vectors.unlink()
    with pytest.raises(UserError, match=r"bel\.npy: no such file; embed the suite first"):
        suite("--k=1")


@pytest.mark.parametrize("content", ["[]", '{"suite": "x"}', '{"datasets": {"a": 3}}', "{"])
def test_malformed_items_are_named(suite, tmp_path, content):
    (tmp_path / "items.json").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=r"items\.json"):
        suite("--k=1")


def test_a_user_error_ends_the_command_with_one_line(suite, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["link_entities"])
    with pytest.raises(SystemExit) as caught:
        run_command(lambda: suite("--k=9"))
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dataset query", ":1: expected"),
        ("tiny\t0\t0\tone\t2\t0.5", ":2: not a row"),
        ("tiny\t0\t0\t1\t2\t0.5\t7", ":2: not a row"),
        ("tiny\t0", ":2: expected a row"),
    ],
)
def test_malformed_links_are_refused(tmp_path, line, message):
    path = tmp_path / "links.tsv"
    header = "dataset\tquery\tpart\trank\tname_row\tscore\n"
    path.write_text(line if "query" in line else header + line, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_rankings(path, RankedName)
