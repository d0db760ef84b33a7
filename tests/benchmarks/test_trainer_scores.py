"""The comparison of `tune` with the trainer of sentence-transformers, on a tiny model."""

import re

from command_words import as_argv
from tiny_models import one_thread, tiny_bert

from benchmarks import trainer_scores
from benchmarks.trainer_scores import Comparison, write_row

__all__ = ["one_thread", "tiny_bert"]


def test_both_ways_are_scored_and_a_row_says_by_how_much_they_differ(
    tiny_bert, sample_data, tmp_path, monkeypatch
):
    comparison = Comparison("phrases", tiny_bert.name, "mirror-phrase", ["simlex999"])
    monkeypatch.setattr(trainer_scores, "MODELS", tiny_bert.parent)
    monkeypatch.setattr(trainer_scores, "COMPARISONS", [comparison])
    options = {"--data": sample_data, "--strings": 40, "--seeds": 2, "--output": tmp_path / "t.md"}
    trainer_scores.main(as_argv(options))
    [_, _, row] = (tmp_path / "t.md").read_text().splitlines()
    number = r"-?0\.\d{4}"
    spread = rf"{number} ± {number}"
    assert re.fullmatch(
        rf"\| 40 phrases, `tiny-bert`, `mirror-phrase` \| `simlex999_spearman` \| {number} "
        rf"\| {spread} \| {spread} \| [+-]0\.\d{{4}} \| [+-]\d\.\d{{4}} to [+-]\d\.\d{{4}} \|",
        row,
    )


def test_the_interval_is_welch_s():
    comparison = Comparison("words", "a", "b", [])
    row = {"comparison": comparison, "strings": 9, "metric": "m", "untuned": 0.1}
    # means 2 and 4, variances 1 and 4 of three each: 2 +- t(2.941) * sqrt(5 / 3)
    text = write_row(row | {"tune": [0.1, 0.2, 0.3], "trainer": [0.2, 0.4, 0.6]})
    assert "| 0.2000 ± 0.1000 | 0.4000 ± 0.2000 | +0.2000 | -0.2155 to +0.6155 |" in text
    same = write_row(row | {"tune": [0.5, 0.5], "trainer": [0.5, 0.5]})
    assert same.endswith("| +0.0000 | no deviation |\n")
