"""The metrics of the tasks."""
