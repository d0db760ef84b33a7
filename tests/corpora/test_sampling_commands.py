"""The commands that make corpora."""

import gzip
import hashlib
import random
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.corpora.kinds import joined
from workflow_scripts.corpora.sample_corpus import draw_corpus, main
from workflow_scripts.errors import UserError

# --- drawing -----------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(["a", "b", " c", "c ", "", "d\u2028e", "f  g", "h", "i"])),
    st.integers(1, 8),
    st.booleans(),
    st.integers(0, 3),
    st.sampled_from(["kept", "collapsed"]),
)
def test_a_sample_is_a_part_of_the_source_in_its_order(source, size, deduplicate, seed, whitespace):
    drawing = (source, size, deduplicate, seed, 0, whitespace)
    corpus = draw_corpus(*drawing)
    pool = [text for text in source if text.strip()]
    if whitespace == "collapsed":
        pool = [" ".join(text.split()) for text in pool]
    if deduplicate:
        pool = list(dict.fromkeys(pool))
    assert len(corpus.strings) == min(size, len(pool))
    assert corpus.available == len(pool)
    rest = iter(pool)
    assert all(string in rest for string in corpus.strings)  # a subsequence of the pool
    assert corpus == draw_corpus(*drawing)
    assert corpus.found == len(source)
    assert corpus.found - corpus.blank - len(set(pool)) == corpus.duplicates


def test_seeds_draw_different_samples_and_size_all_takes_everything():
    source = [f"string {i}" for i in range(100)]
    samples = {tuple(draw_corpus(source, 10, True, seed).strings) for seed in range(5)}
    assert len(samples) == 5
    assert draw_corpus(source, "all", True, 0).strings == source
    assert draw_corpus(source, 3, True, None).strings == source[:3]


def test_a_sample_is_the_one_of_its_seed():
    source = [f"string {number}" for number in range(50)]
    places = sorted(random.Random(7).sample(range(50), 6))
    assert draw_corpus(source, 6, True, 7).strings == [source[place] for place in places]
    # of what is skipped nothing is drawn
    places = sorted(random.Random(7).sample(range(40), 6))
    assert draw_corpus(source, 6, True, 7, 10).strings == [source[10 + place] for place in places]
    assert draw_corpus(source, 2, True, None, 10).strings == source[10:12]


@pytest.mark.parametrize("option", ["--block", "--root", "--output", "--record"])
def test_an_option_that_is_missing_is_named(option, tmp_path):
    given = {"--block": "{}", "--root": ".", "--output": tmp_path / "c.txt", "--record": "r.json"}
    words = [str(word) for name in given if name != option for word in (name, given[name])]
    with pytest.raises(
        UserError, match=rf"^{option}: missing; see python -m .*sample_corpus --help"
    ):
        main(words)


# --- words -------------------------------------------------------------------------------------


def test_words_are_the_most_frequent_of_wordfreq(make):
    lines, record = make({"kind": "frequent-words", "language": "en", "size": 4})
    assert lines == ["the", "to", "and", "of"]
    assert record["seed"] is None
    assert set(record["versions"]) == {"python", "wordfreq"}


def test_buckets_of_words_by_frequency_follow_each_other_without_overlap(make, tmp_path):
    block = {"kind": "frequent-words", "language": "en", "size": 40}
    whole, _ = make(block)
    buckets = [make({**block, "size": 10, "skip": skip}) for skip in (0, 10, 20, 30)]
    assert [word for lines, _ in buckets for word in lines] == whole
    assert buckets[1][1]["block"]["skip"] == 10
    # of a list, where a repeated word and what is no word do not count
    (tmp_path / "l.txt").write_text("a\nb\na\n1\nc\nb\nd\ne\n", encoding="utf-8")
    block = {"kind": "frequent-words", "language": "xx", "path": "l.txt", "size": 2}
    assert [make({**block, "skip": skip})[0] for skip in (0, 2)] == [["a", "b"], ["c", "d"]]
    assert make({**block, "skip": 3, "size": "all"})[0] == ["d", "e"]
    assert make({**block, "skip": 2, "deduplicate": False})[0] == ["a", "c"]


def test_a_bucket_with_fewer_words_warns_and_one_with_none_is_refused(make, tmp_path, capsys):
    (tmp_path / "l.txt").write_text("a\nb\nc\n", encoding="utf-8")
    block = {"kind": "frequent-words", "language": "xx", "path": "l.txt", "size": 2}
    assert make({**block, "skip": 2})[0] == ["c"]
    assert "warning: corpus 'corpus': 2 strings asked for, 1 found" in capsys.readouterr().err
    for skip in (3, 30):
        with pytest.raises(UserError, match=rf"'corpus': skip {skip} passes over all 3 words"):
            make({**block, "skip": skip})


# --- random strings ----------------------------------------------------------------------------


def test_random_strings_are_different_and_the_same_for_the_same_seed(make):
    # 36 + 1,296 strings: half of all there are, so that repeats are drawn on the way
    block = {"kind": "random-strings", "size": 666, "min_length": 1, "max_length": 2}
    lines, record = make(block)
    assert len(set(lines)) == 666
    assert make(block, "--seed", "0")[0] == lines
    assert make(block, "--seed", "1")[0] != lines
    assert (record["seed"], record["found"], record["source_sha256"]) == (0, 666, [])
    repeated, record = make({**block, "deduplicate": False})
    assert len(repeated) == 666
    assert record["duplicates"] == 666 - len(set(repeated)) > 0


# --- names -------------------------------------------------------------------------------------


def rrf(language="ENG", source="MSH", string="Cold", suppress="N"):
    fields = ["C1", language, "P", "L1", "PF", "S1", "Y", "A1", "", "", "D1", source, "MH", "D1"]
    return "|".join([*fields, string, "0", suppress, "256"]) + "|\n"


@pytest.mark.parametrize("name", ["MRCONSO.RRF", "MRCONSO.RRF.gz"])
def test_names_of_umls_are_filtered_by_language_source_and_suppression(make, tmp_path, name):
    rows = rrf(string="Cold") + rrf(string="Old", suppress="O") + rrf("SPA", string="Frío")
    rows += rrf(source="RXNORM", string="Aspirin") + rrf(string="Fièvre, ENG") + rrf(string="Cold")
    raw = rows.encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    block = {"kind": "names", "format": "mrconso", "path": name, "size": "all"}
    assert make(block)[0] == ["Cold", "Aspirin", "Fièvre, ENG"]
    assert make({**block, "sources": ["MSH"]})[0] == ["Cold", "Fièvre, ENG"]
    assert make({**block, "language": "SPA"})[0] == ["Frío"]
    assert make({**block, "suppress": ["O"]})[0] == ["Old"]
    assert make({**block, "deduplicate": False})[0] == ["Cold", "Aspirin", "Fièvre, ENG", "Cold"]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (rrf().encode() + b"C1|ENG|Cold|\n", "M.RRF:2: expected the 18 columns of MRCONSO.RRF"),
        (rrf().encode() + b"caf\xe9\n", "M.RRF:2: not UTF-8"),
    ],
)
def test_a_malformed_umls_row_is_named(make, tmp_path, raw, message):
    (tmp_path / "M.RRF").write_bytes(raw)
    with pytest.raises(UserError, match=message):
        make({"kind": "names", "format": "mrconso", "path": "M.RRF", "size": 1})
    with pytest.raises(UserError, match=r"absent.RRF: no such file, needed by .*UMLS is licensed"):
        make({"kind": "names", "format": "mrconso", "path": "absent.RRF", "size": 1})


# --- sentences ---------------------------------------------------------------------------------


GLUE_QNLI = "index\tquestion\tsentence\tlabel\n0\twhy?\tso\tentailment\n"
GLUE_NLI = "index\tsentence1\tsentence2\tgold_label\n0\tone\ttwo\tneutral\n"
STANFORD_NLI = "gold_label\tsentence1_parse\tsentence1\tsentence2\n-\t(x)\tone\ttwo\n"
JSON_NLI = ' \n{"sentence2": "two", "sentence1": "one", "gold_label": "-"}\n'
SAMPLE = '{"0": {"text_a": "one", "text_b": "two", "label": "neutral"}}'
STSB = "g\tf\ty\t1\t3\tone\ttwo\ng\tf\ty\t2\t\ttwo\tthree\n"
MATRIX = '1.2\tHola\tHello\n1.04\tSí\tYes\n1.039\tNo\tNot\n1.1\t"a\tb\n'
BITEXT = 'A cat || a dog\none||two\none||two\na "b"||c, d\n'
LINES = "\ufeffone  a \r\n \r\ntwo\u2028b\r\nend"
ONE_TWO, REPEATS = ["one", "two"], {"deduplicate": False}


@pytest.mark.parametrize(
    ("form", "name", "text", "options", "expected"),
    [
        ("qnli", "s.tsv", GLUE_QNLI, {}, ["why?", "so"]),
        # the test split, which has no labels
        ("qnli", "s.tsv", "index\tquestion\tsentence\n0\twhy?\tso\n", {}, ["why?", "so"]),
        ("qnli", "s.json", SAMPLE, {}, ONE_TWO),
        ("nli", "s.tsv", GLUE_NLI, {}, ONE_TWO),
        ("nli", "s.txt", STANFORD_NLI, {}, ONE_TWO),
        ("nli", "s.jsonl", JSON_NLI, {}, ONE_TWO),
        ("nli", "s.json.gz", SAMPLE, {}, ONE_TWO),
        ("sts-benchmark", "t.csv", STSB, {}, ["one", "two", "three"]),
        ("sts-benchmark", "t.csv", STSB, REPEATS, ["one", "two", "two", "three"]),
        ("wikimatrix", "w.tsv", MATRIX, {}, ["Hola", "Sí", '"a']),
        ("wikimatrix", "w.tsv.gz", MATRIX, {"side": "right", "margin": 1.1}, ["Hello", "b"]),
        ("lines", "s.txt", LINES, {}, ["one  a ", "two\u2028b", "end"]),
        ("lines", "s.txt", LINES, {"whitespace": "collapsed"}, ["one a", "two b", "end"]),
        ("lines", "s.txt", BITEXT, {}, ["A cat || a dog", "one||two", 'a "b"||c, d']),
        ("lines", "s.txt", BITEXT, REPEATS, BITEXT.splitlines()),
        ("qnli", "s.tsv", GLUE_QNLI + "1\twho?\n", {}, "s.tsv:3: expected a row with question"),
        ("nli", "s.tsv", GLUE_QNLI, {}, "s.tsv:1: the header has no column 'sentence1'"),
        ("nli", "s.jsonl", JSON_NLI + "{\n", {}, "s.jsonl:3: not valid JSON"),
        ("nli", "s.jsonl", '\n{"sentence1": "a"}\n', {}, "s.jsonl:2: the object has no key 'sent"),
        (
            "nli",
            "s.json",
            '{\n"0": {"text_a": "a"}}',
            {},
            "s.json:2: the object has no key 'text_b",
        ),
        ("sts-benchmark", "t.csv", STSB + "a\tb\n", {}, "t.csv:3: expected an STS Benchmark row"),
        ("wikimatrix", "w.tsv", MATRIX + "x\ta\tb\n", {}, "w.tsv:5: expected a margin"),
        ("wikimatrix", "w.tsv", MATRIX + "1\ta\n", {}, "w.tsv:5: expected a row of margin"),
    ],
)
def test_sentences(make, tmp_path, form, name, text, options, expected):
    raw = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    block = {"kind": "sentences", "format": form, "path": name, "size": "all", **options}
    if isinstance(expected, list):
        assert make(block)[0] == expected
        return
    with pytest.raises(UserError) as caught:
        make(block)
    assert expected in str(caught.value)


# --- several corpora together ------------------------------------------------------------------


def test_joined_corpora_follow_each_other_without_repeats(make, tmp_path):
    block = {"kind": "joined", "of": ["one", "two"]}
    with pytest.raises(UserError, match=r"one.txt: no such file"):
        make(block)
    assert not (tmp_path / "out").exists()
    files = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for file, text in zip(files, ["the\nnon\na\n", "le\nnon\n"], strict=True):
        file.write_text(text, encoding="utf-8")
    lines, record = make(block)
    assert lines == ["the", "non", "a", "le"]
    assert (record["strings"], record["found"], record["duplicates"]) == (4, 5, 1)
    assert (record["requested"], record["seed"]) == ("all", None)
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    assert record["source_sha256"] == digests
    assert make({**block, "deduplicate": False})[0] == ["the", "non", "a", "le", "non"]


def test_a_small_part_of_a_joined_corpus_is_repeated_by_the_exponent(make, tmp_path):
    (tmp_path / "one.txt").write_text("".join(f"one {n}\n" for n in range(90)))
    (tmp_path / "two.txt").write_text("".join(f"two {n}\n" for n in range(10)))
    block = {"kind": "joined", "of": ["one", "two"], "exponent": 0.5}
    lines, record = make(block)
    assert (len(lines), record["seed"], record["requested"]) == (100, 0, "all")
    # 90 ** 0.5 : 10 ** 0.5 is 3 : 1
    assert sum(line.startswith("one") for line in lines) == 75
    assert lines[75:95] == [f"two {n}" for n in range(10)] * 2
    assert len(set(lines[95:])) == 5
    assert make(block)[0] == lines != make(block, "--seed", "1")[0]
    fewer, _ = make({**block, "exponent": 1.0, "size": 50})
    assert [line.split()[0] for line in fewer] == ["one"] * 45 + ["two"] * 5
    assert make({"kind": "joined", "of": ["one", "two"], "size": 50})[0] == fewer


@given(
    st.lists(st.integers(1, 30), min_size=2, max_size=4),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.integers(1, 200),
)
@settings(deadline=None)
def test_shares_of_a_joined_corpus_follow_the_power_and_copies_are_even(sizes, exponent, size):
    with tempfile.TemporaryDirectory() as folder:
        names = [f"c{number}" for number in range(len(sizes))]
        for name, number in zip(names, sizes, strict=True):
            lines = "".join(f"{name} {line}\n" for line in range(number))
            (Path(folder) / f"{name}.txt").write_text(lines)
        options = joined.Options(kind="joined", of=names, exponent=exponent, size=size)
        found = Counter(options.strings(Path(folder), 0, Counter()))
    assert sum(found.values()) == size
    total = sum(number**exponent for number in sizes)
    for name, number in zip(names, sizes, strict=True):
        times = [found[f"{name} {line}"] for line in range(number)]
        assert abs(sum(times) - size * number**exponent / total) < 1 + 1e-6
        assert max(times) - min(times) <= 1


def test_joined_running_text_keeps_its_documents(make, tmp_path):
    (tmp_path / "one.txt").write_text("a\nb\n\nc\nd\ne\n\nf\ng\n")
    (tmp_path / "two.txt").write_text("h\ni\nc\n\n")
    block = {"kind": "joined", "of": ["one", "two"]}
    lines, record = make(block)
    assert "/".join(lines) == "a/b//c/d/e//f/g//h/i/c"
    assert (record["documents"], record["strings"]) == (4, 10)
    lines, record = make({**block, "exponent": 0.0, "size": 12})
    # six lines each: whole documents of the one until there are six, two copies of the other
    assert "/".join(lines) == "a/b//c/d/e//f/g//h/i/c//h/i/c"
    fewer, _ = make({**block, "exponent": 0.0, "size": 6})
    drawn = "/".join(fewer).removesuffix("//h/i/c")
    assert drawn in ("a/b//c/d/e", "a/b//f/g", "c/d/e", "c/d/e//f/g")


# --- any size ----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1000, 100_000, "all"])
@pytest.mark.parametrize(
    "block",
    [
        {"kind": "names", "path": "s.txt"},
        {"kind": "names", "format": "obo", "path": "s.obo"},
        {"kind": "names", "format": "mrconso", "path": "M.RRF"},
        {"kind": "sentences", "path": "s.txt"},
        {"kind": "sentences", "format": "wikimatrix", "path": "s.tsv"},
        {"kind": "sentences", "format": "sts-benchmark", "path": "s.csv"},
        {"kind": "frequent-words", "language": "xx", "path": "words.txt"},
        {"kind": "frequent-words", "language": "en"},
        {"kind": "random-strings"},
    ],
    ids=lambda block: f"{block['kind']}-{block.get('format', block.get('path'))}",
)
def test_every_kind_gives_corpora_of_any_size(make, tmp_path, block, size):
    """Figure 5: from 1,000 to 100,000 strings."""
    if block["kind"] == "random-strings" and size == "all":
        size = 100_500  # there is no end of them
    available = 100_500
    if "path" in block:
        row = {
            "s.txt": "text {}\n",
            "s.obo": "name: text {}\n",
            "M.RRF": rrf(string="text {}"),
            "s.tsv": "1.1\ttext {}\tx\n",
            "words.txt": "{}\n",
            "s.csv": "a\tb\tc\t1\t2\ttext {}\ttext {}\n",
        }[block["path"]]
        # words have no digits: 0 to 9 become a to j
        digits = str.maketrans("0123456789", "abcdefghij")
        numbers = (str(number).translate(digits) for number in range(available))
        text = "".join(row.format(number, number) for number in numbers)
        (tmp_path / block["path"]).write_text(text, encoding="utf-8")
    else:
        available = 313_632  # words of wordfreq
    lines, record = make({**block, "size": size})
    assert len(lines) == len(set(lines)) == (available if size == "all" else size)
    assert record["requested"] == size


# --- mistakes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_corpus_is_refused_and_nothing_is_written(make, tmp_path, text):
    (tmp_path / "s.txt").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"corpus 'corpus': no strings in .*s.txt"):
        make({"kind": "sentences", "path": "s.txt", "size": 5})
    assert not (tmp_path / "out").exists()


def test_missing_and_undecodable_files_are_named(make, tmp_path):
    needed = r"s.txt: no such file, needed by corpus `corpus`; .*change `corpora.corpus.path`"
    with pytest.raises(UserError, match=needed):
        make({"kind": "names", "path": "s.txt", "size": 5})
    (tmp_path / "s.txt").write_bytes(b"one\ncaf\xe9\n")
    with pytest.raises(UserError, match=r"s.txt:2: not UTF-8"):
        make({"kind": "names", "path": "s.txt", "size": 5})
    assert not (tmp_path / "out").exists()


@pytest.mark.shared_data
def test_the_sts_benchmark_has_enough_sentences_for_the_papers_corpus(make, shared_data, tmp_path):
    (tmp_path / "data").symlink_to(shared_data)
    path = "data/sts-benchmark/sts-train.csv"
    block = {"kind": "sentences", "format": "sts-benchmark", "path": path, "size": 10_000}
    lines, record = make(block)
    assert len(set(lines)) == 10_000
    assert record["found"] == 2 * 5749
