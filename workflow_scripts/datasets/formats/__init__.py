"""The file formats of evaluation sets: a module each, or a class of columns.py."""
