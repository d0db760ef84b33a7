"""Rehearse training and embedding on a fake CUDA device; write the page and its rows.

F=docs/reference/gpu-rehearsal; python -m tools.gpu_rehearsal --page $F.md --rows $F.tsv
"""

import argparse
import sys
import time
from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text

# bytes of the smallest card on which the largest steps are rehearsed
_LEAST_OF_LARGE = 20e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--page", type=Path, help="Markdown file to write; without it the page is printed")
    add("--rows", type=Path, help="file of tab-separated rows to write")
    add("--short", action="store_true", help="a few small steps, in seconds")
    add("--only", default="", help="only scenarios whose name has this text")
    options = parser.parse_args()
    # before torch, which the modules below import
    from tools.gpu_rehearsal.fake_device import load_fake_device

    load_fake_device()
    from tools.gpu_rehearsal.report import page_of, rows_of
    from tools.gpu_rehearsal.scenarios import SCENARIOS, SHORT

    chosen = [one for one in (SHORT if options.short else SCENARIOS) if options.only in one.name]
    if not chosen:
        raise UserError(f"--only {options.only}", "no scenario has it in its name", "leave it out")
    results = [result for scenario in chosen for result in rehearse_on_cards(scenario)]
    if options.rows:
        write_text(options.rows, rows_of(results))
    if options.page:
        write_text(options.page, page_of(results))
    else:
        print(page_of(results))


def rehearse_on_cards(scenario):
    """Return the results of a scenario, on the cards with most memory first."""
    from tools.gpu_rehearsal.cards import CARDS
    from tools.gpu_rehearsal.rehearse import rehearse
    from tools.gpu_rehearsal.report import Result

    results: list[Result] = []
    for memory in sorted({card.usable for card in CARDS}, reverse=True):
        before = results[-1].outcome if results else None
        start = time.monotonic()
        if before is not None and (isinstance(before, str) or before.peak <= memory):
            # refused with more memory, or far from the limit
            outcome = before
        elif before is not None and not scenario.small and memory < _LEAST_OF_LARGE:
            continue
        else:
            try:
                outcome = rehearse(scenario, memory)
            except UserError as error:
                outcome = str(error)
        results.append(Result(scenario, memory, outcome))
        told = f"{results[-1].fits} in {memory / 1e9:.1f} GB, {time.monotonic() - start:.0f} s"
        print(f"{scenario.name}: {told}", file=sys.stderr)
    return results


if __name__ == "__main__":
    run_command(main)
