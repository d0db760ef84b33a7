"""Masked language modelling: what pretraining and tuning both do with a model and its text."""
