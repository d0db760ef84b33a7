"""Sentences of several languages in one pool."""

import pytest
from dataset_reading import cases, given, mistake, raw_files, read_dataset, wrong
from written_files import write

POOL = {"task": "language-bias", "format": "sentence-pool", "path": "p/dev-{language}.tsv"}
POOL |= {"languages": ["en", "es"], "untranslated": "NS"}
EN = 'A "cat\tOne cat.\t1\nA dog\tB\t0\nA "cat\tC\t0\n'
FILES = {"p/dev-en.tsv": EN, "p/dev-es.tsv": "NS\tx\t1\nUn perro\ty\t0\nA dog\tz\t0\n"}
SECOND = {"sentences": ["One cat.", "B", "C", "x", "y", "z"], "dropped": {}}
found = given("first columns", POOL, FILES)
other = given("another column", {**POOL, "column": 2}, FILES)

test_a_pool = cases(
    # merged within a language, not across two
    found(
        sentences=['A "cat', "A dog", "Un perro", "A dog"],
        languages=["en", "en", "es", "es"],
        dropped={"repeated": 1, "untranslated": 1},
    ),
    other(**SECOND, languages=["en"] * 3 + ["es"] * 3),
    *wrong(
        (POOL, "p/dev-es.tsv", "Un perro\n"),
        (" \tx\n", ":2: a sentence is empty; fix or remove the line"),
        files=FILES,
    ),
    *wrong(
        ({**POOL, "column": 2}, "p/dev-es.tsv", "Un perro\tx\n"),
        ("Dos\n", ":2: expected a row with a sentence in column 2"),
        files=FILES,
    ),
    ("no sentence", POOL, {**FILES, "p/dev-es.tsv": ""}, "no sentence of language 'es'"),
    ("no language in the path", {**POOL, "path": "p/dev.tsv"}, {}, "`datasets.mine.path` is 'p/d"),
    ("none translated", POOL, {**FILES, "p/dev-es.tsv": "NS\t\n"}, "no sentence of language 'es'"),
)


def test_files_are_those_of_the_languages_and_a_missing_one_is_named(tmp_path):
    expected = [tmp_path / "p/dev-en.tsv", tmp_path / "p/dev-es.tsv"]
    assert raw_files(tmp_path, POOL) == expected
    write(expected[0], EN)
    assert "dev-es.tsv: no such file" in mistake(tmp_path, POOL)


@pytest.mark.shared_data
def test_the_real_pool_has_the_sentences_that_a_plain_reading_has(shared_data, paper_config):
    entry = paper_config["datasets"]["paws-x-pool"]
    pool = read_dataset(shared_data, entry)
    counts = dict.fromkeys(entry["languages"], 0)
    for language in pool.languages:
        counts[language] += 1
    dropped = {"repeated": 0, "untranslated": 0}
    expected = {}
    for language in counts:
        raw = (shared_data / f"paws-x/dev-{language}.tsv").read_bytes().decode()
        firsts = [line.split("\t")[0] for line in raw.split("\n")[:-1]]
        assert len(firsts) == 2000
        dropped["untranslated"] += firsts.count("NS")
        expected[language] = len({*firsts} - {"NS"})
        dropped["repeated"] += 2000 - firsts.count("NS") - expected[language]
    assert (
        counts
        == expected
        == {
            **{"de": 1913, "en": 1758, "es": 1937, "fr": 1932},
            **{"ja": 1956, "ko": 1962, "zh": 1898},
        }
    )
    assert pool.dropped == dropped == {"repeated": 537, "untranslated": 107}
