"""Command: check a config file as a run does, YAML mistakes with their line included."""

from workflow_scripts.cli import command_parser
from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.errors import run_command
from workflow_scripts.plan.plan import Plan

EXAMPLE = """
COMMAND config/config.yaml
"""


def main(argv: list[str] | None = None) -> None:
    parser = command_parser("check_config", __doc__, EXAMPLE)
    parser.add_argument("file", help="what would be given with --configfile")
    file = parser.parse_args(argv).file
    Plan(read_layers([file]))
    print(f"{file}: nothing wrong with it")


if __name__ == "__main__":
    run_command(main)
