"""Front door: check a config file as a run does, YAML mistakes with their line included."""

import argparse

from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.dag.plan import Plan
from workflow_scripts.errors import run_command


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="what would be given with --configfile")
    file = parser.parse_args(argv).file
    Plan(read_layers([file]))
    print(f"{file}: nothing wrong with it")


if __name__ == "__main__":
    run_command(main)
