"""Fixtures of this folder: the tiny models."""

from tiny_models import one_thread, tiny_bert, tiny_roberta

__all__ = ["one_thread", "tiny_bert", "tiny_roberta"]
