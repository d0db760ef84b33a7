"""Run the papers' config with synthetic models and data, from an empty folder to tables.

    python -m tools.rehearsal --folder ../rehearsal

The folder gets a copy of the project, in which config/registry.yaml has the hashes of the synthetic
data, and config/rehearsal.yaml overrides config/paper.yaml. A hub and a mirror on this machine
serve what `fetch_all` asks for; then they are gone, and all tables are made offline. Run it again
to continue where it ended, also with more seeds or tables: it uses the project's current files and
the same synthetic files. The calls and their times are in rehearsal.jsonl of the folder.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import yaml

from tests.support.fake_hub import fake_hub, listening
from tools.rehearsal_report import OVERLAY, RECORD, report
from tools.synthetic_data import make_data, write_never_published
from tools.synthetic_rows import SIZES, Material
from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.layers import DEFAULT, read_layers
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.plan.plan import Plan

PROJECT = Path(__file__).resolve().parents[1]
COPIED = ("Snakefile", "rules", "envs", "workflow_scripts", "config", "profiles", "resources")
REGISTRY = "config/registry.yaml"
FETCH, OFFLINE = (f"config/rehearsal-{end}.yaml" for end in ("fetch", "offline"))
# methods whose texts were not released; of the synthetic ones there are some dozens of lines
_SCARCE = {"cmlm", "mlm", "quickthought", "bitext", "nli"}
# strings that the grid tunes on, one batch of its largest, and tokens of each that are read
FEW, SHORT = 320, 8
SEEDS = [33, 44, 55, 66, 77]


def copy_project(folder: Path) -> None:
    """Copy the project's files as they are, but for a registry that already exists."""
    kept = [Path(REGISTRY).name] if (folder / REGISTRY).exists() else []
    left_out = shutil.ignore_patterns("__pycache__", *kept)
    for name in COPIED:
        if (source := PROJECT / name).is_file():
            shutil.copy2(source, folder / name)
        else:
            shutil.copytree(source, folder / name, ignore=left_out, dirs_exist_ok=True)


def write_yaml(path: Path, block: dict[str, Any]) -> None:
    write_text(path, yaml.safe_dump(block, allow_unicode=True, sort_keys=False))


def overlay(base: Path, seeds: int, tables: Sequence[str]) -> dict[str, Any]:
    """Return what overrides a config: its models and data are synthetic, so that nothing compares.

    Recipes and corpora stay as they are, but for the 504 tunings of the grid, which take the first
    tokens of a few strings. With `tables` only these are made, and no figures.
    """
    config = read_layers([base]).config
    block: dict[str, Any] = {"base": [base.name], "seeds": SEEDS[:seeds], "device": "cpu"}
    data = {"label": "synthetic data for the papers' sets", "paper": [], "missing": "error"}
    block |= {"data": data, "threads": {"tuning": 1, "embedding": 1, "retrieval": 1}}
    block["models"] = {
        name: {"paper": [], "label": f"synthetic, for {model.get('label', name)}"}
        for name, model in config["models"].items()
        if {"hub", "vectors"} & model.keys()
    }
    searches = config["tuning_grid"]["searches"].items()
    few = {one["corpus"]: f"few-{one['corpus']}" for _, one in searches}
    block["corpora"] = {
        name: {**config["corpora"][corpus], "size": FEW, "paper": []}
        for corpus, name in few.items()
    }
    block["tuning_grid"] = {
        "searches": {
            name: {"corpus": few[one["corpus"]], "set": {"max_length": SHORT}}
            for name, one in searches
        }
    }
    # synthetic models have few
    layers = [name for name, one in config["recipes"].items() if "layer" in one]
    block["recipes"] = {name: {"layer": 1} for name in layers}
    with_seeds = [name for name, one in config["tables"].items() if "seeds" in one]
    block["tables"] = {name: {"seeds": SEEDS[:seeds]} for name in with_seeds}
    if tables:
        if unknown := set(tables) - config["tables"].keys():
            raise UserError(f"--tables {', '.join(unknown)}", f"{base} has no such table", "fix it")
        left_out = [name for name in config["tables"] if name not in tables]
        block["tables"] = {k: v for k, v in block["tables"].items() if k in tables}
        # a null takes an entry away
        block["tables"] |= dict.fromkeys(left_out)
        block["figures"] = dict.fromkeys(config["figures"])
    return block


def never_released(base: Path) -> dict[str, Any]:
    """Return what overrides a config so that rows run whose text or models were never released.

    Their corpora are the default config's; training of a million steps ends after a few,
    of a few strings each.
    """
    config = read_layers([base]).config
    default_corpora = read_layers([DEFAULT]).config["corpora"]
    wanted = [name for name, one in config["corpora"].items() if one["kind"] == "absent"]
    parts = [part for name in wanted for part in default_corpora[name].get("of", [])]
    absent = [name for one in config["absent_models"] for name in one["models"]]
    models = {name: {"hub": f"synthetic/{name}", "revision": "a" * 40} for name in absent}
    recipes: dict[str, dict[str, Any]] = {}
    for name, recipe in config["recipes"].items():
        cut = {"steps": 4} if "steps" in recipe else {}
        if recipe.get("method") in _SCARCE:
            cut["batch_size"] = 8
        recipes[name] = cut
    unpublished = [name for name, one in config["datasets"].items() if "absent" in one]
    return {
        "models": models,
        "absent_models": [],
        "corpora": {name: default_corpora[name] for name in [*wanted, *parts]},
        "recipes": {name: cut for name, cut in recipes.items() if cut},
        "datasets": {name: {"absent": None} for name in unpublished},
    }


def prepare(folder: Path, base: Path, arguments: argparse.Namespace) -> None:
    """Make the config, and the data that it needs and that are not there from an earlier call."""
    if folder.exists() and any(folder.iterdir()) and not (folder / OFFLINE).exists():
        raise UserError(f"--folder {folder}", "holds other things", "give a new or an empty folder")
    (folder / "config").mkdir(parents=True, exist_ok=True)
    write_yaml(folder / OFFLINE, {"downloads": {"offline": True}})
    copy_project(folder)
    block = overlay(base, arguments.seeds, arguments.tables or [])
    if arguments.complete:
        for section, more in never_released(base).items():
            merges = isinstance(more, dict)
            block[section] = {**block.get(section, {}), **more} if merges else more
        write_never_published(folder / "data")
    write_yaml(folder / OVERLAY, block)
    with chdir(folder):
        # what is missing is not looked for yet: an address may have it
        later = {"data": {"missing": "skip"}, "downloads": {"mirror": "http://127.0.0.1"}}
        needs = Plan(read_layers([OVERLAY], later)).all_required
    names = [*needs.open_sets(), *needs.gated()]
    material = Material(arguments.data, SIZES[arguments.size])
    make_data(folder / REGISTRY, names, material, folder / "mirror", folder / "data")


@contextmanager
def serving(folder: Path) -> Iterator[dict[str, str]]:
    """Serve the models of the config and the mirror; yield the environment of who fetches."""
    from tools.synthetic_models import synthetic_model

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    models = read_layers([folder / OVERLAY]).config["models"]
    mirror = partial(Handler, directory=folder / "mirror")
    with fake_hub() as hub, listening(mirror) as web:
        for model in models.values():
            if "hub" in model:
                repository = synthetic_model(model["hub"], model["revision"])
                hub.repositories[model["hub"]] = repository
        address = f"http://127.0.0.1:{web.server_address[1]}"
        write_yaml(folder / FETCH, {"downloads": {"mirror": address}})
        yield hub.environment(str(folder / "home"))


def run_snakemake(
    folder: Path, target: str, over: str, environment: dict[str, str], options: Sequence[str]
) -> tuple[int, float]:
    """Run a target in the folder; return its exit status and seconds."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = [sys.executable, "-m", "snakemake", "--keep-going", *options]
    words += ["--configfile", OVERLAY, over, "--", target]
    started = time.monotonic()
    status = subprocess.run(
        words, cwd=folder, env={**os.environ, "PATH": path, **environment}
    ).returncode
    return status, time.monotonic() - started


def keep_record(folder: Path, facts: dict[str, Any]) -> None:
    """Add a line: a call as it begins, and again as it ends, which one that is killed does not."""
    with (folder / RECORD).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(facts) + "\n")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, required=True, help="where all of it is made")
    parser.add_argument("--config", default="paper", help="config/<name>.yaml")
    parser.add_argument("--data", type=Path, help="data root with files to take")
    parser.add_argument("--size", choices=SIZES, default="small", help="of what is made")
    parser.add_argument("--seeds", type=int, choices=range(1, 6), default=1, help="how many")
    parser.add_argument("--tables", nargs="+", help="only these, and no figures")
    whole = "also rows whose text, models or data were never released, with synthetic ones for them"
    parser.add_argument("--complete", action="store_true", help=whole)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    through = "options of Snakemake instead of --cores, for all tables: a profile of a cluster"
    parser.add_argument("--through", default="", help=through)
    parser.add_argument("--report", type=Path, help="Markdown file: rules, time, memory, bytes")
    beside = "folders of other runs, which the report compares with this one"
    parser.add_argument("--beside", type=Path, nargs="+", default=[], help=beside)
    arguments = parser.parse_args(argv)
    folder = arguments.folder.resolve()
    prepare(folder, PROJECT / "config" / f"{arguments.config}.yaml", arguments)
    said = ("size", "seeds", "tables", "complete", "cores", "through")
    keep_record(folder, {name: getattr(arguments, name) for name in said})
    cores, seconds = ["--cores", str(arguments.cores)], {}
    with serving(folder) as environment:
        status, seconds["fetch_all"] = run_snakemake(folder, "fetch_all", FETCH, environment, cores)
    if status == 0:
        offline = {"HF_HUB_OFFLINE": "1"}
        options = shlex.split(arguments.through) or cores
        status, seconds["all_tables"] = run_snakemake(
            folder, "all_tables", OFFLINE, offline, options
        )
    keep_record(folder, {"status": status, "seconds": seconds})
    if arguments.report and status == 0:
        write_text(arguments.report, report(folder, arguments.beside))
    if status:
        raise UserError(folder, "not all jobs ended well", "fix it and run the same again")


if __name__ == "__main__":
    run_command(main)
