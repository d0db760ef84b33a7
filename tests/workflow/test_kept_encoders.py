"""With `keep_encoders` weights go, tables do not change, and what is needed is made again."""

import shutil

import pytest
from small_project import TUNE, SmallProject

pytestmark = pytest.mark.slow

MULTI = "bert-multi-mini"
WORDS = [f"bert-en-mini/mirror-word/words-en/seed{seed}" for seed in (33, 44)]
CLASSIFY = f"{MULTI}/classify/reviews-en/seed33"
# the second and third stage of CMLM, and what they start from
STAGE_2, STAGE_3 = f"{MULTI}/cmlm-s3/text-multi/seed33", f"{MULTI}/cmlm-s3-nli/nli-multi/seed33"
STAGE_1 = f"{MULTI}/cmlm-multilingual/text-multi/seed33"
WEIGHTS, OWN_WEIGHTS = "model.safetensors", "training_modules.safetensors"


# the rules behind all scores
ASSEMBLING = {"all_tables", "assemble_table", "assemble_scorecard", "assemble_index"}


def rules(small: SmallProject) -> set[str]:
    return {job.split()[0] for job in small.planned()}


def files_of(small: SmallProject, encoder: str) -> set[str]:
    return {file.name for file in (small.folder / "results/encoders" / encoder).iterdir()}


def encoders_with(small: SmallProject, name: str) -> set[str]:
    folder = small.folder / "results/encoders"
    return {str(file.parent.relative_to(folder)) for file in folder.glob(f"*/*/*/*/{name}")}


def tuned(small: SmallProject, *options: str) -> list[str]:
    """Return the encoders that a run would tune."""
    jobs = (job.removeprefix(f"{TUNE} ").split(", ") for job in small.planned(*options))
    return ["/".join(pair.partition("=")[2] for pair in job) for job in jobs if len(job) == 4]


@pytest.fixture(scope="module")
def without_weights(finished, tmp_path_factory) -> SmallProject:
    """The small project, of which some encoders were made again by a run that keeps none."""
    small = SmallProject(tmp_path_factory.mktemp("kept") / "project")
    shutil.copytree(finished.folder, small.folder, symlinks=True)
    with small.edited_config() as config:
        config["keep_encoders"] = "none"
    results = small.folder / "results"
    shutil.rmtree(results / "tables")
    for encoder in (*WORDS, CLASSIFY, STAGE_2, STAGE_3):
        for folder in results.glob(f"*/{encoder}"):
            shutil.rmtree(folder)
    small.succeeds("all_tables")
    return small


def test_weights_go_where_nothing_starts_from_them_and_records_and_tables_stay(
    without_weights, finished
):
    for encoder in (*WORDS, CLASSIFY, STAGE_3):
        before = files_of(finished, encoder)
        assert files_of(without_weights, encoder) == before - {WEIGHTS, OWN_WEIGHTS}
        for name in ("encoder.json", "README.md"):
            file = f"results/encoders/{encoder}/{name}"
            assert (without_weights.folder / file).read_bytes() == (
                finished.folder / file
            ).read_bytes()
    # the own weights of the classifier were read after the vectors were made
    assert OWN_WEIGHTS in files_of(finished, CLASSIFY) & files_of(finished, STAGE_3)
    assert files_of(without_weights, STAGE_2) == files_of(finished, STAGE_2)
    assert without_weights.tables() == finished.tables()


def test_a_second_run_has_nothing_to_do_with_any_choice(without_weights):
    said = without_weights.succeeds("all_tables")
    assert "Nothing to be done" in said
    config = without_weights.read_config()
    for choice in ("all", ["mirror-word"]):
        without_weights.write_config({**config, "keep_encoders": choice})
        assert without_weights.planned() == []
    without_weights.write_config(config)


def test_a_column_more_makes_the_encoders_of_its_rows_again_alone(without_weights):
    before = without_weights.read_config()
    column = {"id": "fr", "label": "FR", "dataset": "tatoeba-fr"}
    with without_weights.edited_config() as config:
        config["tables"]["translations"]["columns"].append(column)
    planned = tuned(without_weights)
    without_weights.write_config(before)
    # the stages before it kept their weights
    assert planned == [STAGE_3.replace("/seed", "/")]


def test_an_encoder_that_is_a_target_is_made_again_and_stays(without_weights, finished, tmp_path):
    small = SmallProject(tmp_path / "project")
    shutil.copytree(without_weights.folder, small.folder, symlinks=True)
    target = f"results/encoders/{WORDS[0]}/{WEIGHTS}"
    small.succeeds(target)
    assert (small.folder / target).read_bytes() == (finished.folder / target).read_bytes()
    # the table of times shows the job
    assert rules(small) <= ASSEMBLING
    # next to all tables, too, of which others then read it
    column = {"id": "x", "label": "X", "dataset": "simlex999"}
    with small.edited_config() as config:
        config["tables"]["words"]["columns"].append(column)
    (small.folder / target).unlink()
    small.succeeds("all_tables", f"results/encoders/{WORDS[0]}/encoder.json")
    assert encoders_with(small, WEIGHTS) >= {WORDS[0], STAGE_1, STAGE_2}
    assert not encoders_with(small, WEIGHTS) & {WORDS[1], CLASSIFY, STAGE_3}
    assert small.planned() == []


def test_weights_that_are_removed_by_hand_are_missed_by_no_run(workspace):
    with workspace.edited_config() as config:
        config["keep_encoders"] = "none"
    for name in (WEIGHTS, OWN_WEIGHTS):
        for encoder in encoders_with(workspace, name):
            (workspace.folder / "results/encoders" / encoder / name).unlink()
    assert workspace.planned() == []
