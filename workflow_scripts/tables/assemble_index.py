"""Write the first page of the results, run.js, which its cells open, and everything as a zip."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.command_main import run_command
from workflow_scripts.files import atomic_file, read_json, write_text
from workflow_scripts.path_functions import command
from workflow_scripts.tables import document as doc
from workflow_scripts.tables import overview, run_records
from workflow_scripts.tables.cell_details import PAIR, score_id
from workflow_scripts.tables.cells import read_cells
from workflow_scripts.tables.page_records import cell_files, make_record
from workflow_scripts.tables.render import RUN, STATUS, render_page, status_script

FIGURE_FORMS = ("html", "svg", "png", "pdf", "tsv", "md")


def paper_sections(block: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what the page shows of each paper: counts, tasks, tables, figures."""
    sections = []
    order = [*block["order"], *(paper for paper in block["papers"] if paper not in block["order"])]
    for paper in (paper for paper in order if paper in block["papers"]):
        of_paper = block["papers"][paper]
        pages = [*of_paper["tables"], *of_paper["figures"]]
        cells = [cell for page in pages for cell in read_cells(page["cells"])]
        name = doc.paper_name(paper, block["titles"])
        lines = overview.lines(block["overview"].get(paper, ()), cells)
        tasks = overview.tasks(lines)
        # a paper without authors and year
        short = name.partition(" (")[0] if paper in block["order"] else "Tuning"
        sections.append(
            {
                **{"name": name, "lines": lines, "tasks": tasks},
                "verdict": overview.verdict(short, tasks) if tasks else ("", ""),
                "counts": overview.count(cells),
                "tables": overview.by_task(of_paper["tables"]),
                "figures": of_paper["figures"],
            }
        )
    return sections


def _settings(recipe: Mapping[str, Any]) -> str:
    """Return the settings of a recipe on a line: epochs: 2 · span_masking: null · ..."""
    texts = (
        f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for key, value in sorted(recipe.items())
    )
    return " · ".join(texts)


def records(
    block: Mapping[str, Any], results: Path, jobs: Mapping[str, run_records.JobRecord]
) -> dict[str, Any]:
    """Return what cells open of the run: models, settings, cards, steps."""
    # of a lexicon no encoder is the one that it is scored by
    ids = {
        *block["encoders"],
        *(score for score in map(score_id, block["scores"]) if PAIR in score),
    }
    return {
        "models": block["models"],
        "recipes": {name: _settings(recipe) for name, recipe in block["recipes"].items()},
        "trained": block["trained"],
        "cards": run_records.cards(results, block["encoders"]),
        "steps": run_records.step_records(results, jobs, ids),
    }


def zipped_names(block: Mapping[str, Any], run: Mapping[str, Any]) -> list[str]:
    """Return what the zip holds besides the index and run.js: what their pages link."""
    names = ["tables/scores.tsv", *(f"tables/scorecard.{end}" for end in ("tsv", "md", "html"))]
    for of_paper in block["papers"].values():
        for section, forms in (("tables", doc.PAGE_FORMS), ("figures", FIGURE_FORMS)):
            for page in of_paper[section]:
                names += [f"{section}/{page['id']}.{end}" for end in forms]
                names.append(f"{section}/cells/{page['id']}.tsv")
    names += [f"logs/{step}.log" for step, _, has_log in run["steps"] if has_log]
    cards = ("README.md", "encoder.json", "learning_curve.svg")
    return names + [f"encoders/{encoder}/{name}" for encoder in run["cards"] for name in cards]


def write_zip(path: Path, texts: Mapping[str, str], files: Mapping[str, Path]) -> None:
    """Write texts and those of the files that are there, by their names in the zip."""
    with (
        atomic_file(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, text in texts.items():
            archive.writestr(name, text)
        for name, file in files.items():
            if file.is_file():
                archive.write(file, name)


def assemble_index(*, block: Path, output: Path, script: Path, zip: Path) -> None:
    """Write the first page of the results, run.js, which its cells open, and everything as a zip.

    Args:
        block: what is written: papers, encoders, jobs, ..., json
        output: path of the output
        script: output: what cells open of the run's records, js
        zip: output: all pages, figures, cards and logs
    """
    content, results = read_json(block), output.parents[1]
    jobs = run_records.read_jobs(results, content["jobs"])
    run = records(content, results, jobs)
    run_script = f"window.run = {json.dumps(run, ensure_ascii=False, separators=(',', ':'))};\n"
    values: dict[str, Any] = {
        "title": "Results",
        "run": RUN,
        "block": content,
        "papers": paper_sections(content),
        "facts": run_records.facts(jobs),
        "provenance": run_records.provenance(results, jobs, content["encoders"]),
        "page": "tables/index",
        "record": make_record(content, cell_files(content), results),
    }
    # an unpacked zip has no zip to link, and is as whole as it was
    texts = {
        "tables/index.html": render_page("index", zip=None, **values),
        f"tables/{RUN}": run_script,
        f"tables/{STATUS}": status_script({"pages": {}}),
    }
    write_zip(zip, texts, {name: results / name for name in zipped_names(content, run)})
    write_text(script, run_script)
    write_text(output, render_page("index", zip=zip.name, **values))


main = command(assemble_index)

if __name__ == "__main__":
    run_command(main)
