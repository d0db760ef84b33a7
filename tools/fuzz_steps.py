"""The steps of a finished run of the workflow, with worn files of the steps before them.

What a step wrote for another is not validated again, so that it is not changed as text here.
"""

import importlib
import json
import shlex
from collections.abc import Callable
from pathlib import Path

from tools.fuzz_damage import wear_file
from tools.fuzz_limits import Case

# What Snakemake keeps of each output: the rule, its inputs, the command that made it.
_RECORDS = "results/.workflow/metadata"
# models, and folders of encoders, have cases of their own, of small ones
_LARGEST = 3_000_000


def step_cases(run: Path) -> dict[str, Case]:
    """Return the commands of the jobs of a run in a folder by name: one of each rule and output."""
    cases: dict[str, Case] = {}
    for record in sorted(path for path in (run / _RECORDS).rglob("*") if path.is_file()):
        job = json.loads(record.read_text(encoding="utf-8"))
        words = shlex.split((job["shellcmd"] or "").replace("\\\n", " "))
        words = [word for word in words if word.strip()]
        inputs = [name.replace("<results>/", "results/") for name in job["input"]]
        inputs = [name for name in inputs if not name.endswith((".py", ".j2"))]
        files = {name: run / name for name in inputs if (run / name).is_file()}
        size = sum(file.stat().st_size for file in files.values())
        if "-m" not in words or len(files) < len(set(inputs)) or size > _LARGEST:
            continue
        module, *words = words[words.index("-m") + 1 :]
        made = [name for name in inputs if not name.startswith("resources/")]
        output = next(
            (Path(w).name for w in words if w.startswith("results/") and w not in files), ""
        )
        if made:
            name = f"step {module.rpartition('.')[2]} {output}"
            damaged = [name for name in made if name in files]
            cases.setdefault(
                name, Case(_main(module), files, words, damaged=damaged, damage=wear_file)
            )
    return cases


def _main(module: str) -> Callable[[list[str]], object]:
    return lambda words: importlib.import_module(module).main(words)
