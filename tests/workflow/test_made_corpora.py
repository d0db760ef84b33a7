"""A corpus of random strings and a bucket of words through the workflow."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]


def test_corpora_without_raw_files_are_planned_and_made(fresh):
    config = fresh.read_config()
    config["corpora"]["random"] = {"kind": "random-strings", "size": 50, "words": [2, 3]}
    bucket = {"kind": "frequent-words", "language": "en", "size": 50, "skip": 200}
    config["corpora"]["words-en-2"] = bucket
    fresh.write_config(config)
    targets = ["results/corpora/random.txt", "results/corpora/words-en-2.txt"]
    assert fresh.planned(*targets) == [
        "make_random_strings corpus=random",
        "sample_frequent_words corpus=words-en-2",
    ]
    result = fresh.run(*targets)
    assert result.returncode == 0, result.stdout + result.stderr
    for target in targets:
        lines = (fresh.folder / target).read_text(encoding="utf-8").splitlines()
        assert len(set(lines)) == 50
    assert fresh.planned(*targets) == []
