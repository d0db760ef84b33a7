"""What jobs made is known by content."""

import os

import pytest

from workflow_scripts.content_hashes import ContentHashes
from workflow_scripts.runtime.output_integrity import NOTES, OutputIntegrity, refuse_changed_files


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    (folder / ".workflow").mkdir(parents=True)
    return folder


def made_in(results):
    records = results / ".workflow"
    return OutputIntegrity(str(results), records, ContentHashes(records / "hashes"))


def test_what_is_restored_from_a_backup_of_the_same_size_is_named(results):
    file, backup = results / "a.txt", results.parent / "backup"
    backup.write_text("older")
    os.utime(backup, (1e9, 1e9))
    file.write_text("newer")
    made_in(results).note([str(file)])
    # another run may spell the folder otherwise, and a touched file is the same
    os.utime(file, (2e9, 2e9))
    assert made_in(results).changed([]) == []
    backup.replace(file)
    assert made_in(results).changed([]) == [str(file)]
    with pytest.raises(SystemExit, match=r"^error: .*a.txt: changed since a job made it; remove"):
        refuse_changed_files(made_in(results), [])
    # a job that was killed may have written it
    assert made_in(results).changed(["a.txt"]) == []
    # a missing file is made again
    file.unlink()
    assert made_in(results).changed([]) == []


@pytest.mark.parametrize("owner", ["encoder.json", ""])
def test_a_file_that_no_rule_declares_is_of_its_encoder_or_folder(results, owner):
    folder = results / "made"
    folder.mkdir()
    for name in ("encoder.json", "tokenizer.json", ".snakemake_timestamp"):
        (folder / name).write_text(name)
    made_in(results).note([str(folder / owner)])
    (folder / ".snakemake_timestamp").write_text("later")
    assert made_in(results).changed([]) == []
    (folder / "tokenizer.json").write_text("other")
    assert made_in(results).changed([]) == [str(folder)]
    (folder / "tokenizer.json").unlink()
    assert made_in(results).changed([]) == [str(folder)]
    assert made_in(results).changed([str("made/" + owner).rstrip("/")]) == []


def test_what_a_method_trained_may_go_with_the_weights_and_not_without(results):
    folder = results / "made"
    folder.mkdir()
    record, weights, own = (
        folder / name
        for name in ("encoder.json", "model.safetensors", "training_modules.safetensors")
    )
    for file in (record, weights, own):
        file.touch()
    made_in(results).note([str(record), str(weights)])
    own.unlink()
    assert made_in(results).changed([]) == [str(folder)]
    weights.unlink()
    assert made_in(results).changed([]) == []


def test_an_encoder_made_anew_with_fewer_files_is_whole(results):
    folder = results / "made"
    folder.mkdir()
    record, vocabulary = folder / "encoder.json", folder / "vocab.txt"
    for file in (record, vocabulary):
        file.touch()
    made_in(results).note([str(record)])
    vocabulary.unlink()
    assert made_in(results).changed([]) == [str(folder)]
    made_in(results).note([str(record)])
    assert made_in(results).changed([]) == []


def test_notes_that_were_cut_stop_no_run(results):
    first, second = results / "first", results / "second"
    for file in (first, second):
        file.write_text(file.name)
        made_in(results).note([str(file)])
    notes = results / ".workflow" / NOTES
    # a note before, of the same file, does not count in its place
    second.write_text("made anew")
    made_in(results).note([str(second)])
    os.truncate(notes, notes.stat().st_size - 30)
    assert made_in(results).changed([]) == []
    # notes after the cut line count
    made_in(results).note([str(second)])
    second.write_text("other")
    first.write_text("other")
    assert made_in(results).changed([]) == [str(first), str(second)]
