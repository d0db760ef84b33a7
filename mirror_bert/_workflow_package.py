"""The package `workflow_scripts` that was installed with this one, not a namesake.

Its name is common: next to another Snakemake project, whose folder comes first in `sys.path`, an
import would take that one.
"""

import importlib.util
import sys
from pathlib import Path

_NAME = "workflow_scripts"


def claim_workflow_package() -> None:
    """Import the package next to `mirror_bert`; `ImportError` if another one is loaded."""
    folder = Path(__file__).resolve().parents[1] / _NAME
    loaded = sys.modules.get(_NAME)
    if loaded is not None:
        if folder not in {Path(path).resolve() for path in loaded.__path__}:
            raise ImportError(
                f"another package named {_NAME} is loaded, from {[*loaded.__path__]}: import "
                "mirror_bert first, or in a separate process"
            )
        return
    spec = importlib.util.spec_from_file_location(
        _NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module
    spec.loader.exec_module(module)
