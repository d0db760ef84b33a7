"""Lines of a corpus of pairs: the parts of each, with a separator between them."""

from collections import Counter
from collections.abc import Iterable, Iterator

from workflow_scripts.configuration.blocks import Whitespace
from workflow_scripts.datasets.strings import on_one_line

# Between the two strings of a line of a corpus of pairs, as in the authors' released code.
PAIR_SEPARATOR = "||"
# The third part of a line of premise and hypothesis.
LABELS = ("entailment", "neutral", "contradiction")


def pair_lines(
    pairs: Iterable[list[str]], whitespace: Whitespace, dropped: Counter[str]
) -> Iterator[str]:
    """Yield the parts of each pair as a line; `dropped` counts those that are left out.

    They are `empty` in a part, or hold the `separator`, which would part them elsewhere.
    """
    for pair in pairs:
        parts = [on_one_line(part, whitespace) for part in pair]
        line = PAIR_SEPARATOR.join(parts)
        if not all(part.strip() for part in parts):
            dropped["empty"] += 1
        elif line.split(PAIR_SEPARATOR) != parts:
            dropped["separator"] += 1
        else:
            yield line
