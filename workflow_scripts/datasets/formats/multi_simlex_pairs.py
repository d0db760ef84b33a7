"""Cross-lingual word similarity from Multi-SimLex (paper Table 5): two words, two languages.

Concept pair i couples its word 1 in one language with its word 2 in the other, since concepts are
aligned; the gold score is the mean of what the two languages' annotators gave.
"""

from pathlib import Path
from typing import Annotated

from pydantic import field_validator

from workflow_scripts.configuration.blocks import Distinct, Field, NotNegative, Text
from workflow_scripts.datasets.formats.multi_simlex import ConceptPairsEntry, known_language
from workflow_scripts.datasets.items import SimilaritySet


class Entry(ConceptPairsEntry):
    languages: Annotated[Distinct[Text], Field(min_length=2, max_length=2)] = Field(
        description="The two languages, such as [en, fr]."
    )
    # The paper states neither; both are believed to be how Multi-SimLex's own sets are made.
    both_orders: bool = Field(
        True, description="Also pair word 2 of the first language with word 1 of the second."
    )
    largest_difference: NotNegative = Field(
        1.0, description="Keep a pair if the scores of the two languages differ by at most this."
    )

    @field_validator("languages")
    @classmethod
    def _known(cls, languages: list[str]) -> list[str]:
        return [known_language(language) for language in languages]

    def read(self, root: Path) -> SimilaritySet:
        """Return the pairs, the first language's word on the left.

        `subset` is the order: of `en-fr` the English word is word 1 of its concept pair, of `fr-en`
        the French one. Each order is dropped and counted for itself.
        """
        language, other = self.languages
        pairs = SimilaritySet()
        for first, second in self.concept_pairs(root, self.languages):
            orders = [(first[0], second[1], f"{language}-{other}")]
            if self.both_orders:
                orders.append((first[1], second[0], f"{other}-{language}"))
            for left, right, order in orders:
                if not (left.strip() and right.strip()) or first[2] is None or second[2] is None:
                    pairs.drop("empty_cell")
                # scores have one decimal: 0.3 - 1.3 must count as a difference of 1, not more
                elif round(abs(first[2] - second[2]), 6) > self.largest_difference:
                    pairs.drop("scores_disagree")
                else:
                    pairs.add(left, right, (first[2] + second[2]) / 2, order)
        return pairs
