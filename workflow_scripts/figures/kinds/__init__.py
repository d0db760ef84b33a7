"""The kinds of figures, one to a file: its block of config, what it needs, how it is drawn."""
