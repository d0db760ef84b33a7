"""Benchmarks: Mirror tuning and embedding against other ways to do the same, in time and memory."""
