"""Tasks of evaluation, one file each; the list of them is `register.py`."""
