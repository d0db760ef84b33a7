"""Results are current if their records prove it, by content: no date, clone or folder decides."""

import os
import shutil

from small_project import SAMPLE, TUNE, SmallProject

OLD = 1_000_000_000


def rules(jobs):
    return {job.split()[0] for job in jobs}


def replace_by_older(path, body):
    """Replace a file by another, as `mv` of a file with an older date does."""
    other = path.with_name("other")
    other.write_bytes(body)
    os.utime(other, (OLD, OLD))
    other.replace(path)


def test_inputs_replaced_by_older_files_rerun_what_reads_them(workspace):
    """A raw file, word vectors, and a link that leads to another file."""
    sample_data = workspace.folder / "resources/sample_data"
    vectors, text = sample_data / "static-vectors/en.vec", sample_data / "running-text/es.txt"
    sts = sample_data / "semeval-sts-original/STS12-en-test/STS.input.MSRvid.txt"
    replace_by_older(sts, b"Indeed. " + sts.read_bytes())
    replace_by_older(vectors, vectors.read_bytes().replace(b"0.1", b"0.2", 1))
    replace_by_older(sample_data / "es", text.read_bytes().replace(b" de ", b" del ", 1))
    text.unlink()
    text.symlink_to(sample_data / "es")
    planned = workspace.planned()
    assert {"read_dataset dataset=sts12", f"{SAMPLE} corpus=text-multi"} <= set(planned)
    assert "embed_static" in rules(planned)
    assert "read_dataset dataset=multisimlex-en" not in planned


def test_every_file_of_a_model_counts(workspace):
    """Also those that a tokenizer reads besides, and one with an older date."""
    models = workspace.folder / "resources/models"
    for name in ("spm.model", "spiece.model", "added_tokens.json"):
        (models / "bert-en-mini" / name).touch()
        os.utime(models / "bert-en-mini" / name, (OLD, OLD))
    planned = [job for job in workspace.planned() if "embed_suite" in job]
    assert any("model=bert-en-mini, recipe=base-mp" in job for job in planned)
    assert not any("model=bert-multi-mini" in job for job in planned)
    tokenizer = models / "bert-multi-mini" / "tokenizer_config.json"
    replace_by_older(tokenizer, tokenizer.read_bytes() + b" ")
    planned = [job for job in workspace.planned() if "embed_suite" in job]
    assert any("model=bert-multi-mini, recipe=base-mp" in job for job in planned)


def test_an_input_that_changed_while_its_job_ran_reruns_the_job(workspace):
    """Its later content is not what the result was made from."""
    step = workspace.folder / "workflow_scripts/corpora/sample_corpus.py"
    raw = "resources/sample_data/running-text/es.txt"
    step.write_text(
        step.read_text().replace(
            'if __name__ == "__main__":\n',
            f'if __name__ == "__main__":\n    raw = open("{raw}").read()\n',
        )
        + f'    open("{raw}", "w").write(raw.replace(" de ", " del ", 1))\n'
    )
    target = "results/corpora/text-multi.txt"
    workspace.succeeds(target)
    assert workspace.planned(target) == [f"{SAMPLE} corpus=text-multi"]


def test_what_records_do_not_prove_is_made_again(workspace):
    """Without Snakemake's own folder all is known; without a record, or with a cut one, it is not.

    Snakemake itself trusts an output without a record.
    """
    shutil.rmtree(workspace.folder / ".snakemake")
    records = workspace.folder / "results/.workflow"
    # the run that wrote them was killed
    os.truncate(records / "made.jsonl", (records / "made.jsonl").stat().st_size - 3)
    assert workspace.planned() == []
    with workspace.edited_config() as config:
        config["corpora"]["words-fr"]["size"] = 150
    assert f"{SAMPLE} corpus=words-fr" in workspace.planned()
    for record in (records / "metadata").iterdir():
        os.truncate(record, record.stat().st_size // 2)
    cut = workspace.planned()
    shutil.rmtree(records)
    assert {TUNE, SAMPLE, "read_dataset", "embed_suite", "assemble_table"} <= rules(cut)
    assert workspace.planned() == cut


def test_clones_with_the_same_results_know_what_the_other_made(workspace, tmp_path):
    clone = SmallProject(tmp_path / "clone")
    results = workspace.folder / "results"
    unneeded = shutil.ignore_patterns("results", ".snakemake")
    shutil.copytree(workspace.folder, clone.folder, symlinks=True, ignore=unneeded)
    with clone.edited_config() as config:
        config["results"] = str(results)
    targets = [str(results / "tables/index.html"), "../project/results/tables/index.html"]
    # but what is written with the folder as the clone spells it
    named = rules(clone.planned(targets[0]))
    assert {job.split("_")[0] for job in named} == {"write", "assemble", "draw"}
    # a clone with another config, which spells the folder otherwise
    with clone.edited_config() as config:
        config["results"] = "../project/results"
        config["corpora"]["words-fr"]["size"] = 150
    assert f"{SAMPLE} corpus=words-fr" in clone.planned(targets[1])
    clone.succeeds("../project/results/corpora/words-fr.txt")
    assert workspace.planned("results/corpora/words-fr.txt") == [f"{SAMPLE} corpus=words-fr"]


def test_a_job_that_failed_is_run_again_though_what_follows_it_is_there(workspace):
    """Snakemake records it as done, and finds nothing to do in a table of before."""
    with workspace.edited_config() as config:
        config["recipes"]["mirror-word"]["batch_size"] = 5000
    encoder = "bert-en-mini/mirror-word/words-en/seed33"
    said = workspace.fails(f"results/encoders/{encoder}/encoder.json")
    (line,) = (line for line in said.splitlines() if line.startswith("  tune_encoder "))
    assert "error: results/corpora/words-en.txt: " in line and "batch_size" in line
    # Snakemake removes the outputs that the job was to replace; nothing new may appear there
    for name in ("encoder.json", "model.safetensors"):
        assert not (workspace.folder / "results/encoders" / encoder / name).exists()
    planned = workspace.planned(f"results/scores/{encoder}/similarity.tsv")
    assert rules(planned) == {TUNE, "embed_suite", "score_suite"}
