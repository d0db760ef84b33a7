"""Fuzzing, faults, rehearsal, mutation tests and generators of docs: no step runs them."""
