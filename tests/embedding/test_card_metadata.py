"""The front matter of cards, as huggingface_hub reads it."""

import json

import pytest
import yaml
from huggingface_hub import ModelCard
from huggingface_hub.repocard import metadata_load
from tiny_models import RECIPE, make_sentences, one_thread, tiny_bert

import mirror_bert
from workflow_scripts.embedding.card_metadata import (
    change_metadata,
    inherited_metadata,
    read_card,
)
from workflow_scripts.errors import UserError
from workflow_scripts.evaluate import main as evaluate
from workflow_scripts.scoring.card_scores import add_scores

__all__ = ["one_thread", "tiny_bert"]

TAGS = ["sentence-transformers", "sentence-similarity", "feature-extraction", "mirror-bert"]
BASE_CARD = """---
language:
- en
- fr
license: apache-2.0
library_name: transformers
tags: [fill-mask]
---

# a model
"""


@pytest.fixture(scope="module")
def tuned(tiny_bert, tmp_path_factory):
    """The folder of an encoder made of a model that was fetched from the hub, with its card."""
    folder = tmp_path_factory.mktemp("fetched") / "owner--tiny@0123456"
    folder.mkdir()
    for file in tiny_bert.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "README.md").write_text(BASE_CARD)
    (folder / "files.json").write_text(json.dumps({"repository": "owner/tiny"}))
    recipes = folder.parent / "recipes.yaml"
    recipes.write_text(json.dumps({"recipes": {"own": RECIPE}}))
    tuned = mirror_bert.tune(
        folder, make_sentences(20), recipe="own", recipes=recipes, device="cpu", pooling="mean"
    )
    return tuned.save(folder.parent / "encoder")


def test_the_card_of_an_encoder_has_what_the_hub_reads(tuned):
    metadata = ModelCard.load(tuned / "README.md").data.to_dict()
    assert metadata == {
        "base_model": "owner/tiny",
        "language": ["en", "fr"],
        "license": "apache-2.0",
        "library_name": "sentence-transformers",
        "pipeline_tag": "sentence-similarity",
        "tags": TAGS,
    }
    # what sentence-transformers and the hub's own reader of front matter see is the same
    assert metadata_load(tuned / "README.md") == metadata


def test_scores_of_evaluate_are_the_model_index(tuned, sample_data, tmp_path):
    options = ["--model", tuned, "--data-root", sample_data, "--card", "--device", "cpu"]
    for datasets in (["simlex999", "ncbi-disease"], ["simlex999", "qnli"]):
        output = tmp_path / "scores.json"
        evaluate([*map(str, options), "--datasets", *datasets, "--output", str(output)])
        rows = json.loads(output.read_text())
    card = ModelCard.load(tuned / "README.md")
    assert card.data.model_name == "owner--tiny@0123456 + own"
    results = [
        (each.dataset_type, each.metric_name, each.task_type, each.metric_type)
        for each in card.data.eval_results
    ]
    assert results == [
        ("simlex999", "spearman", "semantic-similarity", "spearmanr"),
        ("ncbi-disease", "accuracy@1", "entity-linking", "accuracy@1"),
        ("ncbi-disease", "accuracy@5", "entity-linking", "accuracy@5"),
        ("qnli", "auc", "pair-classification", "roc_auc"),
    ]
    values = {result.dataset_type: result.metric_value for result in card.data.eval_results}
    assert {row["dataset"]: round(row["value"], 4) for row in rows}.items() <= values.items()
    # the text is as it was, with one table of scores
    assert card.text.count("## Scores") == 1 and "Recipe:" in card.text
    # an encoder continues with what its own card says
    assert inherited_metadata("encoder", tuned)["base_model"] == "owner/tiny"


@pytest.mark.parametrize(
    ("name", "files", "expected"),
    [
        ("owner/name@abc", {}, {"base_model": "owner/name"}),
        ("bert-base-uncased", {}, {"base_model": "bert-base-uncased"}),
        ("own", {}, {}),
        ("own", {"README.md": "---\nlicense: mit\n---\n"}, {"license": "mit"}),
        ("own", {"README.md": "---\n: : [\n---\n"}, {}),
        ("own", {"README.md": "no front matter"}, {}),
    ],
)
def test_a_model_tells_what_it_knows(name, files, expected, tmp_path):
    folder = tmp_path / ("own" if name == "own" else "0123abc")
    folder.mkdir()
    for file, text in files.items():
        (folder / file).write_text(text)
    assert inherited_metadata(name, folder) == expected


def test_keys_are_set_and_the_rest_stays():
    changed = change_metadata(BASE_CARD, {"license": "mit", "datasets": ["a/b"]}, "README.md")
    head, text = changed.removeprefix("---\n").split("\n---\n")
    assert yaml.safe_load(head) == {
        **{"language": ["en", "fr"], "license": "mit", "library_name": "transformers"},
        **{"tags": ["fill-mask"], "datasets": ["a/b"]},
    }
    assert text == "\n# a model\n"
    assert change_metadata(BASE_CARD, {}, "README.md") == BASE_CARD


@pytest.mark.parametrize(
    "text", ["---\na: [\n---\n", "---\n- a\n---\n", "---\nmodel-index: 3\n---\n"]
)
def test_a_malformed_front_matter_is_one_line(text):
    with pytest.raises(UserError, match=r"^README.md: the front matter is malformed") as error:
        read_card(text, "README.md")
    assert "\n" not in str(error.value)
    card = add_scores("# no front matter\n", [])
    assert card.startswith("# no front matter\n")
