"""How a batch is cut: into micro-batches, and these into parts where memory is short."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from workflow_scripts.tuning.devices import traits_of


@dataclass(frozen=True)
class MicroBatch:
    """Rows of the batch that are encoded together, padded to `width` tokens."""

    rows: tuple[int, ...]
    width: int


def plan_micro_batches(lengths: Sequence[int], overhead: int, most_tokens: int) -> list[MicroBatch]:
    """Return micro-batches of rows of similar token counts that cover `lengths`, shortest first.

    They cost least where a micro-batch costs `overhead` positions more than its own. One above
    `most_tokens` positions is cut into pieces as equal as can be.
    """
    order = sorted(range(len(lengths)), key=lambda row: lengths[row])
    counts = sorted(Counter(lengths).items())
    # best[i]: the least cost of the i shortest lengths, and where its last micro-batch starts
    best = [(0, 0)]
    for end, (width, _) in enumerate(counts, start=1):
        options = []
        rows = 0
        for start in range(end - 1, -1, -1):
            rows += counts[start][1]
            options.append((best[start][0] + rows * width + overhead, start))
        best.append(min(options))
    edges = [len(counts)]
    while edges[-1]:
        edges.append(best[edges[-1]][1])
    micro_batches = []
    first = 0
    for start, end in zip(edges[:0:-1], edges[-2::-1], strict=True):
        width = counts[end - 1][0]
        alike = order[first : first + sum(count for _, count in counts[start:end])]
        first += len(alike)
        pieces = max(1, -(-len(alike) // max(1, most_tokens // width)))
        size = -(-len(alike) // pieces)
        micro_batches += [
            MicroBatch(tuple(alike[i : i + size]), width) for i in range(0, len(alike), size)
        ]
    return micro_batches


@dataclass(frozen=True)
class Part:
    """Rows [start, stop) of a micro-batch.

    Micro-batches of one `number` have the same dropout masks.
    """

    micro_batch: MicroBatch
    number: int
    start: int
    stop: int

    @property
    def rows(self) -> tuple[int, ...]:
        return self.micro_batch.rows[self.start : self.stop]

    @property
    def positions(self) -> int:
        return len(self.rows) * self.micro_batch.width


def plan_parts(
    lengths: Sequence[int], overhead: int, most_tokens: int, most_rows: int | None, paired: bool
) -> list[Part]:
    """Return the parts of a batch whose rows have `lengths`: first strings, then second ones.

    `most_rows` cuts micro-batches into parts; `paired` gives both strings of a pair the same masks.
    """
    pairs = len(lengths) // 2
    if paired:
        lengths = list(map(max, lengths[:pairs], lengths[pairs:]))
    numbered = list(enumerate(plan_micro_batches(lengths, overhead, most_tokens)))
    if paired:
        numbered += [
            (number, MicroBatch(tuple(row + pairs for row in micro_batch.rows), micro_batch.width))
            for number, micro_batch in numbered
        ]
    parts = []
    for number, micro_batch in numbered:
        end = len(micro_batch.rows)
        size = most_rows or end
        parts += [
            Part(micro_batch, number, start, min(start + size, end))
            for start in range(0, end, size)
        ]
    return parts


def cut_batch(
    lengths: Sequence[int], device: torch.device, most_rows: int | None, paired: bool = False
) -> list[Part]:
    """Return the parts of a batch as its device needs them; arguments as of `plan_parts`."""
    traits = traits_of(device)
    most = traits.most_tokens
    if (least := traits.least_tokens) is not None:
        total = sum(lengths)
        share = total // 4 if total >= 4 * least else -(-total // 2)
        most = min(most, max(least // 2, share))
    return plan_parts(lengths, traits.overhead, most, most_rows, paired)
