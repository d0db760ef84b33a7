"""The page and the rows of a rehearsal: docs/reference/gpu-rehearsal.md and .tsv."""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import chain

from tools.gpu_rehearsal.cards import CARDS, USABLE_SHARE
from tools.gpu_rehearsal.rehearse import Counts
from tools.gpu_rehearsal.scenarios import Embedding, Scenario

# a card of each size, the smallest first
_BY_MEMORY = tuple({card.memory: card for card in sorted(CARDS, key=lambda c: c.memory)}.values())
_LARGE = _BY_MEMORY[-1]
_CATEGORIES = (
    *("weights", "gradients", "optimiser state", "optimiser at work", "weights in 16 bits"),
    *("activations", "dropout, attention", "output layer", "backward"),
)

_HEAD = """# Rehearsal on a fake GPU

Made by `make rehearse-gpu` (tools/gpu_rehearsal). **These are counts, not times: nothing here ran
on a GPU.** The real loop runs on tensors without content whose device claims to be CUDA, and every
operator is counted. A step is the second or a later one, when the optimiser has its state.
[gpu-rehearsal.tsv](gpu-rehearsal.tsv) has the rows with more columns.

What the figures leave out:

- *Bounds* are sums over operators of the longer of arithmetic at the card's full peak and memory
  traffic at its full bandwidth. A real step takes longer: peaks are not reached, and each launch
  takes microseconds, which dominates for small models.
- *Kernels* are the fewest possible: one for each operator that computes.
- *Peaks* are those of torch's tensors. CUDA's context, workspaces and fragmentation come on top,
  so a card counts as full at {share:.0%} of its memory.
- *Host waits* leave out copies from pageable memory, and the log, which reads losses every 20 steps
  or 5 seconds.
- One process is rehearsed, not several cards.

In *full* rows every string has the maximum length; in *ragged* rows lengths are drawn as of words
(3 to 6 tokens), names (4 to 22) and sentences (7 to 42). Models have the papers' sizes and
vocabularies. The cards, by their data sheets; bfloat16 stands for float16 where a card lacks it:
"""


@dataclass(frozen=True)
class Result:
    """Counts of a scenario by the memory of a card, or why it does not run there."""

    scenario: Scenario | Embedding
    memory: float
    outcome: Counts | str

    @property
    def fits(self) -> str:
        """How a step is taken within the memory."""
        if isinstance(self.outcome, str):
            return "no"
        if not self.outcome.answers:
            return "whole"
        rows = [words.split("parts of ")[1].split()[0] for words in self.outcome.answers[1:]]
        return f"parts of {rows[-1]}" if rows else "gradient cache"


def rows_of(results: Iterable[Result]) -> str:
    """Return tidy rows, tab-separated: one for each scenario and size of memory."""
    stream = StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    bounds = [f"bound_seconds_{card.name.replace(' ', '_')}" for card in CARDS]
    heads = ["scenario", "usable_bytes", "fits", "step", "parameters", "synchronisations"]
    heads += ["operators", "kernels", "flops", "bytes_moved", "peak_bytes"]
    heads += [f"peak_{name.replace(', ', '_').replace(' ', '_')}" for name in _CATEGORIES]
    writer.writerow([*heads, *bounds])
    for result in results:
        counts, start = result.outcome, [result.scenario.name, int(result.memory), result.fits]
        if isinstance(counts, str):
            writer.writerow([*start, *[""] * (len(heads) + len(bounds) - len(start))])
            continue
        own = [counts.step, counts.parameters, sum(counts.synchronisations.values())]
        own += [sum(counts.operators.values()), counts.launches, counts.flops, counts.moved]
        own += [counts.peak, *(counts.peak_by_category.get(name, 0) for name in _CATEGORIES)]
        writer.writerow([*start, *own, *(f"{counts.bounds[card.name]:.6g}" for card in CARDS)])
    return stream.getvalue()


def page_of(results: Sequence[Result]) -> str:
    """Return the page."""
    largest = [result for result in results if result.memory == _LARGE.usable]
    parts = [_HEAD.format(share=USABLE_SHARE), _cards()]
    parts += ["## What a step asks for, on a card of 80 GB\n", _work(largest)]
    parts += ["## Memory of a step, on a card of 80 GB\n", _memory(largest)]
    parts += ["## What fits which card\n", _fits(results)]
    parts += ["## Where the host waits\n", _synchronisations(largest)]
    return "\n".join(parts)


def _cards() -> str:
    heads = ["card", "TFLOP/s, 16 bits", "TFLOP/s, float32", "GB/s", "memory, GiB", "bfloat16"]
    rows = [
        [
            *(card.name, f"{card.half / 1e12:g}", f"{card.single / 1e12:g}"),
            *(f"{card.bandwidth / 1e9:g}", f"{card.memory / 2**30:g}"),
            "yes" if card.bfloat16 else "no",
        ]
        for card in CARDS
    ]
    return table(heads, rows)


def _work(results: Iterable[Result]) -> str:
    heads = ["step", "host waits", "operators", "kernels", "TFLOP", "GB moved"]
    heads += [f"bound, {card.name}" for card in CARDS] + ["the paper's own"]
    rows = []
    for result in results:
        counts, scenario = result.outcome, result.scenario
        if isinstance(counts, str):
            continue
        row = [scenario.name, sum(counts.synchronisations.values())]
        row += [f"{sum(counts.operators.values()):,}", f"{counts.launches:,}"]
        row += [_short(counts.flops / 1e12), _short(counts.moved / 1e9)]
        row += [_seconds(counts.bounds[card.name]) for card in CARDS]
        rows.append([*row, getattr(scenario, "paper", "")])
    told = """
The papers: Mirror-BERT states 10 to 20 s for an epoch of 50 steps, CMLM a million steps in five
days on 64 TPUs. A million steps at a bound of 1 s take 11.6 days.
"""
    return table(heads, rows) + told


def _memory(results: Iterable[Result]) -> str:
    rows = []
    for result in results:
        counts = result.outcome
        if isinstance(counts, str):
            continue
        share = [counts.peak_by_category.get(name, 0) / 1e9 for name in _CATEGORIES]
        cells = [_short(value) if value >= 0.005 else "" for value in share]
        rows.append([result.scenario.name, result.fits, _short(counts.peak / 1e9), *cells])
    told = """
GB at the moment of the peak. Weights, gradients and the optimiser's state need 16 bytes for each
trained weight, whatever the batch; tuning checks that before it starts. *Parts* are what a step
was divided into when memory ran out; only dropout masks differ then.
"""
    return table(["step", "taken as", "peak", *_CATEGORIES], rows) + told


def _fits(results: Sequence[Result]) -> str:
    by_name: dict[str, dict[float, Result]] = {}
    for result in results:
        by_name.setdefault(result.scenario.name, {})[result.memory] = result
    rows = []
    for name, by_memory in by_name.items():
        largest = by_memory[_LARGE.usable].outcome
        each = 4e-9 if isinstance(by_memory[_LARGE.usable].scenario, Embedding) else 16e-9
        fixed = "" if isinstance(largest, str) else _short(each * largest.parameters)
        cells: list[object] = [name, fixed]
        for card in _BY_MEMORY:
            result = by_memory.get(card.usable)
            cells += ["not rehearsed", ""] if result is None else [result.fits, _peak(result)]
        rows.append(cells)
    refused = {result.outcome: None for result in results if isinstance(result.outcome, str)}
    sizes = [f"{card.memory / 2**30:.0f} GB" for card in _BY_MEMORY]
    heads = ["step", "fixed, GB", *chain.from_iterable((size, "peak, GB") for size in sizes)]
    told = "".join(f"\n- {message}" for message in refused)
    return table(heads, rows) + (f"\nWhat those that do not fit say:\n{told}\n" if refused else "")


def _peak(result: Result) -> str:
    return "" if isinstance(result.outcome, str) else _short(result.outcome.peak / 1e9)


def _synchronisations(results: Iterable[Result]) -> str:
    most: Counter[str] = Counter()
    where: dict[str, str] = {}
    for result in results:
        if isinstance(result.outcome, str):
            continue
        for place, number in result.outcome.synchronisations.items():
            if number > most[place]:
                most[place], where[place] = number, result.scenario.name
    rows = [[place, number, where[place]] for place, number in most.most_common()]
    return table(["place: why", "most often in a step", "of"], rows)


def table(heads: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of Markdown whose columns but the first are flush right."""
    lines = [heads, ["---", *["--:"] * (len(heads) - 1)], *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def _short(value: float) -> str:
    """Return three significant digits."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def _seconds(value: float) -> str:
    return f"{_short(value)} s" if value >= 1 else f"{_short(1e3 * value)} ms"
