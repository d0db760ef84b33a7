"""Embedding: strings to vectors with a model or an encoder, and what an encoder folder holds."""
