"""Files that one program writes for another, when they are not as they were written."""

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from workflow_scripts.embedding.own_classifier import LAYER, read_own_classifier
from workflow_scripts.embedding.projections import Projections
from workflow_scripts.embedding.recorded_settings import recorded_settings
from workflow_scripts.embedding.suite_vectors import read_vectors
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.name_index import open_index
from workflow_scripts.retrieval.rankings import (
    RankedName,
    RankedTranslation,
    read_rankings,
    rows_by_dataset,
)
from workflow_scripts.retrieval.shard_rankings import merge_rankings
from workflow_scripts.retrieval.suite_files import (
    gather_rows,
    read_dataset,
    read_datasets,
)
from workflow_scripts.scoring.bootstrap_replicates import read_replicates
from workflow_scripts.scoring.measurement import measure_dataset
from workflow_scripts.scoring.predictions import read_predictions
from workflow_scripts.scoring.ranked_accuracy import measure_translations
from workflow_scripts.scoring.tasks import classification, entity_linking, relatedness
from workflow_scripts.scoring.tidy_scores import HEADER, EncoderIds, read_scores
from workflow_scripts.tables.cells import HEADER as CELLS
from workflow_scripts.tables.cells import read_cells
from workflow_scripts.tables.kinds.running_time import read_benchmark
from workflow_scripts.training_state import save_state
from workflow_scripts.tuning.recipe import tuning_recipe_of
from workflow_scripts.tuning.step_log import keep_steps
from workflow_scripts.tuning.tune_encoder import read_start
from workflow_scripts.tuning.tuning_state import BestWeights, Progress, StateFile
from workflow_scripts.tuning_grid.progress import Progress as GridProgress

ROWS = "dataset\tquery\tpart\trank\tname_row\tscore\n"


TURNED = ROWS.replace("rank\tname_row", "name_row\trank")


def score_file(header, value="0.5"):
    row = ["m", "r", "c", "33", "d", "test", "spearman", value, "", "", "9", "1.0", "{}"]
    return "\t".join(header) + "\n" + "\t".join(row) + "\n"


def npy(array):
    """Return the bytes of an array as a file."""
    import io

    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def one_short(header):
    return "\t".join(header) + "\n" + "\t".join(["x"] * len(header)) + "\n"


@pytest.mark.parametrize(
    ("read", "body"),
    [
        (read_dataset, "{}"),
        (read_dataset, "[1]"),
        (lambda path: read_datasets([path]), '{"dataset": "mine"}'),
        (read_vectors, npy(np.zeros((9, 4), np.float32))[:-8]),
        (read_vectors, b""),
        (read_vectors, npy(np.zeros(4, np.float32))),
        (read_vectors, npy(np.zeros((3, 4), "U9"))),
        (read_replicates, b"PK\3\4"),
        (read_replicates, npy(np.zeros(3))),
        (lambda path: read_rankings(path, RankedName), f"{ROWS}a\t0\t0\t\t0\t0.5\n"),
        (lambda path: read_rankings(path, RankedName), f"{ROWS}a\t0\t0\t1\t0\t0.5\t7\n"),
        (lambda path: read_rankings(path, RankedName), "a\t0\t0\t1\t0\t0.5\n"),
        (lambda path: read_rankings(path, RankedName), f"{TURNED}a\t0\t0\t0\t1\t0.5\n"),
        (lambda path: read_rankings(path, RankedName), f"{ROWS}a\t0\t0\t1\t1_0\t0.5\n"),
        (lambda path: read_rankings(path, RankedName), f"{ROWS}a\t0\t0\t1\t-1\t0.5\n"),
        (read_predictions, "dataset\titem\tprediction\na\t0\tb\tc\n"),
        (read_predictions, "a\t0\tb\n"),
        (read_predictions, "dataset\titem\tprediction\na\t1\tb\na\t0\tc\n"),
        (read_predictions, "dataset\titem\tprediction\na\t0\tb\na\t0\tc\n"),
        (read_scores, score_file(HEADER).partition("\n")[2]),
        (read_scores, score_file([*HEADER[:7], "low", "value", *HEADER[9:]])),
        (read_scores, score_file(HEADER, "nan")),
        (read_scores, score_file(HEADER, "4_5")),
        (read_scores, one_short(HEADER)),
        (read_cells, one_short(CELLS)),
        (read_cells, ""),
        (read_benchmark, "s\tmax_rss\tcpu_time\n1\t\x01\t2\n"),
        (lambda path: list(merge_rankings([path], 3)), "1\ta\tb\t\x01\n"),
        (lambda path: keep_steps(path, 3), '{"step": 1}\n[]\n'),
        (lambda path: keep_steps(path, 3), b"\xff\n"),
        (Projections.of_file, b"\0" * 20),
        (lambda path: GridProgress(path, "x"), '{"digest": "x"}\n{"cell": 1}\n'),
    ],
)
def test_a_damaged_file_is_named_with_the_remedy(tmp_path, read, body):
    path = tmp_path / "made-by-a-step"
    path.write_bytes(body if isinstance(body, bytes) else body.encode())
    with pytest.raises(UserError, match=r"made-by-a-step.*damaged.*; (remove it|make the encoder)"):
        read(path)


VECTORS = np.zeros((3, 2), np.float32)
PARTS = {"labels": ["1", "2", "4"], "parts": ["train", "test", "test"], "texts": [[0]] * 3}
LINKS = {"name_concepts": [["a"], ["b"]], "gold": [[["a"]], [["b"]]], "dropped": {}}
PAIRS = {"task": "similarity", "left": [0, 1], "right": [2, 3], "gold": [1.0, 2.0], "dropped": {}}
RANKS = [("mine", 0, 1, 0), ("mine", 0, 2, 1)]


def evidence(task, entry, ranked):
    return task.evidence("set", entry, VECTORS, ranked)


def measure_ranks(*ranks):
    entry = {"test": [[0, 9]], "target_vocabulary": [8, 9], "dropped": {}}
    rows = [RankedTranslation(*row, 0.5) for row in ranks]
    return measure_translations("mine", entry, rows, ["accuracy@1"])


def measure_pairs(key):
    entry = {**PAIRS, "dataset": "set", key: PAIRS[key][:1]}
    vectors = np.eye(4, dtype=np.float32)
    return measure_dataset(EncoderIds("m", "r", "c", 33), entry, vectors, ["spearman"])


@pytest.mark.parametrize(
    ("message", "read", "cases"),
    [
        (
            r"the items of some encoder: damaged .*; remove it",
            lambda *rows: gather_rows(VECTORS, rows, "some encoder"),
            [(7,), (-1,), ("a",), ([0], [1, 2])],
        ),
        (
            r"dataset set: .* incomplete .*; remove that file",
            evidence,
            [
                *((classification, PARTS, found) for found in (["2"], None)),
                (relatedness, PARTS, ["1.5"]),
                *((entity_linking, LINKS, found) for found in (None, [[[0, 1]]])),
                (entity_linking, LINKS, [[[0, 1]], [[0]]]),
            ],
        ),
        (
            r"dataset set: row 2 of 2 .*; remove that file",
            evidence,
            [(entity_linking, LINKS, [[[0, 1]], [[0, 2]]])],
        ),
        (
            "the predictions of set: damaged",
            evidence,
            [(relatedness, PARTS, ["1", text]) for text in ("\0", "4_5", "nan", "inf")],
        ),
        (
            r"dataset mine: .*; remove that file",
            measure_ranks,
            [
                [("other", *row[1:]) for row in RANKS],
                [("mine", -1, 1, 0), ("mine", -1, 2, 1)],
                RANKS[::-1],
                [RANKS[0], ("mine", 0, 2, 2)],
            ],
        ),
        (
            r"dataset set: its items are damaged: .*; read the data",
            measure_pairs,
            [("left",), ("right",), ("gold",)],
        ),
    ],
)
def test_what_belongs_to_other_items_is_not_scored(message, read, cases):
    for case in cases:
        with pytest.raises(UserError, match=message):
            read(*case)


@pytest.mark.parametrize(
    "links",
    [
        [(0, 0, 2, 1), (0, 0, 1, 0)],
        [(0, 0, 1, 0), (0, 0, 1, 1)],
        [(0, 0, 1, 0), (1, 0, 1, 0), (0, 0, 2, 1)],
        [(1, 0, 1, 0)],
    ],
)
def test_links_in_another_order_are_not_read(links):
    with pytest.raises(IndexError):
        rows_by_dataset(RankedName("mine", *link, 0.5) for link in links)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("encoder.json", "[]"),
        ("encoder.json", '{"max_length": "long"}'),
        ("encoder.json", '{"layer": "last"}'),
        ("encoder.json", '{"prompts": 5}'),
        ("modules.json", "[3]"),
        ("modules.json", '[{"type": "a.Pooling"}]'),
        ("modules.json", '[{"type": 3, "path": ""}]'),
    ],
)
def test_a_damaged_record_of_an_encoder_is_told(tmp_path, name, body):
    (tmp_path / name).write_text(body)
    with pytest.raises(UserError, match=rf"{name}: damaged.*give --pooling and --max-length"):
        recorded_settings(str(tmp_path))


@pytest.mark.parametrize("body", ["[]", "{}", '{"corpus": 3}'])
def test_a_damaged_record_of_an_encoder_to_start_from_is_told(tmp_path, body):
    (tmp_path / "encoder.json").write_text(body)
    start = {"recipe": "a", "corpus": "b"}
    block = {"method": "mirror", "pooling": "cls", "embed_max_length": 9, "max_length": 9}
    block |= {"epochs": 1, "temperature": 1, "batch_size": 2, "learning_rate": 1e-4}
    recipe = tuning_recipe_of("r", block | {"start": start})
    with pytest.raises(UserError, match=r"encoder.json: damaged .*; make the encoder again"):
        read_start(str(tmp_path), "r", recipe)


@pytest.mark.parametrize(
    ("record", "rows"),
    [([], 2), ({"corpus": 3}, 2), ({"corpus": {"classes": ["a", "b"]}}, 3)],
)
def test_a_damaged_classifier_is_told(tmp_path, record, rows):
    (tmp_path / "encoder.json").write_text(json.dumps(record))
    weight, bias = np.zeros((rows, 4), np.float32), np.zeros(rows, np.float32)
    parts = {f"own.{LAYER}.weight": weight, f"own.{LAYER}.bias": bias}
    save_file(parts, tmp_path / "training_modules.safetensors")
    with pytest.raises(UserError, match=r"damaged .*; make the encoder again"):
        read_own_classifier(tmp_path)


@pytest.mark.parametrize("record", ["[]", "{}", '{"provenance": [], "source": 1}'])
def test_a_damaged_index_of_names_is_told(tmp_path, record):
    (tmp_path / "index.json").write_text(record)
    (tmp_path / "names.tsv").write_text("a\tb\n")
    with pytest.raises(UserError, match=r"index.json: damaged .*; remove the folder"):
        open_index(tmp_path, {}, None)


@pytest.mark.parametrize("change", [{"progress": 3}, {"progress": {"steps": 1}}, {"best": [1]}])
def test_a_state_that_says_something_else_is_passed_over(tmp_path, capsys, change):
    model = torch.nn.Linear(2, 2)
    optimiser = torch.optim.AdamW(model.parameters())
    position = {"digest": "d", "progress": {"step": 4}, "best": [0, None, 0]} | change
    save_state(tmp_path / "state", model, optimiser, position)
    state = StateFile(tmp_path / "state", "d")
    assert state.read() == Progress()
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    assert state.load((model, optimiser, scaler), BestWeights()) == Progress()
    assert "damaged" in capsys.readouterr().err
