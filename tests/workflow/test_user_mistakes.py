"""A mistake in config or data ends the run with one clear line, and nothing half-written."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]


def run_and_fail(small, *options):
    result = small.run(*options)
    output = result.stdout + result.stderr
    assert result.returncode != 0
    assert "Traceback" not in output
    return output


def test_an_unknown_key_stops_before_any_job(workspace):
    config = workspace.read_config()
    config["recipes"]["mirror-word"]["temprature"] = 0.1
    workspace.write_config(config)
    output = run_and_fail(workspace, "all_tables")
    assert "temprature: unknown key; did you mean 'temperature'?" in output
    assert "Select jobs" not in output


def test_a_corpus_smaller_than_a_batch_is_named_with_the_remedy(workspace):
    config = workspace.read_config()
    config["recipes"]["mirror-word"]["batch_size"] = 5000
    workspace.write_config(config)
    output = run_and_fail(workspace, "all_tables")
    # other corpora of that recipe may be too small as well, and come first
    errors = [line for line in output.splitlines() if "error:" in line]
    assert any("results/corpora/words-en.txt" in e and "batch_size" in e for e in errors)
    folder = workspace.folder / "results/encoders/bert-en-mini/mirror-word/words-en/seed33"
    # Snakemake removes the outputs that the job was to replace; nothing new may stand there
    assert not (folder / "encoder.json").exists()
    assert not (folder / "model.safetensors").exists()


def test_a_malformed_row_names_file_and_line_and_the_mended_file_goes_through(workspace):
    file = workspace.folder / "resources/sampler/sick/semeval2014/SICK_test_annotated.txt"
    whole = file.read_bytes()
    lines = whole.split(b"\n")
    file.write_bytes(b"\n".join([*lines[:3], b"only one column", *lines[3:]]))
    output = run_and_fail(workspace, "all_tables")
    assert "SICK_test_annotated.txt:4:" in output
    assert not (workspace.folder / "results/datasets/sts-en/items.json").exists()
    file.write_bytes(whole)
    result = workspace.run("results/datasets/sts-en/items.json")
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_missing_file_is_named_before_the_first_job(workspace):
    (workspace.folder / "resources/sampler/askapatient/dictionary.txt").unlink()
    output = run_and_fail(workspace, "all_tables")
    assert "askapatient/dictionary.txt: no such file" in output
    assert "zenodo" in output
    assert "Select jobs" not in output


def test_two_runs_in_one_folder_do_not_mix(workspace, project):
    """The second one is refused in one line while the lock of the first is held."""
    import subprocess
    import sys

    holder = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            "import time; from workflow_scripts.dag.run_lock import hold_run_lock; "
            "hold_run_lock(); print('held', flush=True); time.sleep(100)",
        ],
        cwd=workspace.folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        (workspace.folder / "results/tables/index.html").unlink()
        output = run_and_fail(workspace, "all_tables")
        assert "another run of this workflow is active" in output
    finally:
        holder.kill()
        holder.wait()
