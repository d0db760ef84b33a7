"""Methods of recipes, one to a file."""
