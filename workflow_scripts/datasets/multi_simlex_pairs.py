"""Cross-lingual word similarity from Multi-SimLex (paper Table 5): two words, two languages.

Concept pair i couples its word 1 in one language with its word 2 in the other, since concepts are
aligned; the gold score is the mean of what the two languages' annotators gave.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets import multi_simlex
from workflow_scripts.datasets.items import SimilaritySet, count_dropped
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError

OPTIONS = {
    **multi_simlex.OPTIONS,
    # The two languages, such as [en, fr].
    "languages": Option((list,)),
    # Also word 2 of the first language with word 1 of the second. Neither this nor the next is told
    # by the paper; both are believed, not known, to be what Multi-SimLex's own sets are made by.
    "both_orders": Option((bool,), True),
    # A pair is kept where the two languages' scores (0 to 6) differ by at most this much.
    "largest_difference": Option((int, float), 1.0),
}

list_files = multi_simlex.list_files


def read(root: Path, options: Mapping[str, Any]) -> SimilaritySet:
    """Return the pairs, the first language's word on the left.

    `subset` is the order: of `en-fr` the English word is word 1 of its concept pair, of `fr-en`
    the French one. Dropped and counted, each order for itself, are pairs with an empty word or
    score and those whose scores differ too much. Raises `UserError` for other than two different
    languages, and as `multi_simlex.read_concept_pairs` does.
    """
    languages = options["languages"]
    if len(languages) != 2 or languages[0] == languages[1]:
        raise UserError(
            f"option 'languages' must name two different languages, such as [en, fr], "
            f"found {languages!r}"
        )
    one, other = languages
    pairs = SimilaritySet([], [], [], [], {})
    for first, second in multi_simlex.read_concept_pairs(root, options, languages):
        orders = [(first[0], second[1], f"{one}-{other}")]
        if options["both_orders"]:
            orders.append((first[1], second[0], f"{other}-{one}"))
        for left, right, order in orders:
            if not (left and right) or first[2] is None or second[2] is None:
                count_dropped(pairs.dropped, "empty_cell")
            # Scores have one decimal: 0.3 - 1.3 is to count as a difference of 1, not more.
            elif round(abs(first[2] - second[2]), 6) > options["largest_difference"]:
                count_dropped(pairs.dropped, "scores_disagree")
            else:
                pairs.left.append(left)
                pairs.right.append(right)
                pairs.gold.append((first[2] + second[2]) / 2)
                pairs.subset.append(order)
    return pairs
