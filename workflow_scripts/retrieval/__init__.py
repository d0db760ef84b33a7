"""Retrieval: the nearest names of mentions and the nearest translations of words, with FAISS."""
