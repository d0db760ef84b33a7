"""The strings and data sets to choose settings on for the tiny models."""

from tiny_models import make_sentences

STRINGS = make_sentences(60)[20:]
DATASETS = {
    "pairs": {
        **{"task": "similarity", "split": "dev", "subset": [""] * 20, "dropped": {}},
        **{"left": list(range(20)), "right": list(range(20, 40))},
        "gold": [(number * 7) % 20 / 4 for number in range(20)],
    },
    "links": {
        **{"task": "entity-linking", "split": "dev", "dropped": {"no concept": 3}},
        **{"names": list(range(10)), "mentions": [[number] for number in range(20, 40)]},
        "name_concepts": [[f"D{number % 5}"] for number in range(10)],
        "gold": [[[f"D{number % 5}"]] for number in range(20)],
    },
}
