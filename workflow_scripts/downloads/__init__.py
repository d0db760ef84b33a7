"""Fetching data sets and corpora: the registry of what there is, and safe downloads from it."""
