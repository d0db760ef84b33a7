"""The two sides of a lexicon, and what the strings of a data set or of a side go by."""

SIDES = ("source", "target")


def strings_key(dataset: str, side: str | None = None) -> str:
    """Return the key of a data set's strings, or of a side's (`bli-en-fr/source`)."""
    return dataset if side is None else f"{dataset}/{side}"
