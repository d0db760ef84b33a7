"""How many strings of a source a corpus takes, which ones, and of what size."""

import random
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written_files import write

from workflow_scripts.corpora.kinds import joined
from workflow_scripts.corpora.sample_corpus import draw_corpus

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


def test_a_bucket_with_fewer_words_warns(make, tmp_path, capsys):
    (tmp_path / "l.txt").write_text("a\nb\nc\n", encoding="utf-8")
    block = {"kind": "frequent-words", "language": "xx", "path": "l.txt", "size": 2}
    assert make({**block, "skip": 2})[0] == ["c"]
    assert "warning: corpus 'corpus': 2 strings asked for, 1 found" in capsys.readouterr().err


# --- random strings ----------------------------------------------------------------------------


def test_a_sample_is_drawn_of_a_gzipped_file(make, tmp_path):
    lines = [f"title {number}" for number in range(50)]
    write(tmp_path / "d.jsonl.gz", "".join(f'{{"title": "{line}"}}\n' for line in lines))
    block = {"kind": "table", "path": "d.jsonl.gz", "column": "title", "size": 6}
    drawn, record = make(block)
    assert len(drawn) == 6
    assert drawn == [line for line in lines if line in drawn] != lines[:6]
    assert (record["seed"], record["found"], record["requested"]) == (0, 50, 6)
    assert make(block, "--seed", "1")[0] != drawn


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


# --- several corpora together ------------------------------------------------------------------


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
    _, record = make({**block, "exponent": 0.0, "size": 12})
    assert (record["documents"], record["strings"]) == (5, 13)
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
            "M.RRF": f"C1|ENG{'|' * 10}MSH|||text {{}}||N||\n",
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
