"""Commands that made files of the project; no step of the workflow runs them."""
