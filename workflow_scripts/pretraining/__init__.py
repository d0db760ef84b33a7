"""Pretraining of the small embedded models from public text, on a laptop."""
