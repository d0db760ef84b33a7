"""Pairs of strings, such as translations, as token ids."""

from collections.abc import Iterable

from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.tuning.corpus_strings import Corpus


class TokenPairs:
    """The pairs of a corpus, tokenised by the `settings` of tuning."""

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, corpus: Corpus, settings: EncoderSettings
    ) -> None:
        sides = (corpus.strings, corpus.partners or [])
        self.sides = tuple(tokenize_strings(tokenizer, side, settings) for side in sides)

    def __len__(self) -> int:
        return len(self.sides[0])

    def strings(self, numbers: Iterable[int]) -> list[list[int]]:
        """Return the first strings of these pairs, then the second."""
        numbers = list(numbers)
        return [side[row] for side in self.sides for row in numbers]
