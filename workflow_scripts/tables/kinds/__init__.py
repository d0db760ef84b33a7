"""The kinds of tables, one to a file: its block of config, what it needs, how it is assembled."""
