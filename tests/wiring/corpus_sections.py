"""The keys of corpora: other values of each, and what they reach."""

from collections.abc import Mapping
from typing import Any

from variations import Change, Section
from wiring_project import shorter

PAGE = frozenset({"write_table_block block"})
SAMPLE = frozenset({"sample_corpus --block"})
ALIKE = SAMPLE | {"sample_corpus input"}
OTHER_KIND = SAMPLE | {"sample_corpus input", "sample_corpus resources"}
COMPARED = "says with what cells are compared, not what is computed"
READER = {"language": "for the reader only"}
LINES = {"reader": "lines", "files": ["made/strings.txt"], "document_ids": "made/ids-6.txt"}
TABLE = {"reader": "tsv", "files": ["made/columns.tsv"], "columns": [1]}
IDENTIFIED = {"kept_out[].document_ids": "documents are not told apart in what is kept out"}


def of_kind(kind: str) -> Change:
    """Return the change of a block to one of another kind, which has these keys alone."""
    return Change(kind, block={"kind": kind, "path": "made/strings.txt", "size": 10})


def corpus(
    base: Mapping[str, Any],
    changes: Mapping[str, Any],
    *paths: str,
    other: str = "names",
    kind: frozenset[str] = OTHER_KIND,
    same: Mapping[str, str] | None = None,
    **more: Any,
) -> Section:
    """Return the section of a kind; `paths` are keys of files.

    `other` is another kind of the same strings, and `kind` what it reaches: inputs (`ALIKE`), or
    memory and time too.
    """
    # cells are compared with the paper's where these say so, and white space is as by default
    wired = {"paper": PAGE, "assumed": PAGE, "whitespace": SAMPLE | PAGE, "kind": kind}
    common = {"kind": of_kind(other), "paper": ["first"], "size": 9}
    return Section(
        base=base,
        wires=SAMPLE,
        wired={**wired, **dict.fromkeys(paths, ALIKE)},
        changes={**common, **changes},
        same_number={"paper": COMPARED, "assumed": COMPARED, **(same or {})},
        **more,
    )


def uneven(given: Mapping[str, Any]) -> dict[str, Change]:
    """Return changes of what is done to strings, with keys that name repeated, uneven ones."""
    return {"deduplicate": Change(False, given), "whitespace": Change("collapsed", given)}


def kept_out(name: str) -> list[dict[str, Any]]:
    return [{"reader": "lines", "files": [f"made/{name}.txt"]}]


def kept_out_changes(name: str) -> dict[str, Any]:
    """Return the changes of the keys of files whose strings are kept out."""
    table = {"reader": "tsv", "files": [f"made/{name}.tsv"], "columns": [1]}
    return {
        "kept_out[].reader": "numbered-lines",
        "kept_out[].files": [f"shorter/made/{name}.txt"],
        "kept_out[].columns": Change([2], {"kept_out": [table]}),
        "kept_out[].document_ids": Change("made/ids-8.txt", {"kept_out": [LINES]}),
    }


def files_of(key: str) -> tuple[str, str]:
    return f"{key}[].files", f"{key}[].document_ids"


WIKIMATRIX = {"path": "wikimatrix/WikiMatrix.en-es.tsv", "format": "wikimatrix", "size": "all"}
MRCONSO = {"path": "umls/MRCONSO.RRF", "format": "mrconso", "size": "all"}
HEADED = {"path": "nli/en.tsv", "columns": ["sentence1", "gold_label"]}
XNLI = {"path": "xnli-15way/sentences.{language}.txt.gz", "labels": "xnli-15way/labels.txt"}
ONE_FILE = {"path": "made/inference.tsv", "languages": None}
TWO_LANGUAGES = {"languages": None, "premise_language": "en", "hypothesis_language": "es"}
TWO_COLUMNS = {"pairs": [{"path": "made/two.tsv"}]}
MINED = {"pairs": [{"path": WIKIMATRIX["path"], "margin": 1.0}], "size": "all"}
TITLES = [f'{{"title": "Row  {n}", "text": "It is {n}."}}\n' * 2 for n in range(12)]
REVIEWS = {
    "path": "cls-acl10-unprocessed/en/books/test.review",
    **{"columns": ["text", "rating"], "positive_above": 3.0},
}
DIVIDED = {"train": 3, "development": 1}

SECTIONS = {
    "corpora.frequent-words": corpus(
        {"kind": "frequent-words", "language": "en", "size": 30},
        {**uneven({"path": "made/words-2.txt"}), "language": "fr", "path": "made/words.txt"},
        "path",
    ),
    "corpora.names": corpus(
        {"kind": "names", "path": "made/repeated.txt", "size": 30},
        {
            "path": shorter("made/repeated.txt"),
            "format": Change("obo", {"path": "made/names.obo"}),
            "language": Change("FRE", MRCONSO),
            "sources": Change(["MSH"], MRCONSO),
            "suppress": Change(["O"], MRCONSO),
        },
        "path",
        other="sentences",
        kind=ALIKE,
    ),
    "corpora.sentences": corpus(
        {"kind": "sentences", "path": "made/repeated.txt", "size": 30},
        {
            "path": shorter("made/repeated.txt"),
            "format": Change("wikimatrix", {**WIKIMATRIX, "format": "lines"}),
            "side": Change("right", WIKIMATRIX),
            "margin": Change(1.2, WIKIMATRIX),
        },
        "path",
        kind=ALIKE,
        same=READER,
    ),
    "corpora.random-strings": corpus(
        {"kind": "random-strings", "size": 30},
        {"deduplicate": Change(False, {"min_length": 1, "max_length": 1})},
        same={"whitespace": "made strings have single spaces"},
    ),
    "corpora.joined": corpus(
        {"kind": "joined", "of": ["strings", "repeated"]},
        {"of": ["strings-2", "repeated"], "exponent": 0.5},
        "of",
        kind=OTHER_KIND | {"sample_corpus --root"},
        same=READER,
    ),
    "corpora.text": corpus(
        {
            **{"kind": "text", "size": "all", "minimum_letters": 3, "held_out": 5},
            "texts": [{"reader": "blank-line-documents", "files": ["made/text.txt"]}],
            "kept_out": kept_out("kept-out"),
        },
        {
            **kept_out_changes("kept-out"),
            "minimum_letters": 40,
            **{"texts[].reader": "lines", "texts[].files": ["shorter/made/text.txt"]},
            "texts[].columns": Change([2], {"texts": [TABLE]}),
            "texts[].document_ids": Change("made/ids-8.txt", {"texts": [LINES]}),
        },
        *files_of("texts"),
        *files_of("kept_out"),
        same={**READER, **IDENTIFIED},
        not_changed={"whitespace": "of running text always collapsed"},
    ),
    "corpora.bitext": corpus(
        {
            **{"kind": "bitext", "size": 30, "kept_out": kept_out("kept-out-2")},
            "pairs": [{"source": "made/repeated.txt", "target": "made/repeated-2.txt"}],
        },
        {
            **kept_out_changes("kept-out-2"),
            "pairs[].source": "shorter/made/repeated.txt",
            "pairs[].target": "shorter/made/repeated-2.txt",
            "pairs[].path": Change("shorter/made/two.tsv", TWO_COLUMNS),
            "pairs[].columns": Change([2, 1], TWO_COLUMNS),
            "pairs[].margin": Change(1.2, MINED),
        },
        *("pairs[].source", "pairs[].target", "pairs[].path", *files_of("kept_out")),
        kind=ALIKE,
        same={**READER, **IDENTIFIED},
    ),
    "corpora.nli": corpus(
        {"kind": "nli", "path": "nli/{language}.tsv", "languages": ["en", "es"], "size": 30},
        {
            **uneven(ONE_FILE),
            "path": "shorter/nli/{language}.tsv",
            "columns": Change(["sentence2", "sentence1", "gold_label"], ONE_FILE),
            "labels": Change("shorter/xnli-15way/labels.txt", XNLI),
            "languages": ["en", "fr"],
            "premise_language": Change("fr", TWO_LANGUAGES),
            "hypothesis_language": Change("fr", TWO_LANGUAGES),
        },
        *("path", "labels", "languages", "premise_language", "hypothesis_language"),
        kind=ALIKE,
    ),
    "corpora.labelled": corpus(
        {"kind": "labelled", "size": "all", "texts": [{"path": "made/double.txt"}]},
        {
            "texts[].path": "shorter/made/double.txt",
            "texts[].columns": Change(["sentence2", "gold_label"], {"texts": [HEADED]}),
            "texts[].where": Change({"gold_label": "neutral"}, {"texts": [HEADED]}),
            "texts[].label_end": Change(":", {"texts": [{"path": "made/ends.txt"}]}),
            "texts[].positive_above": Change(4.0, {"texts": [REVIEWS]}),
            "texts[].encoding": Change("iso-8859-1", {"texts": [{"path": "made/latin.txt"}]}),
            "divided": DIVIDED,
            "part": Change("development", {"divided": DIVIDED}),
        },
        "texts[].path",
        not_changed={"texts[].hypotheses": "of pairs of texts, which this kind refuses"},
    ),
    "corpora.table": corpus(
        {"kind": "table", "path": "made/titles.jsonl", "column": "title", "size": 8},
        {
            "path": shorter("made/titles.jsonl"),
            "column": "text",
            "where": {"text": "It is 3."},
        },
        "path",
        kind=ALIKE,
        files={"made/titles.jsonl": "".join(TITLES)},
    ),
    "corpora.absent": Section(
        base={"kind": "absent", "reason": "nobody has it"},
        wires=PAGE,
        wired={"kind": PAGE | {"sample_corpus added"}},
        changes={"kind": of_kind("names"), "paper": ["first"]},
        same_number={"reason": "what cells show instead of a number"},
        no_command=dict.fromkeys(
            ("paper", "assumed", "deduplicate", "whitespace"), "there is no such corpus"
        ),
    ),
}
