"""Where a run is started: any folder, by -s or as a module of another workflow."""

import json
import re
import sys

import pytest
import yaml
from small_project import SMALL_CONFIG, SmallProject

CORPUS = "results/corpora/words-en.txt"
TABLE = {
    "title": "Mine",
    "columns": [{"id": "en", "label": "EN", "dataset": "multisimlex-en"}],
    "rows": [
        {"id": "base", "label": "as it is", "model": "bert-en-mini", "recipe": "base-mp"},
        {
            **{"id": "mirror", "label": "+ Mirror", "model": "bert-en-mini", "against": "base"},
            **{"recipe": "mirror-word", "corpus": "words-en"},
        },
    ],
}


def snakefile_of_the_docs(project):
    """Return the workflow that imports this one, as docs/howto/your-folder.md shows it.

    Its own command imports a package of its folder, as those of this workflow do not.
    """
    text = (project / "docs/howto/your-folder.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return block.replace("CLONE", str(project)).replace('"cut', '"python -m own_package && cut')


def small_config(**changes):
    return yaml.safe_load(SMALL_CONFIG.read_text()) | changes


class Folder(SmallProject):
    """A folder of a user's own, in which Snakemake is run."""

    def command(self, *options: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", "2", *options]

    def write(self, name: str, content: object) -> None:
        text = content if isinstance(content, str) else yaml.safe_dump(content)
        (self.folder / name).write_text(text)


@pytest.fixture
def own(tmp_path) -> Folder:
    (tmp_path / "own").mkdir()
    return Folder(tmp_path / "own")


@pytest.fixture
def importing(own, project) -> Folder:
    """A workflow that imports this one, with a package of the user's."""
    own.write("Snakefile", snakefile_of_the_docs(project))
    own.write("own_package.py", "")
    own.write("config.yaml", {"mirror": small_config(tables={"mine": TABLE}, figures={})})
    return own


def test_a_run_in_another_folder_finds_what_ships_and_leaves_its_results_there(own, project):
    before = {*project.iterdir()}
    own.write("small.yaml", small_config())
    words = ["-s", str(project / "Snakefile"), "--configfile", "small.yaml"]
    assert "embed_suite" in own.succeeds("all_tables", *words, "--dry-run", "--quiet", "host")
    # the sample data, a step that imports the project's modules, and a source of each job
    assert "sample_corpus" in own.succeeds(CORPUS, *words)
    assert len((own.folder / CORPUS).read_text().splitlines()) == 200
    assert {file.name for file in own.folder.iterdir()} == {"small.yaml", "results", ".snakemake"}
    assert {*project.iterdir()} == before
    log = (own.folder / "results/logs/sample_corpus/words-en.log").read_text()
    assert f"--root {project}/resources/sample_data" in log
    assert "Nothing to be done" in own.succeeds(CORPUS, *words)


def test_records_do_not_say_where_the_project_is(own, project):
    """A clone that is moved makes nothing again."""
    own.write("small.yaml", small_config())
    own.succeeds(CORPUS, "-s", str(project / "Snakefile"), "--configfile", "small.yaml")
    files = (own.folder / "results/.workflow/metadata").rglob("*")
    records = [json.loads(file.read_text()) for file in files if file.is_file()]
    compared = ("input", "params", "input_checksums", "code")
    assert len(records) == 3
    assert not [key for record in records for key in compared if f"{project}/" in str(record[key])]
    assert "workflow_scripts/corpora/sample_corpus.py" in records[0]["input"]


def test_a_module_takes_its_config_from_the_workflow_that_imports_it(importing):
    shown = importing.succeeds("--dry-run")
    assert "mirror_tune_encoder" in shown and "rule summary" in shown
    importing.write("config.yaml", {"mirror": small_config(tables={"mine": TABLE | {"rows": 1}})})
    failed = importing.run("--dry-run").stdout
    assert "error: the module's config: `tables.mine.rows` is 1; give a list" in failed


def test_a_module_with_a_prefix_is_one_line(importing, project):
    text = snakefile_of_the_docs(project).replace("    config:", '    prefix: "x"\n    config:')
    importing.write("Snakefile", text)
    *_, last = importing.run("--dry-run").stdout.splitlines()
    assert last.startswith("error: results: results in the config, x/results for Snakemake; write")


@pytest.mark.slow
def test_a_workflow_that_imports_this_one_adds_a_table_of_its_own(importing):
    done = importing.succeeds()
    head, base, mirror = (importing.folder / "summary.tsv").read_text().splitlines()
    assert head.split("\t") == ["label", "EN"]
    assert [line.split("\t")[0] for line in (base, mirror)] == ["as it is", "+ Mirror"]
    # what Snakemake calls of the main workflow alone
    assert "Done. Made: results/tables/mine.html" in done
    assert "snakemake mirror_all_tables --cores 2" in done
    # Python keeps its bytecode there where PYTHONDONTWRITEBYTECODE does not forbid it
    assert {file.name for file in importing.folder.iterdir()} - {"__pycache__"} == {
        *("Snakefile", "config.yaml", "own_package.py"),
        *("results", ".snakemake", "summary.tsv"),
    }
    assert "Nothing to be done" in importing.succeeds()
    # one more column makes vectors and scores again, and tunes nothing
    columns = [*TABLE["columns"], {"id": "sl", "label": "SimLex", "dataset": "simlex999"}]
    config = {"mirror": small_config(tables={"mine": TABLE | {"columns": columns}}, figures={})}
    importing.write("config.yaml", config)
    again = importing.succeeds("--dry-run")
    assert "mirror_score_suite" in again and "mirror_tune_encoder" not in again
