"""Masked language modelling: what tuning and training from scratch both do with a model."""
