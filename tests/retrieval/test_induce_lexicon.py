"""The step that induces a lexicon, on a language and its rotation; items of its two sides."""

from itertools import pairwise

import numpy as np
import pytest

from tests.support.suite_files import write_items, write_whole_vectors
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.datasets.read_dataset import number_items, read_dataset
from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.induce_lexicon import main
from workflow_scripts.retrieval.rankings import RankedTranslation, read_rankings
from workflow_scripts.retrieval.suite_files import read_datasets
from workflow_scripts.retrieval.translations import side_of

WORDS, DIMENSION = 60, 8


@pytest.fixture
def pair(tmp_path):
    """Write a language and its rotation, the target words in another order; return a runner."""
    generator = np.random.default_rng(11)
    source = generator.normal(size=(WORDS, DIMENSION)) + 1
    rotation = np.linalg.qr(generator.normal(size=(DIMENSION, DIMENSION)))[0]
    order = generator.permutation(WORDS)  # target string i translates source string order[i]
    target_of = np.argsort(order)
    items = {"task": "lexicon", "split": "test", "dropped": {}}
    items |= {"source_vocabulary": [*range(WORDS)], "target_vocabulary": [*range(WORDS)][::-1]}
    for part, words in {"train": range(30), "test": (40, 35, 40, 50)}.items():
        items[part] = [(word, int(target_of[word])) for word in words]
    matrices = {"source": source, "target": 3 * source[order] @ rotation}
    output = tmp_path / "ranks.tsv"

    def run(*options, vectors=None, **changes):
        [file] = write_items(tmp_path, {"bli-aa-bb": items | changes})
        arguments = [f"--items={file}", f"--output={output}", "--mapping=orthogonal"]
        for side, matrix in (matrices | (vectors or {})).items():
            npy = write_whole_vectors(tmp_path / f"{side}.npy", matrix, f"bli-aa-bb/{side}")
            arguments.append(f"--{side}-vectors={npy}")
        main([*arguments, *options])
        return read_rankings(output, RankedTranslation)

    # position in the (reversed) target vocabulary of the translation of a source word
    run.answer = lambda word: WORDS - 1 - int(target_of[word])
    run.output, run.matrices = output, matrices
    return run


@pytest.mark.parametrize("mapping", ["orthogonal", "supervised"])
@pytest.mark.parametrize("retrieval", ["csls", "cosine"])
def test_a_rotated_language_is_mapped_back_perfectly(pair, mapping, retrieval):
    ranked = pair(f"--mapping={mapping}", f"--retrieval={retrieval}", "--k=3")
    # Distinct sources of the test pairs by first occurrence: 40, 35, 50.
    first = {row.query: row.target_row for row in ranked if row.rank == 1}
    assert first == {0: pair.answer(40), 1: pair.answer(35), 2: pair.answer(50)}
    assert [row.rank for row in ranked] == [1, 2, 3] * 3
    assert all(a.score >= b.score for a, b in pairwise(ranked) if b.rank > 1)


def test_cosine_of_a_perfect_map_is_one_and_a_small_dictionary_still_ranks_words(pair):
    ranked = pair("--retrieval=cosine", "--k=1")
    assert [row.score for row in ranked] == pytest.approx([1, 1, 1], abs=1e-6)
    few = [(number, number) for number in range(4)]
    for options in (["orthogonal"], ["supervised"], ["supervised", "--regularisation=0.1"]):
        assert len(pair(f"--mapping={options[0]}", *options[1:], "--k=5", train=few)) == 15


NAN = np.where(np.arange(WORDS) == 17, np.nan, 1)[:, None]


@pytest.mark.parametrize(
    ("options", "changes", "vectors", "message"),
    [
        (["--k=61"], {}, {}, "k = 61 neighbours of 60 target words"),
        ([], {"train": [(1, 1)]}, {}, "a dictionary of 1 entries"),
        (["--neighbours=61"], {}, {}, "61 neighbours of a vocabulary of 60 words"),
        ([], {}, {"target": lambda whole: whole * NAN}, r"target\.npy: .* string 17 holds NaN"),
        ([], {}, {"target": lambda whole: whole[:, :5]}, "encoders of the same dimension"),
        ([], {}, {"source": np.ones_like}, r"source\.npy, centred: row 0 is a zero vector"),
    ],
)
def test_mistakes_give_one_clear_error_and_no_file(pair, options, changes, vectors, message):
    vectors = {side: change(pair.matrices[side]) for side, change in vectors.items()}
    with pytest.raises(UserError, match=message):
        pair(*options, vectors=vectors, **changes)
    assert not pair.output.exists()


ENTRY = {"task": "lexicon", "format": "xling-eval", "source": "en", "target": "fr"}
ENTRY |= {"path": "bli-xling-eval/en-fr", "train": "5k", "vocabulary_size": 50}


def test_each_side_of_a_lexicon_has_the_words_of_its_language(tmp_path, sample_data):
    entry = read_entry("bli", ENTRY)
    lexicon = read_dataset(sample_data, entry, "bli")
    strings, numbered = number_items("bli", entry, lexicon)
    items = read_datasets(write_items(tmp_path, {"bli": numbered}))["bli"]
    for column, side in enumerate(SIDES):
        own = side_of(items, side, np.empty(0), side)
        parts = (own.vocabulary, own.train, own.test)
        words = [[strings[side][number] for number in part] for part in parts]
        pairs = [[pair[column] for pair in part] for part in (lexicon.train, lexicon.test)]
        assert words == [getattr(lexicon, f"{side}_vocabulary"), *pairs]


def test_items_of_several_data_sets_are_known_by_their_ids(tmp_path):
    entries = {name: {"task": "similarity", "left": [n]} for n, name in enumerate("ab")}
    files = write_items(tmp_path, entries)
    assert read_datasets(files) == {n: {"dataset": n, **one} for n, one in entries.items()}
    with pytest.raises(UserError, match=r"items\.json: is of data set a, as another; give it once"):
        read_datasets([files[0], files[1], files[0]])
