"""The strings of a corpus as token ids: single ones, or pairs such as translations."""

from collections.abc import Iterable, Sequence

from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import tokenize_strings


class TokenRows:
    """Rows of a corpus, tokenised by the `settings` of tuning; `sides` are its columns."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        settings: EncoderSettings,
        *sides: Sequence[str] | None,
    ) -> None:
        self.sides = [tokenize_strings(tokenizer, side or (), settings) for side in sides]

    def __len__(self) -> int:
        return len(self.sides[0])

    def strings(self, numbers: Iterable[int]) -> list[list[int]]:
        """Return the first strings of these rows, then the second where there are pairs."""
        numbers = list(numbers)
        return [side[row] for side in self.sides for row in numbers]
