"""The real files, where they are: every readable set has its published number of pairs."""

import csv

import pytest
import yaml

from workflow_scripts.datasets.catalogue import read_dataset

pytestmark = pytest.mark.shared_data


@pytest.fixture(scope="module")
def entries(project):
    text = (project / "config" / "datasets.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)["datasets"]


@pytest.fixture(scope="module")
def manifest(shared_data):
    """Rows of the manifest by path."""
    with open(shared_data / "MANIFEST.tsv", encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["path"]: row for row in rows}


def manifest_pairs_with_gold(manifest, folder):
    """Sum "<n> pairs, <m> with gold" over the input files of a folder."""
    total = 0
    for path, row in manifest.items():
        if path.startswith(f"{folder}/") and ".input." in path and path.endswith(".txt"):
            total += int(row["published_rows"].split("pairs, ")[1].split()[0])
    return total


@pytest.mark.parametrize("layout", ["semeval-sts-original", "semeval-sts-senteval"])
@pytest.mark.parametrize(
    ("year", "pairs", "unscored"),
    [(12, 3108, 0), (14, 3750, 0), (15, 3000, 5500), (16, 1186, 7997)],
)
def test_sts_years_in_both_layouts(shared_data, manifest, entries, layout, year, pairs, unscored):
    folder = f"{layout}/STS{year}-en-test"
    found = read_dataset(shared_data, {**entries[f"sts{year}"], "path": folder})
    assert len(found.gold) == pairs == manifest_pairs_with_gold(manifest, folder)
    assert sum(found.dropped.values()) == unscored
    assert len(found.left) == len(found.right) == len(found.subset) == pairs


def test_both_layouts_of_a_year_hold_the_same_scores(shared_data, entries):
    for year in (12, 14, 15, 16):
        folders = [f"semeval-sts-{layout}/STS{year}-en-test" for layout in ("original", "senteval")]
        one, other = (
            read_dataset(shared_data, {**entries[f"sts{year}"], "path": folder})
            for folder in folders
        )
        assert one.subset == other.subset
        assert one.gold == other.gold


@pytest.mark.parametrize("path", ["sts-benchmark", "sts-benchmark-senteval"])
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_sts_benchmark(shared_data, manifest, entries, path, split):
    found = read_dataset(shared_data, {**entries["stsb"], "path": path, "split": split})
    assert len(found.gold) == int(manifest[f"{path}/sts-{split}.csv"]["published_rows"])
    assert len(found.gold) == {"train": 5749, "dev": 1500, "test": 1379}[split]


@pytest.mark.parametrize("path", ["sick/semeval2014", "sick/senteval", "sick/SICK.txt.gz"])
@pytest.mark.parametrize(("split", "pairs"), [("train", 4500), ("dev", 500), ("test", 4927)])
def test_sick(shared_data, entries, path, split, pairs):
    # The full release has 87 pairs fewer than the SemEval files, 21 of them of the test split.
    if path.endswith(".gz"):
        pairs = {"train": 4439, "dev": 495, "test": 4906}[split]
    found = read_dataset(shared_data, {**entries["sickr"], "path": path, "split": split})
    assert len(found.gold) == pairs


def test_simlex(shared_data, entries):
    assert len(read_dataset(shared_data, entries["simlex999"]).gold) == 999


@pytest.mark.parametrize("language", ["en", "fr", "et", "ar", "zh", "ru", "es", "pl", "he", "fi"])
def test_multi_simlex_has_1888_pairs_in_each_language(shared_data, entries, language):
    found = read_dataset(shared_data, entries[f"multisimlex-{language}"])
    empty = found.dropped.get("empty_cell", 0)
    assert len(found.gold) + empty == 1888
    if language in ("en", "zh", "ru", "es"):
        assert empty == 0
    else:
        assert 0 < empty <= 0.02 * 1888


@pytest.mark.parametrize(
    ("dataset", "mentions"),
    [("ncbi-disease", 960), ("bc5cdr-disease", 4424), ("bc5cdr-chemical", 5385)],
)
def test_entity_linking_test_sets(shared_data, entries, dataset, mentions):
    found = read_dataset(shared_data, entries[dataset])
    assert len(found.gold) + sum(found.dropped.values()) == mentions
    assert set(found.dropped) <= {"no_concept"}
    assert len(found.names) == len(found.name_concepts)


@pytest.mark.parametrize(
    ("file", "mentions"),
    [("NCBItrainset_corpus.txt", 5145), ("NCBIdevelopset_corpus.txt", 787)],
)
def test_ncbi_training_files(shared_data, entries, file, mentions):
    block = {**entries["ncbi-disease"], "path": f"ncbi-disease/{file}"}
    found = read_dataset(shared_data, block)
    assert len(found.gold) + sum(found.dropped.values()) == mentions


def test_medic_covers_nearly_all_disease_mentions_once_prefixes_are_gone(shared_data, entries):
    found = read_dataset(shared_data, entries["ncbi-disease"])
    known = {concept for concepts in found.name_concepts for concept in concepts}
    covered = sum(bool(known & set(parts[0])) for parts in found.gold)
    assert covered / len(found.gold) > 0.99


@pytest.mark.parametrize("pair", ["en-fr", "en-it", "en-ru", "en-tr", "it-fr"])
@pytest.mark.parametrize(("train", "entries_of_train"), [("1k", 1000), ("5k", 5000)])
def test_lexicons(shared_data, entries, pair, train, entries_of_train):
    block = {**entries[f"bli-{pair}"], "train": train, "vocabulary_size": 0}
    found = read_dataset(shared_data, block)
    assert (len(found.train), len(found.test)) == (entries_of_train, 2000)
    assert len(set(found.target_vocabulary)) == len(found.target_vocabulary)
    if pair == "it-fr":
        assert len({source for source, _ in found.test}) == 1936
