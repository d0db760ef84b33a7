"""The report docs/benchmarks.md, written from the tidy measurements alone."""

import argparse
import textwrap
from pathlib import Path
from statistics import mean, median, stdev

from workflow_scripts.benchmarks.contenders import (
    EMBEDDING_CONTENDERS,
    OURS,
    OURS_INT8,
    PLAIN,
    SENTENCE_TRANSFORMERS,
    SENTENCE_TRANSFORMERS_BEST,
    TUNING_CONTENDERS,
    TUNING_TASKS,
)
from workflow_scripts.benchmarks.machine import PACKAGES
from workflow_scripts.benchmarks.measurements import (
    ABOUT,
    Measurement,
    read_measurements,
    replace_measured,
    write_measurements,
)
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import write_text

# What was aimed at: times as fast as the authors' way, by task ...
FASTER_THAN_PLAIN = {"words": 3.0, "phrases": 3.0, "sentences": 2.5}
# ... and as sentence-transformers, in tuning and in embedding; share of the authors' way's memory.
FASTER_THAN_TRAINER = 1.3
FASTER_THAN_ENCODE = 1.3
SHARE_OF_MEMORY = 0.5
LARGEST_DIFFERENCE = 1e-5
# Of int8: times as fast as sentence-transformers, and how far its Spearman's rho may be from that
# of float32.
INT8_FASTER_THAN_ENCODE = 2.0
INT8_SPEARMAN_DIFFERENCE = 0.002
# Seconds on a GPU.
GPU_AIMS = {"sentences": 3.0, "words": 3.0, "names": 60.0}
GPU_TASKS = {
    "sentences": "tuning, 10,000 sentences, one epoch",
    "words": "tuning, 10,000 words, two epochs",
    "names": "embedding, 1,000,000 names of 8 tokens",
}
# Below this Welch's test calls the two loops different.
SIGNIFICANT = 0.05

_MACHINE = ("processor", "cores", "memory", "system")
_VERSIONS = ("Python", *PACKAGES)

INTRODUCTION = """# Benchmarks

Time and memory of Mirror tuning and of embedding, against other ways to do the same. Written by
`make bench` from `{measures}`, which holds every single run.

How it is measured: every run is a process of its own, and the contenders take turns, round by
round, so that what else the machine does falls on all of them. Seconds are those of the loop, from
raw strings to tuned weights or vectors, after a warm-up; importing libraries and loading the model
are left out. Memory is the peak of the whole process, as the kernel counts it; growth is what of it
came on top of what the process had before its first step. Figures are medians over the runs, with
the least and the largest in brackets. A ratio is taken within each round, and the median of the
ratios is shown: it wavers less than the seconds, which depend on the machine and on what else it
does. Processor seconds count all threads and waver less too: where they are far from seconds times
threads, the machine was busy with something else.
"""

TUNING_TEXT = """## Tuning

The same pretrained model, strings, recipe, batch, learning rate and number of steps for all, in
float32 on the CPU, pooling cls.

- The authors' way: each view padded to the maximum length, two passes, the loss of
  pytorch-metric-learning, which builds a matrix of positive pairs by negative pairs, torch's AdamW
  as it comes (`workflow_scripts/benchmarks/plain_tuning.py`).
- sentence-transformers: its trainer with MultipleNegativesRankingLoss on the same pairs, without
  logs and checkpoints; the pairs are made before the clock starts. Its loss takes only the first
  views as anchors, so it computes a quarter of the cosines.
- This project: `tune_model`, what `python -m workflow_scripts.mirror` runs.
"""

EMBEDDING_TEXT = """## Embedding

Unique names of diseases to vectors, with an encoder that was tuned on names by
`python -m workflow_scripts.mirror`.
"""

QUALITY_TEXT = """## Quality

The fast loop is to give encoders as good as the plain one gives. Spearman's rho on the development
set of the STS Benchmark after tuning by either, for the same seeds; only the dropout masks differ.
"""

GPU_TEXT = """## On a GPU

A model of BERT-base's shape with random weights. Model FLOPs are 6 for each token (of both views,
without padding) and parameter outside the embedding matrices in tuning, 2 in embedding; the share
is that of the device's dense bfloat16 peak. Written by `make bench-gpu`.
"""

REPEAT = """## How to repeat it

    make bench                      # real strings where the folder BENCH_DATA holds them
    make bench BENCH_OPTIONS=--quality
    make bench BENCH_OPTIONS="--only words --runs 9"
    make bench-gpu

Leave the machine alone meanwhile. `BENCH_DATA` is a folder laid out as the data root of the config,
with the authors' corpora in `mirror-corpus`; without them the embedded data set serves, whose
strings are few and so repeat.
"""

LIMITS = """## Limits

- One machine, one small model: ratios depend on the shape of the model, the length of the strings
  and the number of cores. With larger models the matrix products take more of the time, and what is
  saved on loss and optimiser less.
- A few steps are timed, not whole tunings; the strings are drawn from the corpora named above.
- Peak memory includes Python and the libraries, some hundred MiB for each contender.
"""


class _Values:
    """The measurements of one (section, task)."""

    def __init__(self, rows: list[Measurement], section: str, task: str) -> None:
        self.rows = [row for row in rows if (row.section, row.task) == (section, task)]
        self.about = {row.measure: row.value for row in self.rows if row.contender == ABOUT}

    def of(self, contender: str, measure: str) -> dict[int, float]:
        """Return {run: value}; empty if it was not measured."""
        return {
            row.run: float(row.value)
            for row in self.rows
            if row.contender == contender and row.measure == measure
        }

    def ratios(self, over: str, under: str, measure: str) -> list[float]:
        """Return the ratios of two contenders, round by round."""
        first, second = self.of(over, measure), self.of(under, measure)
        return [first[run] / second[run] for run in sorted(first) if run in second]


def _spread(values: list[float], digits: int) -> str:
    if not values:
        return "not measured"
    middle = f"{median(values):,.{digits}f}"
    if len(values) == 1:
        return middle
    return f"{middle} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def _ratio(values: list[float]) -> str:
    return f"{median(values):.2f}" if values else "-"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _verdict(aim: str, values: list[float], reached: bool, digits: int = 2) -> str:
    if not values:
        return f"- {aim}: not measured\n"
    return f"- {aim}: {'reached' if reached else '**missed**'}, {_spread(values, digits)}\n"


def _machine_text(about: dict[str, str]) -> str:
    machine = ", ".join(
        f"{about[key]} cores" if key == "cores" else about[key] for key in _MACHINE if key in about
    )
    versions = ", ".join(f"{key} {about[key]}" for key in _VERSIONS if key in about)
    return f"{about.get('date', 'no date')}; {machine}; {versions}."


def _number(about: dict[str, str], key: str) -> str:
    return f"{int(about[key]):,}" if key in about else "?"


def _paragraph(*sentences: str) -> str:
    return textwrap.fill(" ".join(sentences), 100, break_on_hyphens=False) + "\n\n"


def tuning_report(rows: list[Measurement]) -> str:
    """Return the section on tuning."""
    text = TUNING_TEXT
    for task in TUNING_TASKS:
        values = _Values(rows, "tuning", task)
        text += f"\n### {task.capitalize()}\n\n"
        text += _tuning_task(task, values) if values.rows else "Not measured.\n"
    return text


def _tuning_task(task: str, values: _Values) -> str:
    about = values.about
    tokens = median(values.of(OURS, "tokens_per_string").values())
    steps = median(values.of(OURS, "steps").values())
    runs = len(values.of(OURS, "seconds_per_step"))
    table = []
    for contender, label in TUNING_CONTENDERS.items():
        memory = values.of(contender, "peak_memory")
        growth = values.of(contender, "memory_growth")
        table.append(
            [
                label,
                _spread(list(values.of(contender, "seconds_per_step").values()), 3),
                f"{median(values.of(contender, 'processor_seconds_per_step').values()):.3f}",
                _ratio(values.ratios(PLAIN, contender, "seconds_per_step")),
                _ratio(values.ratios(SENTENCE_TRANSFORMERS, contender, "seconds_per_step")),
                f"{median(memory.values()) / 2**20:,.0f}",
                f"{median(growth.values()) / 2**20:,.0f}",
                _ratio(values.ratios(contender, PLAIN, "peak_memory")),
            ]
        )
    to_plain = values.ratios(PLAIN, OURS, "seconds_per_step")
    to_trainer = values.ratios(SENTENCE_TRANSFORMERS, OURS, "seconds_per_step")
    memory = values.ratios(OURS, PLAIN, "peak_memory")
    return (
        _paragraph(
            f"Model {about['model']}, recipe `{about['recipe']}` (at most {about['max_length']} "
            f"tokens). Steps in a run: {steps:.0f} of {about['batch_size']} strings, drawn from "
            f"{_number(about, 'available')} ({about['source']}), {tokens:.1f} tokens a string on "
            f"average. Threads: {about['threads']}, runs: {runs}.",
            _machine_text(about),
        )
        + _table(
            [
                "",
                "seconds a step",
                "processor seconds",
                "times as fast as the authors' way",
                "as sentence-transformers",
                "peak memory, MiB",
                "growth, MiB",
                "peak, share of the authors' way",
            ],
            table,
        )
        + "\n"
        + _verdict(
            f"Aim: at least {FASTER_THAN_PLAIN[task]:g} times as fast as the authors' way",
            to_plain,
            bool(to_plain) and median(to_plain) >= FASTER_THAN_PLAIN[task],
        )
        + _verdict(
            f"Aim: at least {FASTER_THAN_TRAINER:g} times as fast as sentence-transformers",
            to_trainer,
            bool(to_trainer) and median(to_trainer) >= FASTER_THAN_TRAINER,
        )
        + _verdict(
            f"Aim: at most {SHARE_OF_MEMORY:g} of the authors' way's peak memory",
            memory,
            bool(memory) and median(memory) <= SHARE_OF_MEMORY,
        )
    )


def embedding_report(rows: list[Measurement]) -> str:
    """Return the section on embedding."""
    values = _Values(rows, "embedding", "names")
    if not values.rows:
        return EMBEDDING_TEXT + "\nNot measured.\n"
    about = values.about
    runs = len(values.of(OURS, "loop_seconds"))
    table = []
    for contender, label in EMBEDDING_CONTENDERS.items():
        seconds = values.of(contender, "loop_seconds")
        if not seconds:
            continue
        difference = values.of(contender, "largest_difference")
        table.append(
            [
                label,
                _spread(list(seconds.values()), 2),
                f"{median(values.of(contender, 'strings_per_second').values()):,.0f}",
                _ratio(values.ratios(SENTENCE_TRANSFORMERS, contender, "loop_seconds")),
                _ratio(values.ratios(SENTENCE_TRANSFORMERS_BEST, contender, "loop_seconds")),
                f"{median(values.of(contender, 'peak_memory').values()) / 2**20:,.0f}",
                f"{difference[0]:.1e}" if difference else "-",
            ]
        )
    ratios = values.ratios(SENTENCE_TRANSFORMERS, OURS, "loop_seconds")
    int8 = values.ratios(SENTENCE_TRANSFORMERS, OURS_INT8, "loop_seconds")
    difference = list(values.of(OURS, "largest_difference").values())
    exact = "not measured"
    if difference:
        exact = "reached" if difference[0] <= LARGEST_DIFFERENCE else "**missed**"
        exact += f", {difference[0]:.1e}"
    return (
        EMBEDDING_TEXT
        + "\n"
        + _paragraph(
            f"Model {about['model']}, recipe `{about['recipe']}`, {_number(about, 'strings')} "
            f"names ({about['source']}). Threads: {about['threads']}, runs: {runs}. The best batch "
            f"size of sentence-transformers was {about['best_batch_size']}, of those tried once on "
            "a part of the names.",
            _machine_text(about),
        )
        + _table(
            [
                "",
                "seconds",
                "strings a second",
                "times as fast as sentence-transformers",
                "as its best batch size",
                "peak memory, MiB",
                "largest difference of a value",
            ],
            table,
        )
        + "\n"
        + _verdict(
            f"Aim: at least {FASTER_THAN_ENCODE:g} times as fast as sentence-transformers' encode",
            ratios,
            bool(ratios) and median(ratios) >= FASTER_THAN_ENCODE,
        )
        + f"- Aim: vectors equal within {LARGEST_DIFFERENCE:.0e}: {exact}\n"
        + _verdict(
            f"Aim: with int8 at least {INT8_FASTER_THAN_ENCODE:g} times as fast",
            int8,
            bool(int8) and median(int8) >= INT8_FASTER_THAN_ENCODE,
        )
        + _int8_scores(rows)
    )


def _int8_scores(rows: list[Measurement]) -> str:
    values = _Values(rows, "embedding", "stsb")
    if not values.rows:
        return ""
    scores = {
        contender: values.of(contender, "spearman")[1]
        for contender in EMBEDDING_CONTENDERS
        if values.of(contender, "spearman")
    }
    difference = scores[OURS_INT8] - scores[OURS]
    reached = abs(difference) <= INT8_SPEARMAN_DIFFERENCE
    written = ", ".join(
        f"{EMBEDDING_CONTENDERS[contender]} {score:.4f}" for contender, score in scores.items()
    )
    return (
        f"- Aim: Spearman's rho of int8 on STS-B within {INT8_SPEARMAN_DIFFERENCE:g} of float32: "
        f"{'reached' if reached else '**missed**'}, {difference:+.4f}\n\n"
        + _paragraph(
            f"The {_number(values.about, 'pairs')} test pairs of the STS Benchmark, with an "
            f"encoder tuned on sentences by `{values.about['recipe']}` as in config/config.yaml: "
            f"{written}."
        ).rstrip()
        + "\n"
    )


def quality_report(rows: list[Measurement]) -> str:
    """Return the section on quality."""
    values = _Values(rows, "quality", "stsb-dev")
    if not values.rows:
        return QUALITY_TEXT + "\nNot measured; `make bench` with `--quality` does.\n"
    # Only now: it takes half a second, which a report without this section need not wait for.
    from scipy.stats import ttest_ind

    scores = {
        contender: list(values.of(contender, "spearman").values()) for contender in (PLAIN, OURS)
    }
    about = values.about
    test = ttest_ind(scores[OURS], scores[PLAIN], equal_var=False)
    difference = mean(scores[OURS]) - mean(scores[PLAIN])
    verdict = "differ" if test.pvalue < SIGNIFICANT else "do not differ beyond chance"
    return (
        QUALITY_TEXT
        + "\n"
        + _paragraph(
            f"Model {about['model']}, recipe `{about['recipe']}` as in config/config.yaml (pooling "
            f"{about['pooling']}, temperature {about['temperature']}, learning rate "
            f"{about['learning_rate']}), {_number(about, 'strings')} sentences "
            f"({about['source']}).",
            _machine_text(about),
        )
        + _table(
            ["", "seeds", "mean", "deviation", "least", "largest"],
            [
                [
                    TUNING_CONTENDERS[contender],
                    str(len(found)),
                    *(
                        f"{value:.4f}"
                        for value in (mean(found), stdev(found), min(found), max(found))
                    ),
                ]
                for contender, found in scores.items()
            ],
        )
        + f"\nDifference {difference:+.4f}; Welch's t-test: t = {test.statistic:.2f}, "
        f"p = {test.pvalue:.2f}. The two loops {verdict} (level {SIGNIFICANT:g}).\n"
    )


def gpu_report(rows: list[Measurement]) -> str:
    """Return the section on GPUs."""
    found = {task: _Values(rows, "gpu", task) for task in GPU_TASKS}
    if not any(values.rows for values in found.values()):
        return GPU_TEXT + "\nNot measured: no GPU was to be had.\n"
    text, table, verdicts = GPU_TEXT, [], ""
    for task, values in found.items():
        if not values.rows:
            continue
        seconds = list(values.of(OURS, "loop_seconds").values())
        share = values.of(OURS, "share_of_peak")
        table.append(
            [
                GPU_TASKS[task],
                _spread(seconds, 2),
                f"{median(values.of(OURS, 'tokens_per_second').values()):,.0f}",
                f"{median(values.of(OURS, 'flops_per_second').values()) / 1e12:.1f}",
                f"{median(share.values()):.1%}" if share else "peak unknown",
                f"{median(values.of(OURS, 'gpu_memory').values()) / 2**20:,.0f}",
            ]
        )
        verdicts += _verdict(
            f"Aim: {GPU_TASKS[task]}, within {GPU_AIMS[task]:g} s",
            seconds,
            median(seconds) <= GPU_AIMS[task],
        )
    about = next(values.about for values in found.values() if values.rows)
    text += "\n" + _paragraph(f"{about['device']}.", _machine_text(about))
    head = ["", "seconds", "tokens a second", "model TFLOP/s", "share of peak", "GPU memory, MiB"]
    return text + _table(head, table) + "\n" + verdicts


def write_report(rows: list[Measurement], measures_name: str) -> str:
    """Return the whole report; `measures_name` is the file that holds the measurements."""
    sections = [
        INTRODUCTION.format(measures=measures_name),
        tuning_report(rows),
        embedding_report(rows),
        quality_report(rows),
        gpu_report(rows),
        REPEAT,
        LIMITS,
    ]
    return "\n".join(sections)


def save_report(output: Path, measures: Path | None, new: list[Measurement]) -> None:
    """Put new measurements in the place of old ones of the same tasks and write tsv and report."""
    measures = measures or output.with_suffix(".tsv")
    old = read_measurements(measures) if measures.exists() else []
    rows = replace_measured(old, new)
    text = write_report(rows, measures.name)
    write_measurements(measures, rows)
    write_text(output, text)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measures", type=Path, required=True, help="all measurements, .tsv")
    parser.add_argument("--output", type=Path, required=True, help="report to write, .md")
    arguments = parser.parse_args(argv)
    rows = read_measurements(arguments.measures)
    if not rows:
        raise UserError(f"{arguments.measures}: no measurements in it; run make bench")
    write_text(arguments.output, write_report(rows, arguments.measures.name))


if __name__ == "__main__":
    run_command(main)
