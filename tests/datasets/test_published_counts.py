"""The real files have the numbers of rows that are published, in the sets of the config."""

import pytest
import yaml
from dataset_reading import read_dataset

pytestmark = pytest.mark.shared_data


@pytest.fixture(scope="module")
def entries(project):
    text = (project / "config" / "datasets.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)["datasets"]


@pytest.mark.parametrize(
    ("year", "pairs", "unscored"),
    [(12, 3108, 0), (14, 3750, 0), (15, 3000, 5500), (16, 1186, 7997)],
)
def test_sts_years_in_both_layouts(shared_data, entries, year, pairs, unscored):
    layouts = []
    for layout in ("original", "senteval"):
        folder = f"semeval-sts-{layout}/STS{year}-en-test"
        found = read_dataset(shared_data, {**entries[f"sts{year}"], "path": folder})
        assert len(found.gold) == len(found.left) == len(found.subset) == pairs
        assert sum(found.dropped.values()) == unscored
        layouts.append((found.subset, found.gold))
    assert layouts[0] == layouts[1]


@pytest.mark.parametrize("language", ["en", "fr", "et", "ar", "zh", "ru", "es", "pl", "he", "fi"])
def test_multi_simlex_has_1888_pairs_in_each_language(shared_data, entries, language):
    found = read_dataset(shared_data, entries[f"multisimlex-{language}"])
    empty = found.dropped.get("empty_cell", 0)
    assert len(found.gold) + empty == 1888
    assert empty == 0 if language in ("en", "zh", "ru", "es") else 0 < empty <= 0.02 * 1888


@pytest.mark.parametrize(
    ("dataset", "mentions"),
    [("ncbi-disease", 960), ("bc5cdr-disease", 4424), ("bc5cdr-chemical", 5385)],
)
def test_entity_linking_sets(shared_data, entries, dataset, mentions):
    found = read_dataset(shared_data, entries[dataset])
    assert len(found.gold) + sum(found.dropped.values()) == mentions
    assert set(found.dropped) <= {"no_concept", "unknown_concept"}
    if dataset == "ncbi-disease":
        # MEDIC covers nearly all mentions once prefixes are gone
        known = {concept for concepts in found.name_concepts for concept in concepts}
        assert sum(bool(known & set(parts[0])) for parts in found.gold) / len(found.gold) > 0.99


def test_tatoeba_has_1000_pairs_or_as_many_as_the_language_has(shared_data, entries):
    fewer = {"jv": 205, "te": 234, "ta": 307, "sw": 390, "th": 548, "kk": 575, "ml": 687, "ka": 746}
    languages = [name.removeprefix("tatoeba-") for name in entries if name.startswith("tatoeba-")]
    assert len(languages) == 36
    for language in languages:
        found = read_dataset(shared_data, entries[f"tatoeba-{language}"])
        assert len(found.left) == len(found.right) == fewer.get(language, 1000), language
        assert found.dropped == {}


def test_a_lexicon_repeats_sources(shared_data, entries):
    found = read_dataset(shared_data, {**entries["bli-it-fr"], "vocabulary_size": 0})
    assert len({source for source, _ in found.test}) == 1936
    assert len(set(found.target_vocabulary)) == len(found.target_vocabulary)
