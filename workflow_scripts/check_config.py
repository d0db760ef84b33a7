"""Command: check a config file as a run does, YAML mistakes with their line included."""

from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.path_functions import command
from workflow_scripts.plan.plan import Plan

EXAMPLE = """
COMMAND config/config.yaml
"""


def check_config(file: str, /) -> None:
    """Check a config file as a run does, and report YAML mistakes with their line.

    Args:
        file: config file, as for --configfile
    """
    Plan(read_layers([file]))
    print(f"{file}: no mistakes")


main = command(check_config, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
