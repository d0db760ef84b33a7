"""The commands that make corpora."""

import gzip
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.corpora import (
    join_corpora,
    make_random_strings,
    sample_frequent_words,
    sample_names,
    sample_sentences,
)
from workflow_scripts.corpora.sampling import draw_corpus
from workflow_scripts.errors import UserError

COMMANDS = {
    "frequent-words": sample_frequent_words.main,
    "names": sample_names.main,
    "sentences": sample_sentences.main,
    "random-strings": make_random_strings.main,
}


@pytest.fixture
def make(tmp_path):
    """Make a corpus from a block; return its lines and its record."""

    def run(block, *more):
        output, record = tmp_path / "out/corpus.txt", tmp_path / "out/corpus.json"
        outputs = ["--output", str(output), "--record", str(record)]
        arguments = ["--block", json.dumps(block), "--root", str(tmp_path), *outputs, *more]
        COMMANDS[block["kind"]](arguments)
        text = output.read_bytes()
        found = json.loads(record.read_text(encoding="utf-8"))
        assert found["sha256"] == hashlib.sha256(text).hexdigest()
        lines = text.decode("utf-8").split("\n")
        assert lines.pop() == ""
        assert found["strings"] == len(lines)
        return lines, found

    return run


# --- drawing -----------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(["a", "b", " c", "c ", "", "d\u2028e", "f  g", "h", "i"])),
    st.integers(1, 8),
    st.booleans(),
    st.integers(0, 3),
)
def test_a_sample_is_a_part_of_the_source_in_its_order(source, size, deduplicate, seed):
    corpus = draw_corpus(source, size, deduplicate, seed)
    pool = [" ".join(text.split()) for text in source if text.strip()]
    if deduplicate:
        pool = list(dict.fromkeys(pool))
    assert len(corpus.strings) == min(size, len(pool))
    assert corpus.available == len(pool)
    rest = iter(pool)
    assert all(string in rest for string in corpus.strings)  # a subsequence of the pool
    assert corpus == draw_corpus(source, size, deduplicate, seed)
    assert corpus.found == len(source)
    assert corpus.found - corpus.blank - len(set(pool)) == corpus.duplicates


def test_seeds_draw_different_samples_and_size_all_takes_everything():
    source = [f"string {i}" for i in range(100)]
    samples = {tuple(draw_corpus(source, 10, True, seed).strings) for seed in range(5)}
    assert len(samples) == 5
    assert draw_corpus(source, "all", True, 0).strings == source
    assert draw_corpus(source, 3, True, None).strings == source[:3]


# --- words -------------------------------------------------------------------------------------


def test_words_are_the_most_frequent_of_wordfreq(make):
    lines, record = make({"kind": "frequent-words", "language": "en", "size": 4})
    assert lines == ["the", "to", "and", "of"]
    assert record["seed"] is None
    assert set(record["versions"]) == {"python", "wordfreq"}


def test_words_are_the_first_of_a_list(make, tmp_path):
    (tmp_path / "et.txt").write_text("on\n\n7\non\nja\nei\n", encoding="utf-8")
    block = {"kind": "frequent-words", "language": "et", "path": "et.txt", "size": 2}
    lines, record = make(block)
    assert lines == ["on", "ja"]
    assert record["duplicates"] == 1
    assert record["block"] == block
    digest = hashlib.sha256((tmp_path / "et.txt").read_bytes()).hexdigest()
    assert record["source_sha256"] == [digest]


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
    with pytest.raises(UserError, match=r"skip 400000 passes over all 313632 words"):
        make({"kind": "frequent-words", "language": "en", "size": 1, "skip": 400_000})


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


def test_all_strings_of_a_shape_can_be_had(make):
    lines, _ = make({"kind": "random-strings", "size": 36, "min_length": 1, "max_length": 1})
    assert sorted(lines) == sorted("abcdefghijklmnopqrstuvwxyz0123456789")


# --- names -------------------------------------------------------------------------------------


def test_names_are_drawn_from_lines(make, tmp_path):
    (tmp_path / "n.txt").write_text("".join(f"name  {i}\n" for i in range(50)), encoding="utf-8")
    block = {"kind": "names", "path": "n.txt", "size": 10}
    lines, record = make(block)
    assert len(set(lines)) == 10
    assert set(lines) <= {f"name {i}" for i in range(50)}
    assert record["available"] == 50
    assert make(block)[0] == lines
    assert make(block, "--seed", "1")[0] != lines


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
    with pytest.raises(UserError, match=r"absent.RRF: no such file; UMLS is licensed"):
        make({"kind": "names", "format": "mrconso", "path": "absent.RRF", "size": 1})


# --- sentences ---------------------------------------------------------------------------------


def test_sentences_of_the_sts_benchmark_are_those_of_both_columns(make, tmp_path):
    rows = "g\tf\ty\t1\t3\tone\ttwo\ng\tf\ty\t2\t\ttwo\tthree\n"
    (tmp_path / "t.csv").write_text(rows, encoding="utf-8")
    block = {"kind": "sentences", "format": "sts-benchmark", "path": "t.csv", "size": "all"}
    lines, record = make(block)
    assert lines == ["one", "two", "three"]
    assert (record["found"], record["duplicates"]) == (4, 1)
    assert make({**block, "deduplicate": False})[0] == ["one", "two", "two", "three"]
    (tmp_path / "t.csv").write_text(rows + "a\tb\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"t.csv:3: expected an STS Benchmark row"):
        make(block)


def test_sentences_of_wikimatrix_are_one_side_above_the_margin(make, tmp_path):
    rows = '1.2\tHola\tHello\n1.04\tSí\tYes\n1.039\tNo\tNot\n1.1\t"a\tb\n'
    (tmp_path / "w.tsv").write_text(rows, encoding="utf-8")
    block = {"kind": "sentences", "format": "wikimatrix", "path": "w.tsv", "size": "all"}
    assert make(block)[0] == ["Hola", "Sí", '"a']
    assert make({**block, "side": "right", "margin": 1.1})[0] == ["Hello", "b"]
    for row, message in [("x\ta\tb\n", "w.tsv:5: expected a margin"), ("1\ta\n", "w.tsv:5: exp")]:
        (tmp_path / "w.tsv").write_text(rows + row, encoding="utf-8")
        with pytest.raises(UserError, match=message):
            make(block)


def test_sentences_of_lines_are_normalised_and_blank_ones_left_out(make, tmp_path):
    (tmp_path / "s.txt").write_bytes("\ufeffone  a\r\n\r\ntwo\u2028b\r\nthree".encode())
    block = {"kind": "sentences", "path": "s.txt", "size": "all"}
    lines, record = make(block)
    assert lines == ["one a", "two b", "three"]
    assert record["blank"] == 1


GLUE_QNLI = "index\tquestion\tsentence\tlabel\n0\twhy?\tso\tentailment\n"
GLUE_NLI = "index\tsentence1\tsentence2\tgold_label\n0\tone\ttwo\tneutral\n"
STANFORD_NLI = "gold_label\tsentence1_parse\tsentence1\tsentence2\n-\t(x)\tone\ttwo\n"
SAMPLE = '{"0": {"text_a": "one", "text_b": "two", "label": "neutral"}}'


@pytest.mark.parametrize(
    ("form", "name", "text", "sentences"),
    [
        ("qnli", "s.tsv", GLUE_QNLI, ["why?", "so"]),
        # the test split, which has no labels
        ("qnli", "s.tsv", "index\tquestion\tsentence\n0\twhy?\tso\n", ["why?", "so"]),
        ("qnli", "s.json", SAMPLE, ["one", "two"]),
        ("nli", "s.tsv", GLUE_NLI, ["one", "two"]),
        ("nli", "s.txt", STANFORD_NLI, ["one", "two"]),
        (
            "nli",
            "s.jsonl",
            '{"sentence2": "two", "sentence1": "one", "gold_label": "-"}\n',
            ["one", "two"],
        ),
        ("nli", "s.json.gz", SAMPLE, ["one", "two"]),
    ],
)
def test_sentences_of_pairs_are_those_of_both_sides(make, tmp_path, form, name, text, sentences):
    raw = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    block = {"kind": "sentences", "format": form, "path": name, "size": "all"}
    assert make(block)[0] == sentences


@pytest.mark.parametrize(
    ("form", "name", "text", "message"),
    [
        ("qnli", "s.tsv", GLUE_QNLI + "1\twho?\n", "s.tsv:3: expected a row with question"),
        ("nli", "s.tsv", GLUE_QNLI, "s.tsv:1: the header has no column 'sentence1'"),
        (
            "nli",
            "s.jsonl",
            '{"sentence1": "a", "sentence2": "b"}\n{\n',
            "s.jsonl:2: not valid JSON",
        ),
        ("nli", "s.jsonl", '{"sentence1": "one"}\n', "s.jsonl:1: expected an object with the"),
        ("nli", "s.json", '{\n"0": {"text_a": "one"}}', "s.json:2: expected an object with the"),
    ],
)
def test_sentences_of_pairs_name_file_and_line(make, tmp_path, form, name, text, message):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        make({"kind": "sentences", "format": form, "path": name, "size": "all"})
    assert message in str(caught.value)


def test_wikimatrix_may_be_gzipped(make, tmp_path):
    (tmp_path / "w.tsv.gz").write_bytes(gzip.compress("1.2\tHola\tHello\n1\tSí\tYes\n".encode()))
    block = {"kind": "sentences", "format": "wikimatrix", "path": "w.tsv.gz", "size": "all"}
    assert make(block)[0] == ["Hola"]


# --- several corpora together ------------------------------------------------------------------


@pytest.fixture
def join(tmp_path):
    """Join two made corpora; return the lines and the record."""
    files = [tmp_path / "one.txt", tmp_path / "two.txt"]
    files[0].write_text("the\nnon\na\n", encoding="utf-8")
    files[1].write_text("le\nnon\n", encoding="utf-8")

    def run(corpora=files, **options):
        block = {"kind": "joined", "of": ["one", "two"], **options}
        outputs = ["--output", str(tmp_path / "o/c.txt"), "--record", str(tmp_path / "o/c.json")]
        arguments = ["--block", json.dumps(block), "--corpora", *map(str, corpora), *outputs]
        join_corpora.main(arguments)
        record = json.loads((tmp_path / "o/c.json").read_text(encoding="utf-8"))
        return (tmp_path / "o/c.txt").read_text(encoding="utf-8").split("\n")[:-1], record

    run.files = files
    return run


def test_joined_corpora_follow_each_other_without_repeats(join):
    lines, record = join()
    assert lines == ["the", "non", "a", "le"]
    assert (record["strings"], record["found"], record["duplicates"]) == (4, 5, 1)
    assert (record["requested"], record["seed"]) == ("all", None)
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in join.files]
    assert record["source_sha256"] == digests
    assert join(deduplicate=False)[0] == ["the", "non", "a", "le", "non"]


def test_joined_corpora_must_be_the_files_of_those_named(join, tmp_path):
    with pytest.raises(UserError, match="--corpora must be the files of one, two, in this order"):
        join(corpora=join.files[::-1])
    join.files[1].unlink()
    with pytest.raises(UserError, match=r"two.txt: no such file"):
        join()
    assert not (tmp_path / "o").exists()


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
    ],
    ids=lambda block: f"{block['kind']}-{block.get('format', block.get('path'))}",
)
def test_every_kind_gives_corpora_of_any_size(make, tmp_path, block, size):
    """Figure 5: from 1,000 to 100,000 strings."""
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


@pytest.mark.parametrize("size", [1000, 100_000])
def test_random_strings_are_as_many_as_asked_for(make, size):
    lines, record = make({"kind": "random-strings", "size": size})
    assert len(lines) == len(set(lines)) == record["requested"] == size


@pytest.mark.parametrize("kind", ["names", "sentences"])
def test_lines_of_pairs_go_through_unharmed(make, tmp_path, kind):
    lines = ["A cat || a dog", "one||two", "un||deux", "one||two", 'a "b"||c, d']
    (tmp_path / "p.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    block = {"kind": kind, "path": "p.txt", "size": "all"}
    assert make({**block, "deduplicate": False})[0] == lines
    assert make(block)[0] == [*lines[:3], lines[4]]


# --- mistakes ----------------------------------------------------------------------------------


def test_too_large_a_size_takes_all_warns_and_is_recorded(make, tmp_path, capsys):
    (tmp_path / "s.txt").write_text("a\nb\n", encoding="utf-8")
    lines, record = make({"kind": "sentences", "path": "s.txt", "size": 5})
    assert lines == ["a", "b"]
    assert (record["requested"], record["strings"]) == (5, 2)
    assert "warning: corpus 'corpus': 5 strings asked for, 2 found" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_corpus_is_refused_and_nothing_is_written(make, tmp_path, text):
    (tmp_path / "s.txt").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"corpus 'corpus': no strings in .*s.txt"):
        make({"kind": "sentences", "path": "s.txt", "size": 5})
    assert not (tmp_path / "out").exists()


def test_missing_and_undecodable_files_are_named(make, tmp_path):
    with pytest.raises(UserError, match=r"s.txt: no such file"):
        make({"kind": "names", "path": "s.txt", "size": 5})
    (tmp_path / "s.txt").write_bytes(b"one\ncaf\xe9\n")
    with pytest.raises(UserError, match=r"s.txt:2: not UTF-8"):
        make({"kind": "names", "path": "s.txt", "size": 5})
    assert not (tmp_path / "out").exists()


def test_a_block_of_another_kind_or_no_json_is_refused(tmp_path):
    arguments = ["--root", str(tmp_path), "--output", "o/c.txt", "--record", "o/c.json"]
    block = json.dumps({"kind": "names", "path": "n.txt", "size": 1})
    with pytest.raises(UserError, match="kind 'names' is not made by this command"):
        sample_sentences.main(["--block", block, *arguments])
    with pytest.raises(UserError, match="--block is not valid JSON"):
        sample_names.main(["--block", "{", *arguments])


@pytest.mark.shared_data
def test_the_sts_benchmark_has_enough_sentences_for_the_papers_corpus(make, shared_data, tmp_path):
    (tmp_path / "data").symlink_to(shared_data)
    path = "data/sts-benchmark/sts-train.csv"
    block = {"kind": "sentences", "format": "sts-benchmark", "path": path, "size": 10_000}
    lines, record = make(block)
    assert len(set(lines)) == 10_000
    assert record["found"] == 2 * 5749
