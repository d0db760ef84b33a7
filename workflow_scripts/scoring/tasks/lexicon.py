"""Lexicon induction: the share of source words with a gold target among the first k words.

Its two languages may have two encoders, so `score_lexicon` measures it (`ranked_accuracy.py`).
"""

METRICS = ("accuracy@1", "accuracy@5")
ITEMS = "LexiconSet"
NEEDS = ("translations",)
DEVELOPMENT = False
