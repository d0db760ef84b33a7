"""The file formats of evaluation sets, one module each."""
