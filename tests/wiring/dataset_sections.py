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
    *paths: str,
    wired: Mapping[str, frozenset[str]] | None = None,
    same: Mapping[str, str] = EVEN,
    fixed: Mapping[str, str] = ONE_TASK,
    **more: Any,
) -> Section:
    """Return the section of a format; `paths` are keys of files, `fixed` has no second value.

    The language is English unless the block says otherwise.
    """
    other = {"task": "similarity", "format": "simlex", "language": "en", "path": "made/simlex.txt"}
    if form == "simlex":
        other |= {"format": "scored-pairs", "path": "made/scores.tsv"}
    common: dict[str, Any] = {"format": Change(other["format"], block=other)}
    if "path" in base:
        common["path"] = shorter(base["path"])
    page = PAGE if task != "similarity" else frozenset()
    reached = {**WIRED, **dict.fromkeys(paths, FILES), "format": FILES | page, **(wired or {})}
    wires = READ
    if task == "lexicon":
        # read by a rule of its own, and its scores go by its id
        wires = _of_lexicons(READ)
        reached = {key: _of_lexicons(options) for key, options in reached.items()}
        reached |= {"format": PAGE | {"read_dataset added", "read_lexicon gone"}}
        reached["suite"] = frozenset()
    language = {} if form in ("xling-eval", "sentence-pool") else {"language": "en"}
    return Section(
        base={"task": task, "format": form, **language, **base},
        wires=wires,
        changes={**common, **changes},
        wired=reached,
        same_number={**SAME, **same},
        not_changed=fixed,
        **more,
    )


def _of_lexicons(options: frozenset[str]) -> frozenset[str]:
    return frozenset(one.replace("read_dataset", "read_lexicon") for one in options)


def similarity(
    form: str, base: Mapping[str, Any], changes: Mapping[str, Any], *paths: str, **more: Any
) -> Section:
    return dataset(form, "similarity", base, changes, *paths, **more)


def linking(form: str, base: Mapping[str, Any], changes: Mapping[str, Any], *paths: str) -> Section:
    """Return the section of a format of mentions over a dictionary."""
    base = {"dictionary": "made/dictionary.txt", **base}
    common = {"dictionary": shorter(base["dictionary"]), "dictionary_format": "id-tab-name"}
    changes, fixed = {**common, **changes}, {**ONE_TASK, **MATCHED}
    return dataset(
        form, "entity-linking", base, changes, "dictionary", *paths, fixed=fixed, same={}
    )


PARTS = ("all", "train", "development", "test")
PART = {"path": "made/classes.txt"}
CLASSES = {
    "train": [PART],
    **{part: [{"path": "made/classes-2.txt"}] for part in ("development", "test")},
}
HEADED = {"path": "nli/en.tsv", "columns": ["sentence1", "sentence2", "gold_label"]}
TURNED = ["sentence2", "sentence1", "gold_label"]
XNLI = ["xnli-15way/sentences.en.txt.gz", "xnli-15way/labels.txt"]
REVIEWS = "cls-acl10-unprocessed/en/books/test.review"
FIRST = "A woman is reading a newspaper on a bench in the park."
MEDIC = "bel-dictionaries/medic_06Jul2012.txt.gz"
DEVELOPMENT = "ncbi-disease/NCBIdevelopset_corpus.txt"


def part_changes(part: str) -> dict[str, Any]:
    """Return the changes of the keys of a part (all, train, ...) of labelled texts."""

    def given(block: Mapping[str, Any]) -> dict[str, Any]:
        names = ("all",) if part == "all" else PARTS[1:]
        return dict.fromkeys(PARTS[1:]) | {name: [dict(block)] for name in names}

    stars = {"path": REVIEWS, "columns": ["text", "rating"], "positive_above": 3.0}
    changes = {
        "path": Change(shorter(PART["path"]), given(PART)),
        "columns": Change(TURNED, given(HEADED)),
        "where": Change({"sentence1": FIRST}, given(HEADED)),
        "hypotheses": Change(2, given({"path": XNLI, "hypotheses": 3})),
        "label": Change("last", given(PART)),
        "label_end": Change(":", given({"path": "made/ends.txt"})),
        "positive_above": Change(4.0, given(stars)),
        "encoding": Change("iso-8859-1", given({"path": "made/latin.txt"})),
    }
    return {f"{part}[].{key}": change for key, change in changes.items()}


_SECTIONS = [
    similarity(
        "semeval-sts",
        {"path": "semeval-sts-original/STS12-en-test"},
        {"subsets": ["MSRpar"]},
        "subsets",
    ),
    similarity("sts-benchmark", {"path": "sts-benchmark"}, {"split": "dev"}, "split"),
    similarity("sick", {"path": "sick/semeval2014"}, {}, "split"),
    similarity("simlex", {"path": "simlex-999/SimLex-999.txt"}, {}),
    similarity("multi-simlex", {"path": "multi-simlex"}, {"language": "fr"}),
    similarity(
        "multi-simlex-pairs",
        {"language": "en-fr", "languages": ["en", "fr"], "path": "multi-simlex"},
        {"languages": ["en", "es"], "largest_difference": 0.2},
    ),
    similarity(
        "sts2017",
        {"language": "es", "path": "sts2017", "track": "track3.es-es"},
        {},
        "track",
    ),
    similarity(
        "stsb-multi-mt",
        {"language": "ru", "path": "stsb-multi-mt"},
        {"language": "de", "split": "dev"},
        *("language", "split"),
    ),
    similarity(
        "scored-pairs",
        {"path": "made/headed.tsv", "columns": ["left", "right", "score"]},
        {"columns": ["right", "left", "score"], "lowest": 3.0, "highest": 2.0},
        same={},
    ),
    dataset("qnli", "pair-classification", {"path": "qnli/dev.tsv"}, {}),
    dataset(
        "qqp",
        "pair-classification",
        {"path": "qqp/quora_duplicate_questions.tsv", "size": 30},
        {},
    ),
    dataset(
        "labelled-pairs",
        "pair-classification",
        {**HEADED, "positive": ["entailment", "neutral"], "negative": ["contradiction"]},
        {"columns": TURNED, "positive": ["entailment"], "negative": ["other"]},
    ),
    dataset(
        "labelled-texts",
        "classification",
        CLASSES,
        {
            **{key: one for part in PARTS for key, one in part_changes(part).items()},
            "task": "relatedness",
            "whitespace": Change("kept", {"train": [{"path": "made/double.txt"}]}),
            "divided": Change({"train": 3, "test": 1}, {"all": [PART], **dict.fromkeys(PARTS[1:])}),
        },
        *(f"{part}[].path" for part in PARTS),
        wired={"task": READ | PAGE},
        same={},
        fixed={},
    ),
    dataset(
        "parallel-sentences",
        "bitext-retrieval",
        {"language": "en-fr", "left": "made/strings.txt", "right": "made/repeated.txt"},
        dict.fromkeys(("left", "right"), "made/repeated-2.txt"),
        *("left", "right"),
        same={},
    ),
    dataset(
        "tatoeba",
        "bitext-retrieval",
        {"language": "es-en", "path": "tatoeba-v1/tatoeba.spa-eng"},
        {"path": "tatoeba-v1/tatoeba.fra-eng"},
    ),
    linking(
        "pubtator",
        {
            **{"path": "ncbi-disease/NCBItestset_corpus.txt", "dictionary": MEDIC},
            **{"dictionary_format": "medic", "preprocessing": "biosyn"},
            **{"training_mentions": [DEVELOPMENT], "typos": "made/typos.txt"},
        },
        {
            **{"dictionary_format": "id-name", "training_mentions": [shorter(DEVELOPMENT)]},
            **{"typos": "bel-dictionaries/ncbi-spell-check.txt", "mention_type": "Modifier"},
            "lower_case": Change(False, {"preprocessing": "none"}),
        },
        *("training_mentions", "typos", "preprocessing"),
    ),
    linking("biosyn", {"path": "made/links"}, {}),
    linking(
        "mention-rows",
        {"path": "made/rows.tsv", "dictionary": "made/kb.txt"},
        {"dictionary_format": "id-name"},
    ),
    linking(
        "askapatient",
        {"path": "made/phrases"},
        {"split": "train"},
        *("split", "fold", "form"),
    ),
    linking("cometa", {"path": "made/terms"}, {"split": "dev"}, "split"),
    dataset(
        "xling-eval",
        "lexicon",
        {"source": "en", "target": "fr", "path": "made/lexicon", "vocabulary_size": 3},
        {
            **{"source": "es", "target": "es", "train": "1k", "test": "1k", "vocabulary_size": 5},
            **dict.fromkeys(("source_words", "target_words"), "made/words.txt"),
        },
        *("source", "target", "train", "test", "source_words", "target_words"),
        same={},
        fixed={**ONE_TASK, **MATCHED},
    ),
    dataset(
        "corpus",
        "isotropy",
        {"corpus": "strings"},
        {"corpus": "repeated", "whitespace": Change("collapsed", {"corpus": "repeated"})},
        "corpus",
        same={},
    ),
    dataset(
        "sentence-pool",
        "language-bias",
        {
            **{"path": "paws-x/dev-{language}.tsv", "languages": ["en", "es", "zh"]},
            "untranslated": "NS",
        },
        {"languages": ["en", "fr"]},
        "languages",
    ),
]
SECTIONS = {f"datasets.{section.base['format']}": section for section in _SECTIONS}
