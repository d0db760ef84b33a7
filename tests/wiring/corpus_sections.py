"""The keys of corpora: other values of each, and what they reach."""

from typing import Any

from variations import Change, Section
from wiring_project import shorter

PAGE = frozenset({"write_table_block block"})
SAMPLE = frozenset({"sample_corpus --block"})
ALIKE = SAMPLE | {"sample_corpus input"}
OTHER_KIND = SAMPLE | {"sample_corpus input", "sample_corpus resources"}
# cells are compared with the paper's where these say so, and white space is as by default
WIRED = {"paper": PAGE, "assumed": PAGE, "whitespace": SAMPLE | PAGE, "kind": OTHER_KIND}
COMPARED = "says with what cells are compared, not what is computed"
SAME = {"paper": COMPARED, "assumed": COMPARED}
READER = {"language": "for the reader only"}
FILES = {f"{key}.files": None for key in ("texts[]", "kept_out[]")}
LINES = {"reader": "lines", "files": ["made/strings.txt"], "document_ids": "made/ids-6.txt"}
TABLE = {"reader": "tsv", "files": ["made/columns.tsv"], "columns": [1]}
IDENTIFIED = "documents are not told apart in what is kept out"


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


def common(path: str | None = None, other: str = "names") -> dict[str, Any]:
    """Return the changes of the keys that all kinds have; a file of repeated, uneven lines."""
    given = {} if path is None else {"path": path}
    block = {"kind": other, "path": "made/strings.txt", "size": 10}
    return {
        "kind": Change(other, block=block),
        **{"paper": ["first"], "assumed": "something", "size": 9},
        "deduplicate": Change(False, given),
        "whitespace": Change("collapsed", given),
    }


WIKIMATRIX = {"path": "wikimatrix/WikiMatrix.en-es.tsv", "format": "wikimatrix", "size": "all"}
MRCONSO = {"path": "umls/MRCONSO.RRF", "format": "mrconso", "size": "all"}
HEADED = {"path": "nli/en.tsv", "columns": ["sentence1", "gold_label"]}
XNLI = {"path": "xnli-15way/sentences.{language}.txt.gz", "labels": "xnli-15way/labels.txt"}
ONE_FILE = {"path": "made/inference.tsv", "languages": None}
TITLES = [f'{{"title": "Row  {n}", "text": "It is {n}."}}\n' * 2 for n in range(12)]
REVIEWS = "cls-acl10-unprocessed/en/books/test.review"

SECTIONS = {
    "corpora.frequent-words": Section(
        base={"kind": "frequent-words", "language": "en", "size": 30},
        wires=SAMPLE,
        wired={**WIRED, "path": SAMPLE | {"sample_corpus input"}, "kind": OTHER_KIND},
        changes={**common("made/words-2.txt"), "language": "fr", "path": "made/words.txt"},
        same_number=SAME,
    ),
    "corpora.names": Section(
        base={"kind": "names", "path": "made/repeated.txt", "size": 30},
        wires=SAMPLE,
        wired={**WIRED, "path": SAMPLE | {"sample_corpus input"}, "kind": ALIKE},
        changes={
            **common(other="sentences"),
            "path": shorter("made/repeated.txt"),
            "format": Change("obo", {"path": "made/names.obo"}),
            "language": Change("FRE", MRCONSO),
            "sources": Change(["MSH"], MRCONSO),
            "suppress": Change(["O"], MRCONSO),
        },
        same_number=SAME,
    ),
    "corpora.sentences": Section(
        base={"kind": "sentences", "path": "made/repeated.txt", "size": 30},
        wires=SAMPLE,
        wired={**WIRED, "path": SAMPLE | {"sample_corpus input"}, "kind": ALIKE},
        changes={
            **common(),
            "path": shorter("made/repeated.txt"),
            "format": Change("wikimatrix", {**WIKIMATRIX, "format": "lines"}),
            "side": Change("right", WIKIMATRIX),
            "margin": Change(1.2, WIKIMATRIX),
        },
        same_number={**SAME, **READER},
    ),
    "corpora.random-strings": Section(
        base={"kind": "random-strings", "size": 30},
        wires=SAMPLE,
        wired={**WIRED, "kind": OTHER_KIND},
        changes={
            **common(),
            "deduplicate": Change(False, {"min_length": 1, "max_length": 1}),
            **{"min_length": 5, "max_length": 8, "words": 2},
        },
        same_number={**SAME, "whitespace": "made strings have single spaces"},
    ),
    "corpora.joined": Section(
        base={"kind": "joined", "of": ["strings", "repeated"]},
        wires=SAMPLE,
        wired={
            **WIRED,
            "kind": OTHER_KIND | {"sample_corpus --root"},
            "of": SAMPLE | {"sample_corpus input"},
        },
        changes={**common(), "of": ["strings-2", "repeated"], "exponent": 0.5},
        same_number={**SAME, **READER},
    ),
    "corpora.text": Section(
        base={
            **{"kind": "text", "size": "all", "minimum_letters": 3, "held_out": 5},
            "texts": [{"reader": "blank-line-documents", "files": ["made/text.txt"]}],
            "kept_out": kept_out("kept-out"),
        },
        wires=SAMPLE,
        wired={
            **{**WIRED, "kind": OTHER_KIND},
            **dict.fromkeys(
                (
                    *("texts[].files", "texts[].document_ids"),
                    *("kept_out[].files", "kept_out[].document_ids"),
                ),
                SAMPLE | {"sample_corpus input"},
            ),
        },
        changes={
            **{
                **common(),
                **kept_out_changes("kept-out"),
                "minimum_letters": 40,
                "part": "held_out",
            },
            "held_out": 3,
            "texts[].reader": "lines",
            "texts[].files": ["shorter/made/text.txt"],
            "texts[].columns": Change([2], {"texts": [TABLE]}),
            "texts[].document_ids": Change("made/ids-8.txt", {"texts": [LINES]}),
        },
        same_number={**SAME, **READER, "kept_out[].document_ids": IDENTIFIED},
        not_changed={"whitespace": "of running text always collapsed"},
    ),
    "corpora.bitext": Section(
        base={
            **{"kind": "bitext", "size": 30, "kept_out": kept_out("kept-out-2")},
            "pairs": [{"source": "made/repeated.txt", "target": "made/repeated-2.txt"}],
        },
        wires=SAMPLE,
        wired={
            **{**WIRED, "kind": ALIKE},
            **dict.fromkeys(
                (
                    *("pairs[].source", "pairs[].target", "pairs[].path"),
                    *("kept_out[].files", "kept_out[].document_ids"),
                ),
                SAMPLE | {"sample_corpus input"},
            ),
        },
        changes={
            **{**common(), **kept_out_changes("kept-out-2")},
            "pairs[].source": "shorter/made/repeated.txt",
            "pairs[].target": "shorter/made/repeated-2.txt",
            "pairs[].path": Change("shorter/made/two.tsv", {"pairs": [{"path": "made/two.tsv"}]}),
            "pairs[].columns": Change([2, 1], {"pairs": [{"path": "made/two.tsv"}]}),
            "pairs[].margin": Change(
                1.2, {"pairs": [{"path": WIKIMATRIX["path"], "margin": 1.0}], "size": "all"}
            ),
        },
        same_number={**SAME, **READER, "kept_out[].document_ids": IDENTIFIED},
    ),
    "corpora.nli": Section(
        base={"kind": "nli", "path": "nli/{language}.tsv", "languages": ["en", "es"], "size": 30},
        wires=SAMPLE,
        wired={
            **WIRED,
            **dict.fromkeys(
                ("path", "labels", "languages", "premise_language", "hypothesis_language", "kind"),
                SAMPLE | {"sample_corpus input"},
            ),
        },
        changes={
            **common(),
            "deduplicate": Change(False, ONE_FILE),
            "whitespace": Change("collapsed", ONE_FILE),
            "path": "shorter/nli/{language}.tsv",
            "columns": Change(["sentence2", "sentence1", "gold_label"], ONE_FILE),
            "labels": Change("shorter/xnli-15way/labels.txt", XNLI),
            "languages": ["en", "fr"],
            "premise_language": Change(
                "fr", {"languages": None, "premise_language": "en", "hypothesis_language": "es"}
            ),
            "hypothesis_language": Change(
                "fr", {"languages": None, "premise_language": "en", "hypothesis_language": "es"}
            ),
        },
        same_number=SAME,
    ),
    "corpora.labelled": Section(
        base={"kind": "labelled", "size": "all", "texts": [{"path": "made/double.txt"}]},
        wires=SAMPLE,
        wired={**WIRED, "kind": OTHER_KIND, "texts[].path": SAMPLE | {"sample_corpus input"}},
        changes={
            **common(),
            "texts[].path": "shorter/made/double.txt",
            "texts[].columns": Change(["sentence2", "gold_label"], {"texts": [HEADED]}),
            "texts[].where": Change({"gold_label": "neutral"}, {"texts": [HEADED]}),
            "texts[].label": "last",
            "texts[].label_end": Change(":", {"texts": [{"path": "made/ends.txt"}]}),
            "texts[].positive_above": Change(
                4.0,
                {
                    "texts": [
                        {"path": REVIEWS, "columns": ["text", "rating"], "positive_above": 3.0}
                    ]
                },
            ),
            "texts[].encoding": Change("iso-8859-1", {"texts": [{"path": "made/latin.txt"}]}),
            "divided": {"train": 3, "development": 1},
            "part": Change("development", {"divided": {"train": 3, "development": 1}}),
        },
        same_number=SAME,
        not_changed={"texts[].hypotheses": "of pairs of texts, which this kind refuses"},
    ),
    "corpora.table": Section(
        base={"kind": "table", "path": "made/titles.jsonl", "column": "title", "size": 8},
        files={"made/titles.jsonl": "".join(TITLES)},
        wires=SAMPLE,
        wired={**WIRED, "path": SAMPLE | {"sample_corpus input"}, "kind": ALIKE},
        changes={
            **common(),
            "path": shorter("made/titles.jsonl"),
            "column": "text",
            "where": {"text": "It is 3."},
        },
        same_number=SAME,
    ),
    "corpora.absent": Section(
        base={"kind": "absent", "reason": "nobody has it"},
        wires=PAGE,
        wired={"kind": PAGE | {"sample_corpus added"}},
        changes=common(),
        same_number={"reason": "what cells show instead of a number"},
        no_command=dict.fromkeys(
            ("paper", "assumed", "deduplicate", "whitespace"), "there is no such corpus"
        ),
    ),
}
