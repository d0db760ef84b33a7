"""How a batch is cut into slices for the model: sorted by token count, so with little padding.

The vectors of all slices are joined before the loss, so the gradients are those of one pass over
the whole batch.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Slice:
    """Rows of the batch that are encoded together, padded to `width` tokens."""

    rows: tuple[int, ...]
    width: int


def plan_slices(lengths: Sequence[int], overhead: int, most_tokens: int) -> list[Slice]:
    """Return slices of rows of similar token counts that cover `lengths`, shortest first.

    They cost least where a slice costs `overhead` positions beside its own: with none, rows of each
    length make a slice of their own. A slice of more than `most_tokens` positions is cut into
    pieces as equal as can be, each of at least one row.
    """
    order = sorted(range(len(lengths)), key=lambda row: lengths[row])
    counts = sorted(Counter(lengths).items())
    # best[i]: the least cost of the i shortest lengths, and where its last slice starts
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
    slices = []
    first = 0
    for start, end in zip(edges[:0:-1], edges[-2::-1], strict=True):
        width = counts[end - 1][0]
        rows = order[first : first + sum(count for _, count in counts[start:end])]
        first += len(rows)
        pieces = max(1, -(-len(rows) // max(1, most_tokens // width)))
        size = -(-len(rows) // pieces)
        slices += [Slice(tuple(rows[i : i + size]), width) for i in range(0, len(rows), size)]
    return slices
