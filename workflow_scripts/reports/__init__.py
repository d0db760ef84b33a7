"""Report pages of the commands `evaluate`, `link` and `search`: one file of HTML each."""
