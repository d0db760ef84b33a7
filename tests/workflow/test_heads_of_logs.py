"""The logs of a run: each begins with its command, which can be pasted, and what it ran with."""

import re
import subprocess
from itertools import takewhile

MADE = {
    "sample_corpus/words-en": "results/corpora/words-en.txt",
    "tune_encoder/bert-en-mini/mirror-word/words-en/seed44": (
        "results/encoders/bert-en-mini/mirror-word/words-en/seed44/model.safetensors"
    ),
    "assemble_table/words": "results/tables/words.tsv",
}


def head_of(log):
    """Return the lines before those that the step itself wrote."""
    command, *lines = log.read_text().splitlines()
    return [command, *takewhile(lambda line: line.startswith("# "), lines)]


def test_each_log_begins_with_the_command_of_its_job(finished):
    logs = finished.folder / "results/logs"
    # blocks are written by Snakemake itself
    files = [file for file in sorted(logs.rglob("*.log")) if "write_" not in str(file)]
    assert len(files) > 50
    for file in files:
        command, versions, *seed = head_of(file)
        rule = file.relative_to(logs).parts[0].removesuffix(".log")
        step = {"read_lexicon": "read_dataset"}.get(rule, rule)
        assert re.match(
            rf"(CUDA_VISIBLE_DEVICES= )?python -m workflow_scripts\.\w+\.{step} ", command
        )
        assert re.match(r"# python [\d.]+, .*\btorch \S+, .*\bsnakemake \S+", versions)
        if rule == "tune_encoder":
            assert seed == [f"# seed {file.stem.removeprefix('seed')}"]


def test_a_pasted_head_makes_the_same_bytes(workspace):
    for log, output in MADE.items():
        made = workspace.folder / output
        before = made.read_bytes()
        made.unlink()
        pasted = "\n".join(head_of(workspace.folder / f"results/logs/{log}.log"))
        options = {"cwd": workspace.folder, "env": workspace.environment()}
        subprocess.run(["bash", "-euc", pasted], check=True, capture_output=True, **options)
        assert made.read_bytes() == before
