"""Sentences of several languages in one pool."""

from dataset_reading import cases, given, mistake, raw_files, wrong
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
    ("one language", {**POOL, "languages": ["en"]}, {}, "languages` is ['en']; give at least 2"),
    ("none translated", POOL, {**FILES, "p/dev-es.tsv": "NS\t\n"}, "no sentence of language 'es'"),
)


def test_files_are_those_of_the_languages_and_a_missing_one_is_named(tmp_path):
    expected = [tmp_path / "p/dev-en.tsv", tmp_path / "p/dev-es.tsv"]
    assert raw_files(tmp_path, POOL) == expected
    write(expected[0], EN)
    assert "dev-es.tsv: no such file" in mistake(tmp_path, POOL)
