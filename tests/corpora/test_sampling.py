"""How many strings of a source a corpus takes, and which ones."""

import random
import string
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from written_files import write_all

from workflow_scripts.corpora.kinds import joined
from workflow_scripts.corpora.sample_corpus import draw_corpus

# --- drawing -----------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(["a", "b", " c", "c ", "", "d\u2028e", "f  g", "h", "i"])),
    st.integers(1, 8) | st.just("all"),
    st.booleans(),
    st.none() | st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from(["kept", "collapsed"]),
)
def test_a_sample_is_the_one_of_its_seed(source, size, deduplicate, seed, skip, whitespace):
    strings, counts = draw_corpus(source, size, deduplicate, seed, skip, whitespace)
    pool = [text for text in source if text.strip()]
    if whitespace == "collapsed":
        pool = [" ".join(text.split()) for text in pool]
    blank, duplicates = len(source) - len(pool), len(pool) - len(set(pool))
    if deduplicate:
        pool = list(dict.fromkeys(pool))
    left = pool[skip:]
    number = len(left) if size == "all" else min(size, len(left))
    places = range(number)
    if seed is not None and number < len(left):
        places = sorted(random.Random(seed).sample(range(len(left)), number))
    assert strings == [left[place] for place in places]
    assert counts == {
        **{"found": len(source), "blank": blank, "duplicates": duplicates},
        **{"available": len(pool), "strings": number},
    }


def test_the_sample_of_a_gzipped_file_is_that_of_its_seed(make, tmp_path):
    lines = [f"title {number}" for number in range(50)]
    write_all(tmp_path, {"d.jsonl.gz": "".join(f'{{"title": "{line}"}}\n' for line in lines)})
    block = {"kind": "table", "path": "d.jsonl.gz", "column": "title", "size": 6}
    for options, seed in (([], 0), (["--seed", "1"], 1)):
        drawn, record = make(block, *options)
        assert drawn == [lines[place] for place in sorted(random.Random(seed).sample(range(50), 6))]
        assert (record["seed"], record["found"], record["requested"]) == (seed, 50, 6)


# --- words -------------------------------------------------------------------------------------


def test_words_are_the_most_frequent_of_wordfreq_and_buckets_follow_each_other(make):
    block = {"kind": "frequent-words", "language": "en", "size": 40}
    whole, record = make(block)
    assert whole[:4] == ["the", "to", "and", "of"]
    assert record["seed"] is None
    assert set(record["versions"]) == {"python", "wordfreq"}
    buckets = [make({**block, "size": 10, "skip": skip}) for skip in (0, 10, 20, 30)]
    assert [word for lines, _ in buckets for word in lines] == whole
    assert buckets[1][1]["block"]["skip"] == 10
    # Figure 5 has up to 100,000
    lines, record = make({**block, "size": "all"})
    assert len(lines) == len(set(lines)) > 300_000 and lines[:40] == whole
    assert record["requested"] == "all"


def test_a_bucket_with_fewer_words_warns(make, tmp_path, capsys):
    write_all(tmp_path, {"l.txt": "a\nb\nc\n"})
    block = {"kind": "frequent-words", "language": "xx", "path": "l.txt", "size": 2}
    assert make({**block, "skip": 2})[0] == ["c"]
    assert "warning: corpus 'corpus': 2 strings asked for, 1 found" in capsys.readouterr().err


# --- random strings ----------------------------------------------------------------------------


def test_random_strings_are_different_and_the_same_for_the_same_seed(make):
    # 36 + 1,296 strings: half of all there are, so that repeats are drawn on the way
    block = {"kind": "random-strings", "size": 666, "min_length": 1, "max_length": 2}
    lines, record = make(block)
    assert len(set(lines)) == 666
    assert make(block, "--seed", "0")[0] == lines
    assert make(block, "--seed", "1")[0] != lines
    assert (record["seed"], record["found"], record["source_sha256"]) == (0, 666, [])
    # as many as there are
    every, _ = make({**block, "max_length": 1, "size": 36})
    assert sorted(every) == sorted(string.digits + string.ascii_lowercase)
    repeated, record = make({**block, "deduplicate": False})
    assert len(repeated) == 666
    assert record["duplicates"] == 666 - len(set(repeated)) > 0


# --- several corpora together ------------------------------------------------------------------


def test_a_small_part_of_a_joined_corpus_is_repeated_by_the_exponent(make, tmp_path):
    sizes = {"one": 90, "two": 10}
    for name, size in sizes.items():
        write_all(tmp_path, {f"{name}.txt": "".join(f"{name} {n}\n" for n in range(size))})
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
        drawn = Counter(options.strings(Path(folder), 0, Counter()))
    assert sum(drawn.values()) == size
    total = sum(number**exponent for number in sizes)
    for name, number in zip(names, sizes, strict=True):
        times = [drawn[f"{name} {line}"] for line in range(number)]
        assert abs(sum(times) - size * number**exponent / total) < 1 + 1e-6
        assert max(times) - min(times) <= 1


def test_joined_running_text_keeps_its_documents(make, tmp_path):
    write_all(tmp_path, {"one.txt": "a\nb\n\nc\nd\ne\n\nf\ng\n", "two.txt": "h\ni\nc\n\n"})
    block = {"kind": "joined", "of": ["one", "two"], "exponent": 0.0}
    _, record = make({**block, "size": 12})
    assert (record["documents"], record["strings"]) == (5, 13)
    drawn = "/".join(make({**block, "size": 6})[0]).removesuffix("//h/i/c")
    assert drawn in ("a/b//c/d/e", "a/b//f/g", "c/d/e", "c/d/e//f/g")
