"""The command that links mentions, end to end on tiny data sets."""

import numpy as np
import pytest

from tests.support.suite_files import write_items, write_whole_vectors
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.link_entities import main
from workflow_scripts.retrieval.rankings import RankedName, read_rankings, rows_by_dataset

# Strings 0-3 are names, 4-6 mentions; the vectors make dot and cosine disagree about string 4.
NAMES, MENTIONS = [[1, 0], [0, 1], [3, 3], [0, 1]], [[1, 0.1], [0, 2], [-1, 0]]
VECTORS = np.array([*NAMES, *MENTIONS], dtype=np.float32)
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
    """Write data sets and return a function that runs the command on them."""
    vectors, output, items = tmp_path / "bel.npy", tmp_path / "links.tsv", []

    def write(datasets, matrix=VECTORS):
        items[:] = map(str, write_items(tmp_path, datasets))
        write_whole_vectors(vectors, matrix, *datasets)

    def link(*options):
        main([f"--vectors={vectors}", "--items", *items, f"--output={output}", *options])
        return read_rankings(output, RankedName)

    write({"tiny": ENTRY, "sts": {"task": "similarity"}})
    link.write, link.output = write, output
    return link


def test_dot_takes_long_vectors_and_cosine_near_directions(suite):
    # Names 1 and 3 have one vector: the lower row leads.
    links = rows_by_dataset(suite("--k=2", "--similarity=dot"))
    assert links == {"tiny": [[[2, 0]], [[2, 1], [2, 0]], [[2, 1]]]}
    links = suite("--k=3", "--similarity=cosine")
    assert rows_by_dataset(links) == {"tiny": [[[0, 2, 1]], [[1, 3, 2], [0, 2, 1]], [[1, 3, 2]]]}
    assert [link.rank for link in links[:3]] == [1, 2, 3]
    assert links[3].score == pytest.approx(1)
    assert links[5].score == pytest.approx(np.sqrt(0.5))


def test_the_file_is_as_agreed_and_two_datasets_keep_their_own_dictionaries(suite):
    suite("--k=1")
    lines = suite.output.read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == ["dataset", "query", "part", "rank", "name_row", "score"]
    assert lines[1].split("\t") == ["tiny", "0", "0", "1", "2", "3.3"]
    assert len(lines) == 5
    suite.write({"tiny": ENTRY, "other": ENTRY | {"names": [3, 0]}})
    links = suite("--k=1", "--similarity=cosine")
    assert [link.dataset for link in links] == ["tiny"] * 4 + ["other"] * 4
    assert rows_by_dataset(links)["other"] == [[[1]], [[0], [1]], [[0]]]


@pytest.mark.parametrize(
    ("matrix", "options", "message"),
    [
        (VECTORS, ["--k=5"], "dataset tiny: k = 5 neighbours of 4 names"),
        (VECTORS * np.where(np.arange(7) == 5, np.nan, 1)[:, None], [], "string 5 holds NaN"),
        (VECTORS * (np.arange(7) != 4)[:, None], ["--similarity=cosine"], "row 4 is a zero vector"),
    ],
)
def test_mistakes_give_one_clear_error_and_no_file(suite, matrix, options, message):
    suite.write({"tiny": ENTRY}, matrix)
    with pytest.raises(UserError, match=message):
        suite("--k=2", *options)
    assert not suite.output.exists()
