"""The user's own few lines for a cluster: a YAML file of `key: value`, read into a typed block."""

from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from workflow_scripts.configuration.blocks import AnyBlock, Block, WholeNumber, read_block
from workflow_scripts.configuration.yaml_files import read_mapping


def _as_name(value: Any) -> Any:
    """Return a number or date of YAML as the name it was meant for."""
    named = isinstance(value, int | float | date) and not isinstance(value, bool)
    return str(value) if named else value


Word = Annotated[str, BeforeValidator(_as_name)]
Name = Word | None


class SiteLines(Block):
    """What the site files of all batch systems may say."""

    account: Name = Field(None, description="account that the jobs are charged to")
    node_gpus: WholeNumber = Field(1, description="GPUs of the largest job")
    jobs: WholeNumber = Field(100, description="jobs in the queue at a time")


def read_site_file(path: Path, kind: type[AnyBlock]) -> AnyBlock:
    """Return the lines of a site file; `UserError` names the file, the key and what to do."""
    return read_block(kind, read_mapping(path), file=str(path))
