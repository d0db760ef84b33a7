"""Scores on a card: added at the end, replaced when scored again."""

from workflow_scripts.scoring.card_scores import add_scores


def row(dataset, value, metric="spearman", n=10):
    return {"dataset": dataset, "metric": metric, "value": value, "n": n}


def test_scores_are_added_replaced_and_kept():
    card = "# encoder\n\nText.\n"
    once = add_scores(card, [row("stsb", 0.51234), row("bel", 1, "accuracy@1", 3)])
    assert once.startswith(card)
    assert "| stsb | spearman | 0.5123 | 10 |\n| bel | accuracy@1 | 1.0000 | 3 |\n" in once
    again = add_scores(once, [row("stsb", -0.25), row("sts12", 0.75)])
    assert again.count("## Scores") == 1
    assert again.startswith(card)
    assert [line for line in again.splitlines() if line.startswith("| s") or "bel" in line] == [
        "| stsb | spearman | -0.2500 | 10 |",
        "| bel | accuracy@1 | 1.0000 | 3 |",
        "| sts12 | spearman | 0.7500 | 10 |",
    ]
    assert add_scores(again, []) == again
