"""What docs/explanation/performance.md shows: rows, columns and aims of each block."""

from collections.abc import Sequence
from statistics import mean, stdev

from benchmarks import workloads as ways
from benchmarks.probe_workloads import SETS
from benchmarks.report_columns import (
    FASTER,
    FITS,
    LOOP,
    MIB,
    PEAK,
    PROCESSOR,
    RHO,
    STEP,
    Part,
    Shown,
    Values,
    aim,
)
from benchmarks.scale_parts import SCALE_PARTS

NO_SLOWER = "no slower than one thread (at least {:g} times as fast)"
INT8 = "Spearman's rho of int8 on STS-B within {:g} of float32"
# Below this Welch's test calls the two loops different.
SIGNIFICANT = 0.05


def columns(plain: str, trainer: str, rate: Sequence[Shown] = ()) -> list[Shown]:
    """Return the columns of tuning, against the plain way and sentence-transformers by name."""
    return [
        Shown("seconds a step", STEP, ",.3f", statistic=None),
        *rate,
        Shown("processor seconds", PROCESSOR, ".3f"),
        Shown(f"times as fast as {plain}", STEP, ".2f", over=ways.PLAIN),
        Shown(f"as {trainer}", STEP, ".2f", over=ways.TRAINER),
        Shown("peak memory, MiB", PEAK, ",.0f", scale=MIB),
        Shown("growth, MiB", "memory_growth", ",.0f", scale=MIB),
        Shown(f"peak, share of {plain}", PEAK, ".2f", under=ways.PLAIN),
    ]


def tuning(task: str, least: float) -> Part:
    return Part(
        "tuning",
        [(label, task, way) for way, label in ways.TUNING_WAYS.items()],
        "Model {model}, recipe `{recipe}` (at most {max_length} tokens). Steps in a run: "
        "{steps:.0f} of {batch_size} strings, drawn from {available:,} ({source}), "
        "{tokens_per_string:.1f} tokens a string on average. Threads: {threads}, runs: {runs}.",
        columns("the authors' way", ways.TRAINER),
        [
            aim(f"{FASTER} as the authors' way", least, STEP, over=ways.PLAIN),
            aim(f"{FASTER} as sentence-transformers", 1.3, STEP, over=ways.TRAINER),
            aim("at most {:g} of the authors' way's peak memory", 0.5, PEAK, under=ways.PLAIN),
        ],
    )


def _welch(values: Values) -> str:
    # Only now: it takes half a second, which a report without this section need not wait for.
    from scipy.stats import ttest_ind

    rho = Shown("", RHO, "")
    ours, plain = (rho.of(values, "quality", "stsb-dev", way) for way in (ways.OURS, ways.PLAIN))
    test = ttest_ind(ours, plain, equal_var=False)
    verdict = "differ" if test.pvalue < SIGNIFICANT else "do not differ beyond chance"
    return (
        f"Difference {mean(ours) - mean(plain):+.4f}; Welch's t-test: t = {test.statistic:.2f}, "
        f"p = {test.pvalue:.2f}. The two loops {verdict} (level {SIGNIFICANT:g}).\n"
    )


THREADS = {"mini": "size of the bundled models", "base": "BERT-base's shape"}
THREADS |= {f"{task}-busy": f"{size}, next to two busy processes" for task, size in THREADS.items()}
STATISTICS = [("seeds", "d", len), ("mean", ".4f", mean), ("deviation", ".4f", stdev)]
STATISTICS += [("least", ".4f", min), ("largest", ".4f", max)]
GPU_TASKS = {
    "sentences": ("tuning, 10,000 sentences, one epoch", 3),
    "words": ("tuning, 10,000 words, two epochs", 3),
    "cmlm": ("CMLM, 10,000 pairs of at most 2 x 128 tokens", 10),
    "names": ("embedding, 1,000,000 names of 8 tokens", 60),
}
# of bfloat16's, while sentences are tuned on
SHARE_OF_PEAK = 0.4
PARTS = {
    "words": tuning("words", 3.0),
    "phrases": tuning("phrases", 3.0),
    "sentences": tuning("sentences", 2.5),
    "cmlm": Part(
        "cmlm",
        [
            (f"{label}, at most {task} tokens", task, way)
            for task in ways.JOINED
            for way, label in ways.CMLM_WAYS.items()
        ],
        "Model {model}, recipe `{recipe}`. Steps in a run: {steps:.0f} of {batch_size} pairs, "
        "drawn from {available:,} ({source}); single sentences have {tokens_per_string:.1f} tokens "
        "on average. Threads: {threads}, runs: {runs}.",
        columns(*("the plain way", "TSDAE"), [Shown("pairs a second", "units_per_second", ",.0f")]),
        [
            aim(f"of 64 tokens {FASTER} as the plain way", 3, STEP, over=ways.PLAIN),
            # full sequences have little padding to save
            aim(f"of 128 tokens {FASTER} as the plain way", 2, STEP, over=ways.PLAIN, task="128"),
        ],
    ),
    "threads": Part(
        "threads",
        [
            (f"{size}, {label}", task, way)
            for task, size in THREADS.items()
            for way, label in ways.THREADED.items()
        ],
        "Bundled size: {model}, recipe `{recipe}`, steps in a run: {steps:.0f} of {batch_size} "
        f"strings; of BERT-base's shape {ways.FEW['steps']} of {ways.FEW['batch_size']}. All "
        "threads: {threads}, runs: {runs}.",
        [
            Shown("seconds a step", STEP, ",.3f", statistic=None),
            Shown("processor seconds", PROCESSOR, ".3f"),
            Shown("times as fast as one thread", STEP, ".2f", over=ways.ONE),
            Shown("processor seconds, share of one thread's", PROCESSOR, ".2f", under=ways.ONE),
            Shown("peak memory, MiB", PEAK, ",.0f", scale=MIB),
        ],
        [
            aim(f"{THREADS['mini']}: {FASTER} as one thread", 1.7, STEP, over=ways.ONE),
            # large matrix products gain less
            aim(f"{THREADS['base']}: {NO_SLOWER}", 1.0, STEP, over=ways.ONE, task="base"),
        ],
    ),
    "names": Part(
        "embedding",
        [(label, "names", way) for way, label in ways.EMBEDDING_WAYS.items()],
        "Model {model}, recipe `{recipe}`, {strings:,} names ({source}). Threads: {threads}, runs: "
        "{runs}. The best batch size of sentence-transformers was {best_batch_size}, of those "
        "tried once on a part of the names.",
        [
            Shown("seconds", LOOP, ",.2f", statistic=None),
            Shown("strings a second", "strings_per_second", ",.0f"),
            Shown("times as fast as sentence-transformers", LOOP, ".2f", over=ways.TRAINER),
            Shown("as its best batch size", LOOP, ".2f", over=ways.BEST),
            Shown("peak memory, MiB", PEAK, ",.0f", scale=MIB),
            Shown("largest difference of a value", "largest_difference", ".1e"),
        ],
        [
            aim(f"{FASTER} as sentence-transformers' encode", 1.3, LOOP, over=ways.TRAINER),
            aim("vectors equal within {:.0e}", 1e-5, "largest_difference", ".1e"),
            aim(f"with int8 {FASTER}", 2, LOOP, over=ways.TRAINER, way=ways.OURS_INT8),
        ],
    ),
    "stsb": Part(
        "embedding",
        [(label, "stsb", way) for way, label in ways.OUR_FORMS.items()],
        "The {pairs:,} test pairs of the STS Benchmark, with an encoder tuned on sentences by "
        "`{recipe}` as in config/config.yaml.",
        [Shown("Spearman's rho", RHO, ".4f")],
        [aim(INT8, 0.002, RHO, "+.4f", minus=ways.OURS, way=ways.OURS_INT8)],
    ),
    "quality": Part(
        "quality",
        [(label, "stsb-dev", way) for way, label in ways.BOTH.items()],
        "Model {model}, recipe `{recipe}` as in config/config.yaml (pooling {pooling}, temperature "
        "{temperature}, learning rate {learning_rate}), {strings:,} sentences ({source}).",
        [Shown(text, RHO, form, statistic=one) for text, form, one in STATISTICS],
        after=_welch,
        missing="Not measured; `make bench` with `--quality` does.",
    ),
    "senteval": Part(
        "senteval",
        [
            (f"{name}, {label}", name, way)
            for name in SETS
            for way, label in ways.PROBE_WAYS.items()
        ],
        "Model {model}, recipe `{recipe}`, configuration {protocol} of SentEval, vectors of "
        "{width:.0f} units. Threads: {threads}.",
        [
            Shown("accuracy, %; Pearson x 100", "score", ".2f"),
            Shown("difference, points", "score", "+.2f", minus=ways.PLAIN),
            Shown("processor seconds", FITS, ",.1f"),
            Shown("times less than one fit at a time", FITS, ".1f", over=ways.PLAIN),
        ],
        [
            aim(f"{name}: within {{:g}} points", 0.5, "score", "+.2f", minus=ways.PLAIN, task=name)
            for name in SETS
        ],
        missing="Not measured; `make bench` with `--only senteval` does.",
    ),
    "gpu": Part(
        "gpu",
        [(label, task, ways.OURS) for task, (label, _) in GPU_TASKS.items()],
        "{device}.",
        [
            Shown("seconds", LOOP, ",.2f", statistic=None),
            Shown("tokens a second", "tokens_per_second", ",.0f"),
            Shown("model TFLOP/s", "flops_per_second", ".1f", scale=1e-12),
            Shown("share of peak", "share_of_peak", ".1%", missing="peak unknown"),
            Shown("GPU memory, MiB", "gpu_memory", ",.0f", scale=MIB),
        ],
        [
            aim(f"{label}, within {{:g}} s", seconds, LOOP, task=task)
            for task, (label, seconds) in GPU_TASKS.items()
        ]
        + [
            aim(
                f"{GPU_TASKS['sentences'][0]}, at least {{:.0%}} of the peak",
                *(SHARE_OF_PEAK, "share_of_peak", ".1%"),
                task="sentences",
            )
        ],
        missing="Not measured: no GPU was available.",
    ),
    **SCALE_PARTS,
}
