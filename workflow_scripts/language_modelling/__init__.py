"""Masked language modelling: what tuning and pretraining from scratch both do with a model and its text."""
