"""Readers of pairs with a label, and of the strings of a corpus."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.datasets.catalogue import corpus_files, raw_files, read_dataset
from workflow_scripts.datasets.pair_rows import read_pair_rows
from workflow_scripts.errors import UserError


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = text.encode()
    path.write_bytes(gzip.compress(raw) if path.name.endswith(".gz") else raw)


def mistake(root, block):
    with pytest.raises(UserError) as caught:
        read_dataset(root, block, "mine")
    return str(caught.value)


def numbered(pairs, indent=4):
    """Return pairs in the form of the JSON samples."""
    entries = {
        str(i): dict(zip(("text_a", "text_b", "label"), pair, strict=True))
        for i, pair in enumerate(pairs)
    }
    return json.dumps(entries, indent=indent)


# --- rows of pairs -----------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1)
ROWS = st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=6)


@given(ROWS, st.sampled_from([None, 2, 4]))
def test_numbered_entries_come_back_in_order_with_their_lines(tmp_path_factory, rows, indent):
    path = tmp_path_factory.mktemp("rows") / "rows.json"
    text = numbered(rows, indent)
    write(path, text)
    found = list(read_pair_rows(path, ["a", "b", "label"]))
    assert [tuple(fields) for _, fields in found] == rows
    lines = text.split("\n")
    for number, (line, _) in enumerate(found):
        assert f'"{number}":' in lines[line - 1]


@given(ROWS)
def test_rows_of_text_come_back_whatever_quotes_they_hold(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("rows") / "rows.tsv"
    write(path, "".join("\t".join(row) + "\n" for row in [("x", "y", "z"), *rows]))
    found = list(read_pair_rows(path, ["x", "y", "z"]))
    assert [(line, tuple(fields)) for line, fields in found] == list(enumerate(rows, start=2))


# --- QNLI --------------------------------------------------------------------------------------

QNLI = {"task": "pair-classification", "format": "qnli", "language": "en"}
QNLI_HEADER = "index\tquestion\tsentence\tlabel\n"
GOOD_QNLI = QNLI_HEADER + '0\twhy?\t"so\tentailment\n1\twho?\tme\tnot_entailment\n'


def test_qnli_reads_the_file_of_glue(tmp_path):
    write(tmp_path / "qnli/dev.tsv", GOOD_QNLI)
    pairs = read_dataset(tmp_path, QNLI)
    assert (pairs.left, pairs.right) == (["why?", "who?"], ['"so', "me"])
    assert (pairs.label, pairs.dropped) == ([1, 0], {})


@pytest.mark.parametrize("name", ["s.json", "s.json.gz"])
def test_qnli_reads_a_sample_of_numbered_entries(tmp_path, name):
    rows = [("q", "s", "not_entailment"), ("r", "t", "entailment")]
    write(tmp_path / name, numbered(rows))
    pairs = read_dataset(tmp_path, {**QNLI, "path": name})
    assert (pairs.left, pairs.right, pairs.label) == (["q", "r"], ["s", "t"], [0, 1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("index\tquestion\tsentence\n", ":1: the header has no column 'label'"),
        (GOOD_QNLI + "2\tq\tentailment\n", ":4: expected a row with question"),
        (GOOD_QNLI + "2\tq\ts\tyes\n", ":4: expected a label among not_entailment, entailment"),
        (GOOD_QNLI + "2\tq\t \tentailment\n", ":4: a question or sentence is empty"),
        (GOOD_QNLI + "1\tq\ts\tentailment\n", ":4: index '1' occurs twice"),
        (QNLI_HEADER, "no pair with label 0"),
        (QNLI_HEADER + "0\tq\ts\tnot_entailment\n", "no pair with label 1"),
    ],
)
def test_qnli_names_file_and_line_of_a_malformed_row(tmp_path, text, message):
    write(tmp_path / "qnli/dev.tsv", text)
    found = mistake(tmp_path, QNLI)
    assert "qnli/dev.tsv" in found
    assert message in found


GOOD_ENTRIES = '{\n"0": {"text_a": "q", "text_b": "s", "label": "entailment"},\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD_ENTRIES + '"1": {"text_a": "q", "label": "x"}}', ":3: expected an object with the"),
        (GOOD_ENTRIES + '"1": {"text_a": "q", "text_b": 1, "label": "x"}}', ":3: expected an obj"),
        (
            GOOD_ENTRIES + '"1": {"text_a": "q", "text_b": "s", "label": "x"}}',
            ":3: expected a label",
        ),
        (
            GOOD_ENTRIES + '"0": {"text_a": "q", "text_b": "s", "label": "x"}}',
            ":3: entry '0' occurs twice",
        ),
        (GOOD_ENTRIES + '"1": ', ":3: not valid JSON"),
        ("[]", ":1: expected a JSON object"),
    ],
)
def test_numbered_entries_name_file_and_line_of_a_malformed_one(tmp_path, text, message):
    write(tmp_path / "s.json", text)
    assert f"s.json{message}" in mistake(tmp_path, {**QNLI, "path": "s.json"})


# --- QQP ---------------------------------------------------------------------------------------

QQP = {"task": "pair-classification", "format": "qqp", "language": "en", "path": "q.tsv"}
QQP_HEADER = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"


def qqp_rows(labels):
    return "".join(f"{i}\t1\t2\tleft {i}\tright {i}\t{label}\n" for i, label in enumerate(labels))


def test_qqp_counts_the_rows_that_upstream_broke_and_those_without_a_question(tmp_path):
    rows = qqp_rows([0, 1]) + "2\t1\t2\thalf a question\nthe rest\tright\t0\n3\t1\t2\t\tright\t1\n"
    write(tmp_path / "q.tsv", QQP_HEADER + rows)
    pairs = read_dataset(tmp_path, QQP)
    assert (pairs.left, pairs.right) == (["left 0", "left 1"], ["right 0", "right 1"])
    assert pairs.label == [0, 1]
    assert pairs.dropped == {"broken_row": 2, "empty_question": 1}


def test_qqp_reads_quoted_csv(tmp_path):
    text = '"id","question1","question2","is_duplicate"\n"0","a, ""b""","c\nd","0"\n"1","e","f","1"'
    write(tmp_path / "q.csv", text)
    pairs = read_dataset(tmp_path, {**QQP, "path": "q.csv"})
    assert (pairs.left, pairs.right) == (['a, "b"', "e"], ["c\nd", "f"])


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


@pytest.mark.parametrize(
    ("rows", "change", "message"),
    [
        (qqp_rows([0, 1]) + "2\t1\t2\ta\tb\t2\n", {}, "q.tsv:4: expected a label among 0, 1"),
        (qqp_rows([0, 1]) + "1\t1\t2\ta\tb\t1\n", {}, "q.tsv:4: id '1' occurs twice"),
        (qqp_rows([0, 1]), {"size": 3}, "q.tsv: option 'size' cannot be 3, there are 2 pairs"),
        (qqp_rows([0, 1]), {"size": 0}, "q.tsv: option 'size' cannot be 0"),
        ("half\na question\n", {}, "no pair with label 0 in"),
    ],
)
def test_qqp_names_file_and_line_of_a_mistake(tmp_path, rows, change, message):
    write(tmp_path / "q.tsv", QQP_HEADER + rows)
    assert message in mistake(tmp_path, {**QQP, **change})


# --- strings of a corpus -----------------------------------------------------------------------

ISOTROPY = {"task": "isotropy", "format": "corpus", "language": "en", "corpus": "words-en"}


def test_the_strings_of_a_made_corpus_are_read_from_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert corpus_files(ISOTROPY) == ["results/corpora/words-en.txt"]
    assert raw_files("root", ISOTROPY) == []
    assert "results/corpora/words-en.txt: no such file" in mistake("root", ISOTROPY)
    write(tmp_path / "results/corpora/words-en.txt", "the\nto\n")
    assert read_dataset("root", ISOTROPY).strings == ["the", "to"]
    write(tmp_path / "results/corpora/words-en.txt", "the\nto\nthe\n the \n")
    repeated = read_dataset("root", ISOTROPY)
    assert (repeated.strings, repeated.dropped) == (["the", "to"], {"repeated": 2})
    write(tmp_path / "results/corpora/words-en.txt", "\n")
    assert "no string in results/corpora/words-en.txt" in mistake("root", ISOTROPY)


def test_other_formats_read_no_made_corpus():
    assert corpus_files(QNLI) == []


# --- labelled pairs in general -----------------------------------------------------------------

PAIRS = {
    "task": "pair-classification",
    "format": "labelled-pairs",
    "language": "en",
    "path": "p.tsv",
    "positive": ["entailment"],
    "negative": ["neutral", "contradiction"],
}
COLUMNS = ["text 1", "text 2", "class"]


@pytest.mark.parametrize(
    ("name", "columns", "text"),
    [
        ("p.tsv", None, "a\tb\tneutral\nc\td\tentailment\textra\n"),
        ("p.tsv", COLUMNS, "class\ttext 1\ttext 2\r\nneutral\ta\tb\r\nentailment\tc\td\r\n"),
        ("p.csv", COLUMNS, 'class,"text 1",text 2\nneutral,"a",b\nentailment,c,d\n'),
        ("p.json", COLUMNS, numbered([("a", "b", "neutral"), ("c", "d", "entailment")])),
        (
            "p.jsonl",
            COLUMNS,
            '{"text 1": "a", "text 2": "b", "class": "neutral"}\n'
            '{"class": "entailment", "text 2": "d", "text 1": "c", "n": 1}\n',
        ),
    ],
)
def test_labelled_pairs_read_each_layout(tmp_path, name, columns, text):
    write(tmp_path / name, text)
    pairs = read_dataset(tmp_path, {**PAIRS, "path": name, "columns": columns})
    assert (pairs.left, pairs.right, pairs.label) == (["a", "c"], ["b", "d"], [0, 1])


def test_labelled_pairs_read_three_aligned_files(tmp_path):
    files = {"s1": "a\nc\n", "s2": "b\nd\n", "labels": "entailment\nneutral\n"}
    for name, text in files.items():
        write(tmp_path / name, text)
    block = {**PAIRS, "path": list(files)}
    pairs = read_dataset(tmp_path, block)
    assert (pairs.left, pairs.right, pairs.label) == (["a", "c"], ["b", "d"], [1, 0])
    write(tmp_path / "labels", "entailment\nyes\n")
    assert "labels:2: expected a label among neutral, contradiction" in mistake(tmp_path, block)
    write(tmp_path / "labels", "entailment\n")
    assert "s1 has 2 lines but" in mistake(tmp_path, block)


def test_labels_may_be_numbers_in_config(tmp_path):
    write(tmp_path / "p.tsv", "a\tb\t0\nc\td\t1\n")
    block = {**PAIRS, "positive": [1], "negative": [0]}
    assert read_dataset(tmp_path, block).label == [0, 1]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a\tb\n", "p.tsv:2: expected a row of string"),
        ("a\t\tneutral\n", "p.tsv:2: a string is empty"),
        ("a\tb\tyes\n", "p.tsv:2: expected a label among"),
    ],
)
def test_labelled_pairs_name_file_and_line_of_a_malformed_row(tmp_path, row, message):
    write(tmp_path / "p.tsv", "a\tb\tneutral\n" + row)
    assert message in mistake(tmp_path, PAIRS)


# --- labelled sentences ------------------------------------------------------------------------

SENTENCES = {"task": "classification", "format": "labelled-sentences", "language": "en"}


def test_labelled_sentences_are_read_in_each_layout(tmp_path):
    write(tmp_path / "pos", "good film .\n")
    write(tmp_path / "neg", "bad film .\n\nworse\n")
    found = read_dataset(tmp_path, {**SENTENCES, "path": {"1": "pos", 0: "neg"}})
    assert found.sentences == ["good film .", "bad film .", "worse"]
    assert found.labels == ["1", "0", "0"]
    assert found.dropped == {"empty_sentence": 1}
    write(tmp_path / "last", "good \t1\nbad\t0\n")
    found = read_dataset(tmp_path, {**SENTENCES, "path": "last", "label": "last"})
    assert (found.sentences, found.labels) == (["good ", "bad"], ["1", "0"])
    (tmp_path / "first").write_bytes("NUM:dist How far ?\nHUM Qui est René ?\n".encode("latin-1"))
    block = {**SENTENCES, "path": "first"}
    found = read_dataset(tmp_path, {**block, "encoding": "iso-8859-1"})
    assert (found.sentences, found.labels) == (["How far ?", "Qui est René ?"], ["NUM:dist", "HUM"])
    assert "first:2: not UTF-8" in mistake(tmp_path, block)


@pytest.mark.parametrize(
    ("path", "options", "text", "message"),
    [
        ("f", {"path": "f"}, "a b\nword\n", "f:2: expected label sentence, found 'word'"),
        ("f", {"path": "f"}, "a b\n b\n", "f:2: expected label sentence"),
        ("f", {"path": "f", "label": "last"}, "a\tb\nword\n", "f:2: expected sentence<TAB>label"),
        ("f", {"path": {"x": "f"}}, "a\n", "no second label in"),
    ],
)
def test_labelled_sentences_name_file_and_line(tmp_path, path, options, text, message):
    write(tmp_path / path, text)
    assert message in mistake(tmp_path, {**SENTENCES, **options})


# --- parallel sentences ------------------------------------------------------------------------

BITEXT = {"task": "bitext", "format": "parallel-sentences", "language": "fr-en"}


def test_parallel_sentences_are_read_line_by_line(tmp_path):
    block = {**BITEXT, "left": "t.fra", "right": "t.eng"}
    write(tmp_path / "t.fra", "un\u2028e\r\ndeux\r\n")
    write(tmp_path / "t.eng", "one\ntwo\n")
    pairs = read_dataset(tmp_path, block)
    assert (pairs.left, pairs.right) == (["un\u2028e", "deux"], ["one", "two"])
    write(tmp_path / "t.eng", "one\n\n")
    assert "t.eng:2: a sentence is empty" in mistake(tmp_path, block)
    write(tmp_path / "t.eng", "one\n")
    assert "t.fra has 2 lines but" in mistake(tmp_path, block)
    write(tmp_path / "t.fra", "")
    write(tmp_path / "t.eng", "")
    assert "no pair in" in mistake(tmp_path, block)
