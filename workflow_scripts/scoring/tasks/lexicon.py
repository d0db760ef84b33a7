"""Lexicon induction: the target words nearest to source words against their gold translations.

Its two languages may have two encoders, so `score_lexicon` measures it (`ranked_accuracy.py`).
"""

PRIMARY = "accuracy@1"
ITEMS = "LexiconSet"
NEEDS = ("translations",)
DEVELOPMENT = False
