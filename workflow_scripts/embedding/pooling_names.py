"""Names of the poolings, apart from the code that needs torch, so that config can be checked."""

POOLINGS: dict[str, str] = {
    "cls": "last hidden state at the first position, before the pooler layer",
    "mean": "mean of the last hidden states over the real tokens",
    "mean_pieces": "mean of the last hidden states over the real tokens between the first and the "
    "last, [CLS] and [SEP]",
    "mean_padded": "mean of the last hidden states over all positions, padding up to the maximum "
    "length included (padding is masked in attention, not in the mean)",
    "max": "largest value of each unit of the last hidden states over the real tokens",
    "pooler": "first position after the model's own pooler layer",
    "projected": "mean of the views that CMLM makes of `mean`, of an encoder that it trained; for "
    "recipes of method none only",
}

# Positions of this many tokens at least, so that a string keeps one piece between its two marks.
SHORTEST_MAX_LENGTH = 3
