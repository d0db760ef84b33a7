"""Mutation tests: small mistakes put into the code one by one; do the tests notice?

    python -m tools.mutate --modules losses masking --output mutation-report.md

mutmut makes the mutants of each function (what it may change: [tool.mutmut] of pyproject.toml). All
of it happens in a copy of the project. A group has a sample of its mutants tried, each by the tests
of the group that reach the function, until one fails (tools/mutate_session.py).
"""

import argparse
import difflib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from scipy.stats import binomtest

from tools.doc_pages import markdown_table

PROJECT = Path(__file__).resolve().parent.parent
PACKAGES = PROJECT / ".mutate-packages"
EQUIVALENT = PROJECT / "tools" / "equivalent_mutants.yaml"


_NAME = re.compile(r"\S+__mutmut_(orig|\d+)")
_WORDS = re.compile(r"\w \w")


# outcomes of mutants that no test noticed
ALIVE = ("survived", "no tests")


class Group(NamedTuple):
    files: tuple[str, ...]
    tests: tuple[str, ...]


def _in(folder: str, names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}" for name in names.split())


GROUPS = {
    "losses": Group(
        _in(
            "tuning",
            "losses.py objectives/cmlm.py objectives/mlm.py methods/bitext.py methods/nli.py"
            " methods/quickthought.py methods/simcse.py methods/tsdae.py decoder.py",
        ),
        _in(
            "tests/tuning",
            "test_losses.py test_cmlm.py test_baselines.py test_simcse_and_tsdae.py",
        ),
    ),
    "masking": Group(
        (
            *_in("tuning", "span_masking.py dropout.py dropout_masks.py neighbours.py"),
            "language_modelling/masking.py",
        ),
        (
            *_in("tests/tuning", "test_span_masking.py test_dropout.py test_dropout_masks.py"),
            *_in("tests/tuning", "test_drophead.py test_neighbours.py test_cmlm.py"),
            "tests/language_modelling",
        ),
    ),
    "scoring": Group(
        _in(
            "scoring",
            "weighted_metrics.py measurement.py bootstrap.py paired_differences.py"
            " ranked_accuracy.py nearest_translations.py neighbour_languages.py isotropy.py"
            " senteval.py linear_probe.py tasks/*.py metrics/*.py",
        ),
        ("tests/scoring",),
    ),
    "tables": Group(
        _in(
            "tables",
            "cells.py filling.py intervals.py numbers.py assemble_scorecard.py kinds/*.py",
        ),
        ("tests/tables",),
    ),
    "sampling": Group(
        _in("corpora", "drawing.py kinds/*.py sample_corpus.py text_cleaning.py"),
        ("tests/corpora",),
    ),
    "retrieval": Group(
        _in(
            "retrieval",
            "vector_search.py csls.py shortlists.py mapping.py linked_ids.py entity_links.py"
            " margin_mining.py near_duplicates.py translations.py",
        ),
        ("tests/retrieval",),
    ),
    "plan": Group(
        _in(
            "plan",
            "cells.py comparability.py cell_requests.py rule_inputs.py models.py requirements.py"
            " availability.py raw_data.py",
        ),
        ("tests/plan",),
    ),
}


class Mutant(NamedTuple):
    """A mutant by what it changes, which stays the same where other code changes."""

    file: str
    function: str
    change: str


def copy_project(copy: Path) -> None:
    """Copy the files of the project, those not committed yet too."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=PROJECT, check=True, capture_output=True).stdout
    for name in names.decode().split("\0"):
        if name and (PROJECT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, copy / name)


def make_mutants(copy: Path, files: Iterable[str]) -> dict[str, Mutant]:
    """Write all mutants of `files` of the copy into it; return them by mutmut's names."""
    from mutmut.mutation import mutators
    from mutmut.mutation.file_mutation import mutate_file_contents
    from mutmut.utils.format_utils import get_mutant_name

    mutators.mutation_operators[:] = [
        (kind, _words_for_readers(one) if one is mutators.operator_string else one)
        for kind, one in mutators.mutation_operators
    ]
    mutants: dict[str, Mutant] = {}
    package = copy / "workflow_scripts"
    for path in sorted({path for name in files for path in package.glob(name)}):
        name = str(path.relative_to(copy))
        mutated = mutate_file_contents(name, path.read_text())
        path.write_text(mutated.code)
        lines, spans = mutated.code.splitlines(), mutated.line_span_by_function_name
        texts = {one: lines[span.start - 1 : span.end] for one, span in spans.items()}
        for one in mutated.mutant_names:
            function, _, _ = one.rpartition("__mutmut_")
            change = _change(texts[f"{function}__mutmut_orig"], texts[one])
            own_name = function.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
            mutants[get_mutant_name(Path(name), one)] = Mutant(name, own_name, change)
    return mutants


def _change(original: list[str], mutated: list[str]) -> str:
    # the names differ always
    one, other = ([_NAME.sub("f", line) for line in lines] for lines in (original, mutated))
    differing = list(difflib.ndiff(one, other))
    parts = [[line[2:].strip() for line in differing if line.startswith(sign)] for sign in "-+"]
    return " => ".join(" / ".join(lines) for lines in parts)


def _words_for_readers(strings: Callable[..., Any]) -> Callable[..., Any]:
    """Return mutmut's operator of strings without those of several words, which readers see."""
    return lambda node: () if _WORDS.search(getattr(node, "value", "")) else strings(node)


def try_mutants(copy: Path, group: Group, names: list[str], seconds: float) -> dict[str, Any]:
    """Return what became of each mutant, and which tests fail without any."""
    order, output = copy / "mutate-order.json", copy / "mutate-results.json"
    order.write_text(json.dumps({"mutants": names, "seconds": seconds, "output": str(output)}))
    paths = [str(copy), str(PACKAGES)]
    environment = os.environ | {
        **{"MUTATE": str(order), "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        **{"MUTANT_UNDER_TEST": "", "HF_HUB_OFFLINE": "1"},
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.mutate_session", "--tb=no"]
    done = subprocess.run(
        [*command, *group.tests], cwd=copy, env=environment, stdout=subprocess.DEVNULL
    )
    if not output.exists():
        raise SystemExit(f"error: no mutant was tried: pytest ended with {done.returncode}")
    return json.loads(output.read_text())


def measure_group(
    name: str, sample: int, seed: int, seconds: float, again: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the sampled mutants of a group and the outcome of each.

    With `again`, an earlier result, only its survivors are tried, as tests were added since.
    """
    group = GROUPS[name]
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        copy = Path(folder)
        copy_project(copy)
        mutants = make_mutants(copy, group.files)
        kept: list[dict[str, Any]] = []
        if again is None:
            names = sorted(mutants)
            if sample < len(names):
                names = sorted(random.Random(seed).sample(names, sample))
        else:
            kept = [one for one in again["tried"] if one["outcome"] not in ALIVE]
            names = [one["name"] for one in again["tried"] if one["outcome"] in ALIVE]
            if gone := [one for one in names if one not in mutants]:
                raise SystemExit(f"error: the code has changed since: {gone[0]} is no mutant now")
        results = {"failing": [], "mutants": {}}
        if names:
            results = try_mutants(copy, group, names, seconds)
    tried = [{"name": one} | mutants[one]._asdict() | results["mutants"][one] for one in names]
    return {"mutants": len(mutants), "failing": results["failing"], "tried": kept + tried}


def read_equivalent(path: Path = EQUIVALENT) -> dict[Mutant, str]:
    """Return why mutants change nothing that a test could see, by mutant."""
    if not path.exists():
        return {}
    return {
        Mutant(entry["file"], entry["function"], change): reason
        for entry in yaml.safe_load(path.read_text()) or ()
        for change, reason in entry["changes"].items()
    }


class Score(NamedTuple):
    mutants: int
    sample: int
    equivalent: int
    killed: int

    def __str__(self) -> str:
        judged = self.sample - self.equivalent
        low, high = binomtest(self.killed, judged).proportion_ci(method="wilson")
        return f"{100 * self.killed / judged:.1f} ({100 * low:.0f} to {100 * high:.0f})"


def survivors(result: Mapping[str, Any]) -> list[Mutant]:
    return [
        Mutant(*(one[field] for field in Mutant._fields))
        for one in result["tried"]
        if one["outcome"] in ALIVE
    ]


def score_of(result: Mapping[str, Any], equivalent: Mapping[Mutant, str]) -> Score:
    """Count the mutants of a group; equivalent ones are neither killed nor missed."""
    alive = survivors(result)
    same = sum(mutant in equivalent for mutant in alive)
    tried = len(result["tried"])
    return Score(result["mutants"], tried, same, tried - len(alive))


NOT_EQUIVALENT = "Not equivalent: no test notices."

HEAD = """# Mutation tests

Would the tests notice a mistake? `make mutate` puts small mistakes (mutants) into the code that
numbers come from, one at a time, and runs the tests that reach the changed function. A mutant is
killed if a test fails. `MODULES` names groups, `SAMPLE` how many mutants of each are tried and
`SEED` which; `MUTATE_OPTIONS=--again` tries only the survivors of the last run. It is not part of
CI. This page is its report.

- [mutmut](https://mutmut.readthedocs.io) makes the mutants of functions and methods: another
  operator, number or string, an argument dropped or `None`, an assignment of `None`, a condition
  that always holds. It leaves out decorated functions, default values that are calls, and constants
  of modules.
- Left out by `[tool.mutmut]` of pyproject.toml, or by `tools/mutate.py`: lines that raise errors,
  print or warn, and strings of several words, which are for readers.
- A mutant has the tests of its group (`GROUPS` of `tools/mutate.py`) that reach its function, up to
  20 seconds of processor time, cheap ones first. So a survivor may still fail a test that starts
  processes or runs the workflow; the score is a lower bound.
- Score: killed / (tried - equivalent), with Wilson's 95% interval for a sample of the group.
  Mutants that time out or crash are killed. Equivalent mutants change nothing that a user could
  see; their reasons are in `tools/equivalent_mutants.yaml`.
"""


def write_report(
    results: Mapping[str, Any],
    others: Mapping[str, Mapping[str, Any]],
    equivalent: Mapping[Mutant, str],
    note: str = "",
) -> str:
    """Return the report of groups by name; `others` are results to compare with, by heading."""
    heads = ["group", "mutants", "tried", "equivalent", "killed", "score, % (95%)", *others]
    rows = []
    for name, result in results.items():
        score = score_of(result, equivalent)
        compared = [
            score_of(other[name], equivalent) if name in other else "" for other in others.values()
        ]
        rows.append((name, *score, score, *compared))
    lines = [*HEAD.splitlines(), "", *([note, ""] if note else [])]
    lines += markdown_table(heads, rows, numbers=len(heads) - 1)
    for name, result in results.items():
        if not (alive := survivors(result)):
            continue
        lines += ["", f"## Survivors in {name}", ""]
        for mutant in alive:
            change = mutant.change.replace("`", "'")
            place = f"{mutant.file.removeprefix('workflow_scripts/')}, `{mutant.function}`"
            lines.append(f"- {place}: `{change}`. {equivalent.get(mutant, NOT_EQUIVALENT)}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--modules", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--sample", type=int, default=80, help="mutants of each group")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=20, help="of tests for a mutant")
    parser.add_argument("--again", action="store_true", help="only survivors of the results")
    parser.add_argument("--results", type=Path, required=True, help="JSON; its groups are kept")
    compare = "results to compare with, under a heading: before=FILE"
    parser.add_argument("--compare", nargs="+", default=[], metavar="HEADING=FILE", help=compare)
    parser.add_argument("--note", default="", help="a paragraph for the report")
    parser.add_argument("--output", type=Path, help="the report")
    parser.add_argument("--report-only", action="store_true", help="of results that are there")
    args = parser.parse_args()
    sys.path.append(str(PACKAGES))
    results = json.loads(args.results.read_text()) if args.results.exists() else {}
    for name in () if args.report_only else args.modules:
        print(name, file=sys.stderr)
        earlier = results[name] if args.again else None
        results[name] = measure_group(name, args.sample, args.seed, args.seconds, earlier)
        for test in results[name]["failing"]:
            print(f"not used, since it fails without a mutant: {test}", file=sys.stderr)
        args.results.write_text(json.dumps(results, indent=1, ensure_ascii=False))
    ordered = {name: results[name] for name in GROUPS if name in results}
    others = dict(one.split("=", 1) for one in args.compare)
    others = {heading: json.loads(Path(file).read_text()) for heading, file in others.items()}
    report = write_report(ordered, others, read_equivalent(), args.note)
    if args.output:
        args.output.write_text(report)
    else:
        print(report)


if __name__ == "__main__":
    main()
