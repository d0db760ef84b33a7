"""The strings and data sets of a development suite for the tiny models."""

from tiny_models import make_sentences

STRINGS = make_sentences(60)[20:]
DATASETS = {
    "pairs": {
        "task": "similarity",
        "split": "dev",
        "left": list(range(20)),
        "right": list(range(20, 40)),
        "gold": [(number * 7) % 20 / 4 for number in range(20)],
        "subset": [""] * 20,
        "dropped": {},
    },
    "links": {
        "task": "entity-linking",
        "split": "dev",
        "names": list(range(10)),
        "name_concepts": [[f"D{number % 5}"] for number in range(10)],
        "mentions": [[number] for number in range(20, 40)],
        "gold": [[[f"D{number % 5}"]] for number in range(20)],
        "dropped": {"no concept": 3},
    },
}
