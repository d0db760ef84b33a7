"""Do `tune` and the trainer of sentence-transformers make encoders of the same quality?

    python -m benchmarks.trainer_scores --data DATA_ROOT --seeds 5 --only words --output scores.md

The same strings, model and settings, several seeds of each way: the trainer has the loss, collator
and evaluators of `mirror_bert.sentence_transformers`. Writes a table of the means and deviations
over seeds and of the difference, with its 95% interval (Welch).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from datasets import Dataset
from scipy import stats
from sentence_transformers import SentenceTransformerTrainer

import mirror_bert
from benchmarks.benchmark_strings import read_strings
from benchmarks.plain_tuning import set_dropout
from benchmarks.sentence_transformers_tuning import training_arguments
from benchmarks.workloads import read_block
from mirror_bert.sentence_transformers import DatasetEvaluator, MirrorCollator, MirrorLoss
from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.torch_setup import set_up_torch
from workflow_scripts.files import write_text
from workflow_scripts.tuning.recipe import tuning_recipe_of

MODELS = Path(__file__).resolve().parents[1] / "resources" / "models"
HEAD = """| strings, model, recipe | metric | untuned | tune | trainer | difference | 95% interval |
| --- | --- | --: | --: | --: | --: | --: |
"""


class Comparison(NamedTuple):
    """What is tuned, and on what it is scored."""

    kind: str
    model: str
    recipe: str
    datasets: Sequence[str]


COMPARISONS = (
    Comparison("words", "bert-en-mini", "mirror-word", ["simlex999"]),
    Comparison("phrases", "bert-bio-mini", "mirror-phrase", ["ncbi-disease"]),
    Comparison("sentences", "bert-en-mini", "mirror-sentence", ["stsb"]),
)


def tune_with_trainer(model: str, strings: Sequence[str], recipe: dict[str, Any], seed: int) -> Any:
    """Return the SentenceTransformer that the trainer makes by the settings of a recipe."""
    choices: Any = tuning_recipe_of("compared", recipe)
    # in training strings are cut as the recipe says, in evaluation too
    settings = {"pooling": choices.pooling, "max_length": choices.max_length, "device": "cpu"}
    encoder = mirror_bert.load(model, **settings).to_sentence_transformers()
    set_dropout(encoder, choices.dropout)
    masking = choices.span_masking and choices.span_masking.model_dump()
    SentenceTransformerTrainer(
        model=encoder,
        args=training_arguments(choices, seed),
        train_dataset=Dataset.from_dict({"string": list(strings)}),
        loss=MirrorLoss(encoder, choices.temperature, choices.loss_denominator),
        data_collator=MirrorCollator(encoder, masking, seed),
    ).train()
    encoder.max_seq_length = choices.embed_max_length
    return encoder.eval()


def score_both(
    comparison: Comparison, data: Path, count: int, seeds: Sequence[int]
) -> list[dict[str, Any]]:
    """Return a row for each metric, with the scores of `tune` and of the trainer by seed."""
    model, strings = str(MODELS / comparison.model), read_strings(data, comparison.kind, count)[0]
    block = read_block(comparison.recipe, 200, bundled=True)
    # a repeated string of a batch would be a negative of itself
    block |= {"batch_size": min(200, len(strings) // 4)}
    evaluator = DatasetEvaluator(data, comparison.datasets)
    settings = {"pooling": block["pooling"], "max_length": block["embed_max_length"]}
    untuned = mirror_bert.load(model, **settings, device="cpu")
    before = evaluator(untuned.to_sentence_transformers())
    scores: dict[str, list[dict[str, float]]] = {"tune": [], "trainer": []}
    for seed in seeds:
        ours = mirror_bert.tune(
            model, strings, recipe=comparison.recipe, seed=seed, device="cpu", **block
        )
        scores["tune"].append(evaluator(ours.to_sentence_transformers()))
        theirs = tune_with_trainer(model, strings, block, seed)
        scores["trainer"].append(evaluator(theirs))
        print(comparison.recipe, seed, scores["tune"][-1], scores["trainer"][-1], flush=True)
    return [
        {"comparison": comparison, "strings": len(strings), "metric": metric}
        | {"untuned": before[metric]}
        | {way: [score[metric] for score in rows] for way, rows in scores.items()}
        for metric in before
    ]


def write_row(row: dict[str, Any]) -> str:
    """Return a line of the table."""
    ours, theirs = (np.array(row[way]) for way in ("tune", "trainer"))
    comparison, interval = row["comparison"], "no deviation"
    if ours.std() or theirs.std():
        compared = stats.ttest_ind(theirs, ours, equal_var=False)
        interval = "{:+.4f} to {:+.4f}".format(*compared.confidence_interval())
    shown = [f"{scores.mean():.4f} ± {scores.std(ddof=1):.4f}" for scores in (ours, theirs)]
    what = f"{row['strings']} {comparison.kind}, `{comparison.model}`, `{comparison.recipe}`"
    cells = [what, f"`{row['metric']}`", f"{row['untuned']:.4f}", *shown]
    cells += [f"{theirs.mean() - ours.mean():+.4f}", interval]
    return f"| {' | '.join(cells)} |\n"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path, help="data root with real strings")
    parser.add_argument("--seeds", type=int, default=5, help="of each way, 2 or more (5)")
    parser.add_argument("--strings", type=int, default=1000, help="to tune on (1000)")
    parser.add_argument("--threads", type=int, default=1, help="of torch (1)")
    kinds = [comparison.kind for comparison in COMPARISONS]
    parser.add_argument("--only", choices=kinds, nargs="+", default=kinds, help="what is tuned on")
    parser.add_argument("--output", required=True, type=Path, help="the table, .md")
    arguments = parser.parse_args(argv)
    set_up_torch(arguments.threads, "cpu")
    rows: list[dict[str, Any]] = []
    for comparison in COMPARISONS:
        if comparison.kind not in arguments.only:
            continue
        seeds = range(33, 33 + arguments.seeds)
        rows += score_both(comparison, arguments.data, arguments.strings, seeds)
        write_text(arguments.output, HEAD + "".join(map(write_row, rows)))


if __name__ == "__main__":
    run_command(main)
