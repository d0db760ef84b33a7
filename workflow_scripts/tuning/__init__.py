"""Tuning: what a recipe says, and the methods that turn a model into an encoder."""
