"""The kinds of corpora, one module each."""
