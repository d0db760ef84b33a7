"""Readers of pairs with a label, and of the strings of a corpus."""

import json

from dataset_reading import cases, entry, given, mistake, raw_files, read_dataset, wrong
from written_files import write

from workflow_scripts.datasets.formats.register import read_entry


def numbered(pairs):
    """Return pairs in the form of the JSON samples."""
    entries = {
        str(i): dict(zip(("text_a", "text_b", "label"), pair, strict=True))
        for i, pair in enumerate(pairs)
    }
    return json.dumps(entries, indent=4)


# --- QNLI and QQP ------------------------------------------------------------------------------

QNLI = entry("pair-classification", "qnli")
QNLI_HEADER = "index\tquestion\tsentence\tlabel\n"
GOOD_QNLI = QNLI_HEADER + '0\twhy?\t"so\tentailment\n1\twho?\tme\tnot_entailment\n'
QNLI_FOUND = {"left": ["why?", "who?"], "right": ['"so', "me"], "label": [1, 0], "dropped": {}}
ONLY_0 = QNLI_HEADER + "0\tq\ts\tnot_entailment\n"
SAMPLE = numbered([("q", "s", "not_entailment"), ("r", "t", "entailment")])
SAMPLE_FOUND = {"left": ["q", "r"], "right": ["s", "t"], "label": [0, 1]}
GOOD_ENTRY = '{\n"0": {"text_a": "q", "text_b": "s", "label": "entailment"},\n'
BAD_LABEL = '{"text_a": "q", "text_b": "s", "label": "x"}}'
QQP = entry("pair-classification", "qqp", path="q.tsv")
QQP_HEADER = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"


def qqp_rows(labels):
    return "".join(f"{i}\t1\t2\tleft {i}\tright {i}\t{label}\n" for i, label in enumerate(labels))


GOOD_QQP = QQP_HEADER + qqp_rows([0, 1])
BROKEN_QQP = "2\t1\t2\thalf a question\nthe rest\tright\t0\n3\t1\t2\t\tright\t1\n"
QQP_CSV = '"id","question1","question2","is_duplicate"\n"0","a, ""b""","c\nd","0"\n"1","e","f","1"'

test_qnli_and_qqp = cases(
    ("the file of glue", QNLI, {"qnli/dev.tsv": GOOD_QNLI}, QNLI_FOUND),
    ("a sample", {**QNLI, "path": "s.json"}, {"s.json": SAMPLE}, SAMPLE_FOUND),
    ("gzipped", {**QNLI, "path": "s.json.gz"}, {"s.json.gz": SAMPLE}, SAMPLE_FOUND),
    ("no label 0", QNLI, {"qnli/dev.tsv": QNLI_HEADER}, "no pair with label 0"),
    ("no label 1", QNLI, {"qnli/dev.tsv": ONLY_0}, "no pair with label 1 in"),
    *wrong(
        (QNLI, "qnli/dev.tsv", ""),
        ("index\tquestion\tsentence\n", ":1: the header has no column 'label'"),
        (GOOD_QNLI + "2\tq\tentailment\n", ":4: expected a row with question"),
        (GOOD_QNLI + "2\tq\ts\tyes\n", ":4: expected a label among not_entailment, entailment"),
        (GOOD_QNLI + "2\tq\t \tentailment\n", ":4: a question or sentence is empty"),
        (GOOD_QNLI + "1\tq\ts\tentailment\n", ":4: index '1' occurs twice"),
    ),
    *wrong(
        ({**QNLI, "path": "s.json"}, "s.json", ""),
        (GOOD_ENTRY + '"1": {"text_a": "q", "label": "x"}}', ":3: the object has no key 'te"),
        (GOOD_ENTRY + '"1": {"text_a": "q", "text_b": 1, "label": "x"}}', ":3: the key 'text_b' h"),
        (GOOD_ENTRY + '"1": ' + BAD_LABEL, ":3: expected a label"),
        (GOOD_ENTRY + '"0": ' + BAD_LABEL, ":3: entry '0' occurs twice"),
        (GOOD_ENTRY + '"1": ', ":3: not valid JSON"),
        ("[]", ":1: expected a JSON object"),
    ),
    given("broken rows and no question", QQP, {"q.tsv": GOOD_QQP + BROKEN_QQP})(
        left=["left 0", "left 1"],
        right=["right 0", "right 1"],
        label=[0, 1],
        dropped={"broken_row": 2, "empty_question": 1},
    ),
    given("quoted csv", {**QQP, "path": "q.csv"}, {"q.csv": QQP_CSV})(
        left=['a, "b"', "e"], right=["c\nd", "f"]
    ),
    ("all broken", QQP, {"q.tsv": QQP_HEADER + "half\na question\n"}, "no pair with label 0 in"),
    ("size", {**QQP, "size": 3}, {"q.tsv": GOOD_QQP}, "q.tsv: `size` is 3, but there are 2 pairs"),
    ("no size", {**QQP, "size": 0}, {}, "`datasets.mine.size` is 0; give a number of 1 or more"),
    *wrong(
        (QQP, "q.tsv", GOOD_QQP),
        ("2\t1\t2\ta\tb\t2\n", ":4: expected a label among 0, 1"),
        ("1\t1\t2\ta\tb\t1\n", ":4: id '1' occurs twice"),
    ),
)


def test_qqp_draws_the_same_sample_for_the_same_seed(tmp_path):
    write(tmp_path / "q.tsv", QQP_HEADER + qqp_rows([0, 1] * 50))
    whole = read_dataset(tmp_path, QQP)
    draws = [read_dataset(tmp_path, {**QQP, "size": 30, "seed": seed}) for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]
    for draw in draws:
        assert draw.dropped == {"not_sampled": 70}
        drawn = list(zip(draw.left, draw.right, draw.label, strict=True))
        rest = iter(zip(whole.left, whole.right, whole.label, strict=True))
        assert len(set(drawn)) == 30
        assert all(pair in rest for pair in drawn)  # in the file's order, labels with their pairs
    assert read_dataset(tmp_path, {**QQP, "size": 100}).left == whole.left


# --- strings of a corpus -----------------------------------------------------------------------

ISOTROPY = entry("isotropy", "corpus", corpus="words-en")


def test_the_strings_of_a_made_corpus_are_read_from_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_entry("mine", ISOTROPY).corpora() == ["words-en"]
    assert raw_files("root", ISOTROPY) == []
    assert "results/corpora/words-en.txt: no such file" in mistake("root", ISOTROPY)
    write(tmp_path / "results/corpora/words-en.txt", "the\nto\n")
    assert read_dataset("root", ISOTROPY).strings == ["the", "to"]
    write(tmp_path / "results/corpora/words-en.txt", "the\n \nto\nthe\n the \n")
    repeated = read_dataset("root", ISOTROPY)
    assert (repeated.strings, repeated.dropped) == (["the", "to", " the "], {"repeated": 1})
    write(tmp_path / "results/corpora/words-en.txt", "\n")
    assert "no string in results/corpora/words-en.txt" in mistake("root", ISOTROPY)


# --- labelled pairs and sentences --------------------------------------------------------------

PAIRS = entry("pair-classification", "labelled-pairs", path="p.tsv")
PAIRS |= {"positive": ["entailment"], "negative": ["neutral", "contradiction"]}
HEADED = {**PAIRS, "columns": ["text 1", "text 2", "class"]}
ALIGNED = {**PAIRS, "path": ["s1", "s2", "labels"]}
NUMBERS = {**PAIRS, "positive": [1], "negative": [0]}
FOUND = {"left": ["a", "c"], "right": ["b", "d"], "label": [0, 1]}
HEADED_ROWS = "class\ttext 1\ttext 2\r\nneutral\ta\tb\r\nentailment\tc\td\r\n"
CSV_ROWS = 'class,"text 1",text 2\nneutral,"a",b\nentailment,c,d\n'
NUMBERED = numbered([("a", "b", "neutral"), ("c", "d", "entailment")])
JSON_LINES = (
    '{"text 1": "a", "text 2": "b", "class": "neutral"}\n'
    '{"class": "entailment", "text 2": "d", "text 1": "c", "n": 1}\n'
)


def aligned(labels):
    return {"s1": "a\nc\n", "s2": "b\nd\n", "labels": labels}


def texts(**parts):
    return entry("classification", "labelled-texts", **parts)


SENTENCES = texts(all={"path": "f"})
LAST = texts(all={"path": "f", "label": "last"})
PAIRS_BY_COLUMN = {"path": "p.tsv", "columns": ["b", "a", "y"]}
BLANK_LINE = {"pos": " \n", "neg": "worse\n.\n"}
TWO_FILES = {"pos": "good film .\n", "neg": "bad film .\n\nworse\n"}
TREC = "NUM:dist How far ?\nHUM Qui est René ?\n".encode("latin-1")
LATIN = texts(
    train={"path": "f", "encoding": "iso-8859-1", "label_end": ":"},
    test={"path": "g", "label_end": ":"},
)
THREE = texts(
    train=PAIRS_BY_COLUMN, development={"path": ["s1", "s2", "labels"]}, test=PAIRS_BY_COLUMN
)
LABELS = aligned("1\n2\n")
THREE_FILES = {"p.tsv": "a\tb\ty\nd\tc c\t1\ne\tf\t2\n", **LABELS}
BLANK_OF_PAIR = {"p.tsv": "a\tb\ty\nd\t\t1\n", **LABELS}
BITEXT = entry("bitext-retrieval", "parallel-sentences", left="l", right="r")
TATOEBA = entry("bitext-retrieval", "tatoeba", path="t.v1/tatoeba.fra-eng")
FRENCH, ENGLISH = "t.v1/tatoeba.fra-eng.fra", "t.v1/tatoeba.fra-eng.eng"

test_labelled_pairs_sentences_and_bitexts = cases(
    ("rows", PAIRS, {"p.tsv": "a\tb\tneutral\nc\td\t entailment\textra\n"}, FOUND),
    ("header", HEADED, {"p.tsv": HEADED_ROWS}, FOUND),
    ("csv", {**HEADED, "path": "p.csv"}, {"p.csv": CSV_ROWS}, FOUND),
    ("json", {**HEADED, "path": "p.json"}, {"p.json": NUMBERED}, FOUND),
    ("json lines", {**HEADED, "path": "p.jsonl"}, {"p.jsonl": JSON_LINES}, FOUND),
    ("three files", ALIGNED, aligned("neutral\nentailment\n"), FOUND),
    ("yes", ALIGNED, aligned("neutral\nyes\n"), "labels:2: expected a label among neutral, contra"),
    ("lengths", ALIGNED, aligned("neutral\n"), "s1: has 2 lines but"),
    ("labels are numbers", NUMBERS, {"p.tsv": "a\tb\t0\nc\td\t1\n"}, FOUND),
    *wrong(
        (PAIRS, "p.tsv", "a\tb\tneutral\n"),
        ("a\tb\n", ":2: expected a row of string"),
        ("a\t\tneutral\n", ":2: a string is empty"),
        ("a\tb\tyes\n", ":2: expected a label among"),
    ),
    given("a file for each label", texts(all={"path": {"1": "pos", 0: "neg"}}), TWO_FILES)(
        # the shortest first, of equal length by label; a blank line is a full stop
        texts=[["."], ["worse"], ["bad film ."], ["good film ."]],
        labels=["0", "0", "0", "1"],
        parts=["all"] * 4,
    ),
    # SentEval counts no words in it, so it stands before texts of one word
    given("a blank line", texts(all={"path": {"1": "pos", 0: "neg"}}), BLANK_LINE)(
        texts=[["."], ["worse"], ["."]], labels=["1", "0", "0"], parts=["all"] * 3
    ),
    given("label last", LAST, {"f": "good one \t1\nbad\t0\n"})(
        texts=[["bad"], ["good one"]], labels=["0", "1"], parts=["all"] * 2
    ),
    given("label first, in its encoding", LATIN, {"f": TREC, "g": "HUM:b c\nNUM:d e f\n"})(
        texts=[["How far ?"], ["Qui est René ?"], ["c"], ["e f"]],
        labels=["NUM", "HUM", "HUM", "NUM"],
        parts=["train", "train", "test", "test"],
    ),
    given("pairs, three parts", THREE, THREE_FILES)(
        texts=[["f", "e"], ["c c", "d"], ["a", "b"], ["c", "d"], ["f", "e"], ["c c", "d"]],
        labels=["2", "1", "1", "2", "2", "1"],
        parts=["train", "train", "development", "development", "test", "test"],
    ),
    ("encoding", SENTENCES, {"f": TREC}, "f:2: not UTF-8"),
    (
        "one label",
        texts(all={"path": {"x": "f"}}),
        {"f": "a\n"},
        "no second label of part `all` in",
    ),
    ("word", SENTENCES, {"f": "a b\nword\n"}, "f:2: expected label sentence, found 'word'"),
    ("no label", SENTENCES, {"f": "a b\n b\n"}, "f:2: expected label sentence"),
    ("no tab", LAST, {"f": "a\tb\nword\n"}, "f:2: expected sentence<TAB>label"),
    ("blank of a pair", THREE, BLANK_OF_PAIR, "p.tsv:2: a text or"),
    ("no test", texts(train={"path": "f"}), {"f": "a b\n"}, "give `all` alone, or `train` and"),
    given("parallel sentences", BITEXT, {"l": "un\u2028e\r\ndeux\r\n", "r": "one\ntwo\n"})(
        left=["un\u2028e", "deux"], right=["one", "two"]
    ),
    ("no translation", BITEXT, {"l": "un\ndeux\n", "r": "one\n\n"}, "r:2: a sentence is empty"),
    ("too few", BITEXT, {"l": "un\ndeux\n", "r": "one\n"}, "l: has 2 lines but"),
    ("no pair", BITEXT, {"l": "", "r": ""}, "no pair in"),
    given("tatoeba", TATOEBA, {FRENCH: "un\u0085e\ndeux", ENGLISH: "one\ntwo \n"})(
        left=["un\u0085e", "deux"], right=["one", "two "]
    ),
    (
        *("tatoeba, too few", TATOEBA, {FRENCH: "un\ndeux\n", ENGLISH: "one\n"}),
        "eng.eng has 1; line i of one must belong to line i of the other: fetch the files again",
    ),
    ("blank", TATOEBA, {FRENCH: "un\n \n", ENGLISH: "a\nb\n"}, "fra:2: a sentence is empty"),
    ("tatoeba, one file", TATOEBA, {FRENCH: "un\n"}, "tatoeba.fra-eng.eng: no such file"),
    ("tatoeba, folder", {**TATOEBA, "path": "t.v1"}, {}, "`datasets.mine.path` is 't.v1'; it must"),
)
