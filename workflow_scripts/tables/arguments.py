"""The arguments that the steps of tables and figures share."""

import argparse
from typing import Any

from workflow_scripts.files import read_json

HELP = {
    "block": "what is written: kind, title, files, ..., json",
    "output-prefix": "path of the outputs without their endings",
    "cells": "output: tidy cells, tsv",
    "output": "path of the output",
    "script": "output: what cells open of the run's records, js",
    "zip": "output: all pages, figures, cards and logs",
}


def read_arguments(
    argv: list[str] | None, description: str | None, *outputs: str
) -> tuple[Any, argparse.Namespace]:
    """Return the content of --block, and the arguments: a path for each of `outputs`."""
    parser = argparse.ArgumentParser(description=description)
    for name in ("block", *outputs):
        parser.add_argument(f"--{name}", required=True, help=HELP[name])
    arguments = parser.parse_args(argv)
    return read_json(arguments.block), arguments
