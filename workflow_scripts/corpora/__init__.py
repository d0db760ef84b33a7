"""Making corpora: text files of raw strings, one per line, that a model is tuned on."""
