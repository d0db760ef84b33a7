"""How the models in resources/models were made. The workflow itself does not need this package."""
