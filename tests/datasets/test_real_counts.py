"""Sets and corpora of the real files have as many items as is published or as lines say."""

from collections import Counter

import pytest
from dataset_reading import read_dataset

from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.corpora.kinds.register import read_corpus_block

pytestmark = pytest.mark.shared_data

TATOEBA = "af ar bg bn de el es et eu fa fi fr he hi hu id it ja jv ka kk ko ml mr nl pt ru sw ta "
TATOEBA += "te th tl tr ur vi zh"
# of other languages it has 1,000 pairs
FEWER = {"jv": 205, "te": 234, "ta": 307, "sw": 390, "th": 548, "kk": 575, "ml": 687, "ka": 746}
PAWS = ("de", "en", "es", "fr", "ja", "ko", "zh")
XNLI = ["contradiction", "entailment", "neutral"]
HOTELS = ["mixed", "negative", "positive", "strong_negative", "strong_positive"]


def parts(train, development, test, labels):
    own = {"train": train, "development": development, "test": test}
    classes = {f"labels of {part}": labels for part, number in own.items() if number}
    return {part: number for part, number in own.items() if number} | classes


# by data set: `all` items of its files, those that are `kept`, what is dropped and why; of texts
# the parts and their labels, of a pool its languages
COUNTS = {
    **{"sts12": {"kept": 3108, "all": 3108}, "sts14": {"kept": 3750, "all": 3750}},
    **{"sts15": {"kept": 3000, "all": 8500}, "sts16": {"kept": 1186, "all": 9183}},
    **{f"multisimlex-{one}": {"kept": 1888, "all": 1888} for one in ("en", "es", "ru", "zh")},
    **{f"multisimlex-{one}": {"all": 1888} for one in ("ar", "et", "fi", "fr", "he", "pl")},
    **{"ncbi-disease": {"all": 960}, "bc5cdr-disease": {"all": 4424}},
    "bc5cdr-chemical": {"all": 5385},
    **{
        f"tatoeba-{one}": dict.fromkeys(("kept", "all"), FEWER.get(one, 1000))
        for one in TATOEBA.split()
    },
    **{f"paws-x-{one}": {"kept": 2000, "all": 2000} for one in PAWS},
    "paws-x-pool": {
        **{"all": 14_000, "repeated": 537, "untranslated": 107, "de": 1913, "en": 1758},
        **{"es": 1937, "fr": 1932, "ja": 1956, "ko": 1962, "zh": 1898},
    },
    "jsick-e": parts(5000, 0, 4927, XNLI),
    "sick-nl-e": parts(4439, 495, 4906, [label.upper() for label in XNLI]),
    "subjectivity-bg": parts(729, 314, 250, ["OBJ", "SUBJ"]),
    "tweets-hi": parts(1839, 324, 870, ["0", "1", "2"]),
    "hotels-eu": parts(861, 124, 248, HOTELS),
    "hotels-ja": parts(3888, 1112, 553, ["-1", "0", "1"]),
    # trained on English
    "tweets-from-en-pt": parts(1839, 324, 870, ["0", "1", "2"]),
    "hotels-from-en-ca": parts(1359, 195, 263, HOTELS),
}
# the sets whose files are in data-cmlm
MORE = ("jsick", "sick-nl", "subjectivity", "tweets", "hotels")


ITEMS = ("gold", "left", "texts", "sentences")


def counts_of(found):
    """Return what COUNTS has of the items that were read."""
    items = next(vars(found)[name] for name in ITEMS if name in vars(found))
    counts = {"kept": len(items), "all": len(items) + sum(found.dropped.values()), **found.dropped}
    counts |= Counter(getattr(found, "languages", ())) | Counter(getattr(found, "parts", ()))
    for part in {*getattr(found, "parts", ())}:
        pairs = zip(found.labels, found.parts, strict=True)
        counts[f"labels of {part}"] = sorted({label for label, own in pairs if own == part})
    return counts


@pytest.fixture(scope="module")
def entries(project, paper_config):
    files = ("datasets.yaml", "datasets-multilingual.yaml")
    own, more = (read_mapping(project / "config" / file)["datasets"] for file in files)
    return {"paws-x-pool": paper_config["datasets"]["paws-x-pool"], **own, **more}


@pytest.mark.parametrize("name", COUNTS)
def test_a_set_has_as_many_items_as_is_published(shared_data, entries, name):
    root = shared_data.with_name("data-cmlm") if name.startswith(MORE) else shared_data
    found = read_dataset(root, entries[name])
    counts = counts_of(found)
    assert {key: counts.get(key, 0) for key in COUNTS[name]} == COUNTS[name]
    if name.startswith("sts"):
        # in the layout of SentEval too
        folder = f"semeval-sts-senteval/STS{name.removeprefix('sts')}-en-test"
        other = read_dataset(shared_data, {**entries[name], "path": folder})
        assert (other.subset, other.gold) == (found.subset, found.gold)
    elif name.startswith("multisimlex"):
        assert found.dropped.get("empty_cell", 0) <= 0.02 * 1888
    elif "mentions" in vars(found):
        assert set(found.dropped) <= {"no_concept", "unknown_concept"}
    elif name.startswith("paws-x-") and name != "paws-x-pool":
        assert set(found.labels) == {"0", "1"} and 0.18 < counts["test"] / 2000 < 0.22


def test_the_sets_of_tatoeba_are_all_counted(entries):
    assert {name for name in entries if name.startswith("tatoeba-")} == {
        name for name in COUNTS if name.startswith("tatoeba-")
    }


def test_medic_covers_nearly_all_mentions_once_prefixes_are_gone(shared_data, entries):
    found = read_dataset(shared_data, entries["ncbi-disease"])
    known = {concept for concepts in found.name_concepts for concept in concepts}
    assert sum(bool(known & set(parts[0])) for parts in found.gold) / len(found.gold) > 0.99


def test_a_lexicon_repeats_sources(shared_data, entries):
    found = read_dataset(shared_data, {**entries["bli-it-fr"], "vocabulary_size": 0})
    assert len({source for source, _ in found.test}) == 1936
    assert len(set(found.target_vocabulary)) == len(found.target_vocabulary)


def text(reader, files):
    return {"kind": "text", "texts": [{"reader": reader, "files": [files]}]}


STSB = {"kind": "sentences", "format": "sts-benchmark", "path": "sts-benchmark/sts-train.csv"}
BITEXT = [{"path": "bitext-tatoeba/afr.tsv.gz"}]
BITEXT += [{"path": "bitext-bible/est.tsv.gz", "columns": [2, 3]}]
BITEXT += [{"source": "ntrex-128/newstest2019-src.eng.txt.gz"}]
BITEXT[-1]["target"] = "ntrex-128/newstest2019-ref.afr.txt.gz"
IN_ALL = {"kind": "nli", "path": "xnli-15way/sentences.{language}.txt.gz"}
IN_ALL["languages"] = ["ar", "bg", "de", "el", "en", "es", "fr", "hi", "ru", "sw", "th", "tr"]
IN_ALL["languages"] += ["ur", "vi", "zh"]
IN_ALL["labels"] = "xnli-15way/labels.txt"
NLI = {"kind": "nli", "path": "nli-sample/snli-train-sample.json"}
GZIPPED = {"kind": "nli", "path": "nli-sample/mnli-train-sample.json.gz"}


@pytest.mark.parametrize(
    ("root", "block", "strings", "exact"),
    [
        ("data", STSB, 2 * 5749, True),
        ("data-cmlm", {"kind": "bitext", "pairs": BITEXT}, 945 + 3000 + 1997, True),
        ("data-cmlm", IN_ALL, 5010, True),
        ("data", NLI, 8000, False),
        ("data", GZIPPED, 8000, False),
    ],
)
def test_corpora_are_of_all_strings(shared_data, root, block, strings, exact):
    dropped = Counter()
    options = read_corpus_block("mine", {**block, "size": "all"})
    found = list(options.strings(shared_data.with_name(root), 0, dropped))
    assert len(found) + dropped.total() == strings if exact else len(found) > strings
    if block is STSB:
        # enough for the paper's corpus
        assert len(set(found)) >= 10_000
    elif block is IN_ALL:
        assert sorted({line.split("||")[2] for line in found}) == XNLI


@pytest.mark.parametrize(
    ("block", "documents", "pairs"),
    [
        (text("wikiextractor", "wikipedia-en/AA/wiki_0*"), 1000, 10_000),
        (text("blank-line-documents", "text-es-xquad/*"), 48, 900),
        (text("gutenberg", "gutenberg/1342-0.txt*"), 1, 2000),
        (text("document", "../data-cmlm/ordered-novels/it-*"), 1, 1000),
    ],
)
def test_real_text_has_neighbours(shared_data, block, documents, pairs):
    options = read_corpus_block("mine", {**block, "size": "all"})
    found = list(options.documents(shared_data, 0, Counter()))
    assert len(found) >= documents
    assert sum(len(document) - 1 for document in found) >= pairs
