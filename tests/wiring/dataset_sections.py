"""The keys of data sets: other values of each, and what they reach."""

from collections.abc import Mapping
from typing import Any

from variations import Change, Section
from wiring_project import shorter

PAGE = frozenset({"write_table_block block"})
READ = frozenset({"read_dataset --block"})
FILES = READ | {"read_dataset input"}
# cells are compared with the paper's where these say so, and white space is as by default
WIRED = {"unlike_paper": PAGE, "assumed": PAGE, "whitespace": READ | PAGE, "path": FILES}
WIRED |= {"suite": PAGE, "absent": PAGE}
COMPARED = "says with what cells are compared, not what is computed"
SAME = {"unlike_paper": COMPARED, "assumed": COMPARED, "obtain": "a part of a message"}
SAME |= {"suite": "the same strings, in a job with others", "absent": "cells that show the reason"}
# where files have no two spaces in a row; they are collapsed at one place, for all formats
EVEN = {"whitespace": "strings of this file have single spaces; scored-pairs has others"}
ONE_TASK = {"task": "the only one of its items"}
MATCHED = {"whitespace": "of strings that are matched always collapsed"}


def dataset(
    form: str,
    task: str,
    base: Mapping[str, Any],
    changes: Mapping[str, Any],
    files: tuple[str, ...] = (),
    wired: Mapping[str, frozenset[str]] | None = None,
    same: Mapping[str, str] | None = None,
    fixed: Mapping[str, str] | None = None,
) -> Section:
    """Return the section of a format; `files` are keys of files, `fixed` has no second value."""
    other = {"task": "similarity", "format": "simlex", "language": "en", "path": "made/simlex.txt"}
    if form == "simlex":
        other |= {"format": "scored-pairs", "path": "made/scores.tsv"}
    common = {
        "format": Change(other["format"], block=other),
        **{"absent": "nobody has it", "obtain": "ask", "unlike_paper": "it is shorter"},
        **{"assumed": "its order", "language": "xx", "suite": "apart"},
    }
    path = base.get("path")
    if isinstance(path, str):
        common["path"] = shorter(path)
    page = PAGE if task != "similarity" else frozenset()
    reached = {
        **WIRED,
        **dict.fromkeys(files, FILES),
        "format": FILES | page,
        **(wired or {}),
    }
    wires = READ
    if task == "lexicon":
        # read by a rule of its own, and its scores go by its id
        wires = _of_lexicons(READ)
        reached = {key: _of_lexicons(options) for key, options in reached.items()}
        reached |= {"format": PAGE | {"read_dataset added", "read_lexicon gone"}}
        reached["suite"] = frozenset()
    return Section(
        base={"task": task, "format": form, **base},
        wires=wires,
        changes={**common, **changes},
        wired=reached,
        same_number={**SAME, **(same or {})},
        not_changed=ONE_TASK if fixed is None else fixed,
    )


def _of_lexicons(options: frozenset[str]) -> frozenset[str]:
    return frozenset(one.replace("read_dataset", "read_lexicon") for one in options)


ENGLISH = {"language": "en"}
LINKING = {"dictionary": "made/dictionary.txt", "language": "en"}
LINKING_CHANGES = {
    "dictionary": shorter("made/dictionary.txt"),
    "dictionary_format": "id-tab-name",
    "shared_names": "merged",
    "lower_case": False,
    "keep_duplicates": False,
    "composite_gold": "aligned",
}
FIXED = {**ONE_TASK, **MATCHED}
PART = {"path": "made/classes.txt"}
CLASSES = {
    **{"language": "en", "train": [PART], "development": [{"path": "made/classes-2.txt"}]},
    "test": [{"path": "made/classes-2.txt"}],
}
HEADED = {"path": "nli/en.tsv", "columns": ["sentence1", "sentence2", "gold_label"]}
XNLI = ["xnli-15way/sentences.en.txt.gz", "xnli-15way/labels.txt"]
REVIEWS = "cls-acl10-unprocessed/en/books/test.review"
FIRST = "A woman is reading a newspaper on a bench in the park."


def part_changes(part: str) -> dict[str, Any]:
    """Return the changes of the keys of a part (all, train, ...) of labelled texts."""

    def given(block: Mapping[str, Any]) -> dict[str, Any]:
        if part == "all":
            whole = {"train": None, "development": None, "test": None, "all": [dict(block)]}
        else:
            whole = {name: [dict(block)] for name in ("train", "development", "test")}
        return whole

    ends, latin = {"path": "made/ends.txt"}, {"path": "made/latin.txt"}
    stars = {"path": REVIEWS, "columns": ["text", "rating"], "positive_above": 3.0}
    changes = {
        "path": Change(shorter(PART["path"]), given(PART)),
        "columns": Change(["sentence2", "sentence1", "gold_label"], given(HEADED)),
        "where": Change({"sentence1": FIRST}, given(HEADED)),
        "hypotheses": Change(2, given({"path": XNLI, "hypotheses": 3})),
        "label": Change("last", given(PART)),
        "label_end": Change(":", given(ends)),
        "positive_above": Change(4.0, given(stars)),
        "encoding": Change("iso-8859-1", given(latin)),
    }
    return {f"{part}[].{key}": change for key, change in changes.items()}


PARTS = ("all", "train", "development", "test")

_SECTIONS = [
    dataset(
        "semeval-sts",
        "similarity",
        {**ENGLISH, "path": "semeval-sts-original/STS12-en-test"},
        {"subsets": ["MSRpar"]},
        files=("subsets",),
        same=EVEN,
    ),
    dataset(
        "sts-benchmark",
        "similarity",
        {**ENGLISH, "path": "sts-benchmark"},
        {"split": "dev"},
        ("split",),
        same=EVEN,
    ),
    dataset(
        "sick",
        "similarity",
        {**ENGLISH, "path": "sick/semeval2014"},
        {"split": "dev"},
        ("split",),
        same=EVEN,
    ),
    dataset(
        "simlex", "similarity", {**ENGLISH, "path": "simlex-999/SimLex-999.txt"}, {}, same=EVEN
    ),
    dataset(
        "multi-simlex",
        "similarity",
        {**ENGLISH, "path": "multi-simlex"},
        {"language": "fr"},
        same=EVEN,
    ),
    dataset(
        "multi-simlex-pairs",
        "similarity",
        {"language": "en-fr", "languages": ["en", "fr"], "path": "multi-simlex"},
        {"languages": ["en", "es"], "both_orders": False, "largest_difference": 0.2},
        same=EVEN,
    ),
    dataset(
        "sts2017",
        "similarity",
        {"language": "es", "path": "sts2017", "track": "track3.es-es"},
        {"track": "track1.ar-ar"},
        ("track",),
        same=EVEN,
    ),
    dataset(
        "stsb-multi-mt",
        "similarity",
        {"language": "ru", "path": "stsb-multi-mt"},
        {"language": "de", "split": "dev"},
        ("language", "split"),
        same=EVEN,
    ),
    dataset("qnli", "pair-classification", {**ENGLISH, "path": "qnli/dev.tsv"}, {}, same=EVEN),
    dataset(
        "qqp",
        "pair-classification",
        {**ENGLISH, "path": "qqp/quora_duplicate_questions.tsv", "size": 30},
        {"size": 20, "seed": 4},
        same=EVEN,
    ),
    dataset(
        "labelled-pairs",
        "pair-classification",
        {
            **{**HEADED, **ENGLISH, "positive": ["entailment", "neutral"]},
            "negative": ["contradiction"],
        },
        {
            "columns": ["sentence2", "sentence1", "gold_label"],
            **{"positive": ["entailment"], "negative": ["other"]},
        },
        same=EVEN,
    ),
    dataset(
        "labelled-texts",
        "classification",
        CLASSES,
        {
            **{key: one for part in PARTS for key, one in part_changes(part).items()},
            "task": "relatedness",
            "whitespace": Change("kept", {"train": [{"path": "made/double.txt"}]}),
            "divided": Change(
                {"train": 3, "test": 1},
                {"all": [PART], "train": None, "development": None, "test": None},
            ),
            "features": "all",
        },
        tuple(f"{part}[].path" for part in PARTS),
        wired={"task": READ | PAGE},
        fixed={},
    ),
    dataset(
        "parallel-sentences",
        "bitext-retrieval",
        {"language": "en-fr", "left": "made/strings.txt", "right": "made/repeated.txt"},
        {"left": "made/repeated-2.txt", "right": "made/repeated-2.txt"},
        ("left", "right"),
    ),
    dataset(
        "tatoeba",
        "bitext-retrieval",
        {"language": "es-en", "path": "tatoeba-v1/tatoeba.spa-eng"},
        {"path": "tatoeba-v1/tatoeba.fra-eng"},
        same=EVEN,
    ),
    dataset(
        "pubtator",
        "entity-linking",
        {
            **{**ENGLISH, "path": "ncbi-disease/NCBItestset_corpus.txt"},
            **{"dictionary": "bel-dictionaries/medic_06Jul2012.txt.gz"},
            **{"dictionary_format": "medic", "preprocessing": "biosyn"},
            **{"training_mentions": ["ncbi-disease/NCBIdevelopset_corpus.txt"]},
            "typos": "made/typos.txt",
        },
        {
            **LINKING_CHANGES,
            "dictionary": shorter("bel-dictionaries/medic_06Jul2012.txt.gz"),
            "dictionary_format": "id-name",
            "training_mentions": [shorter("ncbi-disease/NCBIdevelopset_corpus.txt")],
            "typos": "bel-dictionaries/ncbi-spell-check.txt",
            "mention_type": "Modifier",
            "lower_case": Change(False, {"preprocessing": "none"}),
        },
        ("dictionary", "training_mentions", "typos", "preprocessing"),
        fixed=FIXED,
    ),
    dataset(
        "biosyn",
        "entity-linking",
        {**LINKING, "path": "made/links"},
        LINKING_CHANGES,
        ("dictionary",),
        fixed=FIXED,
    ),
    dataset(
        "mention-rows",
        "entity-linking",
        {**LINKING, "path": "made/rows.tsv", "dictionary": "made/kb.txt"},
        {
            **LINKING_CHANGES,
            **{"mention": "written", "dictionary_format": "id-name"},
            "dictionary": shorter("made/kb.txt"),
        },
        ("dictionary",),
        fixed=FIXED,
    ),
    dataset(
        "askapatient",
        "entity-linking",
        {**LINKING, "path": "made/phrases"},
        {**LINKING_CHANGES, "split": "train", "fold": 1, "form": "preprocessed"},
        ("dictionary", "split", "fold", "form"),
        fixed=FIXED,
    ),
    dataset(
        "cometa",
        "entity-linking",
        {**LINKING, "path": "made/terms"},
        {**LINKING_CHANGES, "split": "dev", "concept": "specific"},
        ("dictionary", "split"),
        fixed=FIXED,
    ),
    dataset(
        "xling-eval",
        "lexicon",
        {"source": "en", "target": "fr", "path": "made/lexicon", "vocabulary_size": 3},
        {
            **{"source": "es", "target": "es", "train": "1k", "test": "1k", "vocabulary_size": 5},
            **{"source_words": "made/words.txt", "target_words": "made/words.txt"},
        },
        ("source", "target", "train", "test", "source_words", "target_words"),
        fixed=FIXED,
    ),
    dataset(
        "corpus",
        "isotropy",
        {**ENGLISH, "corpus": "strings"},
        {"corpus": "repeated", "whitespace": Change("collapsed", {"corpus": "repeated"})},
        ("corpus",),
    ),
    dataset(
        "sentence-pool",
        "language-bias",
        {
            "path": "paws-x/dev-{language}.tsv",
            "languages": ["en", "es", "zh"],
            "untranslated": "NS",
        },
        {"languages": ["en", "fr"], "column": 2, "untranslated": None},
        ("languages",),
        same=EVEN,
    ),
    dataset(
        "scored-pairs",
        "similarity",
        {**ENGLISH, "path": "made/headed.tsv", "columns": ["left", "right", "score"]},
        {"columns": ["right", "left", "score"], "lowest": 3.0, "highest": 2.0},
    ),
]
SECTIONS = {f"datasets.{section.base['format']}": section for section in _SECTIONS}
