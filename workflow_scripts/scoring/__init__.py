"""Scoring: vectors and rankings to tidy scores; without torch, FAISS, scipy or pandas."""
