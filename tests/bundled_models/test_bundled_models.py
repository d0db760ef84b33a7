"""The models that ship with the project: offline, small, and better than piece frequencies."""

import re

import pytest
from transformers import AutoTokenizer, pipeline

EXAMPLES = {
    "bert-bio-mini": "the disease is caused by a [MASK] in the gene .",
    "bert-en-mini": "a man is playing the [MASK] .",
    "bert-multi-mini": "la ville est située dans le [MASK] de la france .",
    "roberta-en-mini": "She was born in the<mask> of London.",
}


@pytest.fixture
def models(project):
    return project / "resources" / "models"


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_model_fills_a_mask_offline_and_its_loss_is_well_below_the_unigram_entropy(models, name):
    tokenizer = AutoTokenizer.from_pretrained(models / name)
    assert tokenizer.model_max_length == 128
    ids = tokenizer(EXAMPLES[name]).input_ids
    assert (ids[0], ids[-1]) == (tokenizer.cls_token_id, tokenizer.sep_token_id)
    fill = pipeline("fill-mask", model=str(models / name), trust_remote_code=False)
    best = fill(EXAMPLES[name])
    assert len(best) == 5
    assert 1.0 >= best[0]["score"] >= best[-1]["score"] > 0.0
    assert re.search(r"\w", best[0]["token_str"]), "a word is expected here, not a mark"
    card = (models / name / "README.md").read_text(encoding="utf-8")
    table = card.partition("## Loss")[2].partition("##")[0]
    rows = [line.strip("| ").split(" | ") for line in table.split("\n") if line.startswith("|")]
    columns = dict(zip(rows[0], rows[-1], strict=True))
    loss = float(columns.get("validation loss") or columns["loss"])
    assert loss < 0.8 * float(columns["unigram entropy"])


def test_all_models_together_stay_within_their_size(models):
    files = [path for path in models.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 61e6
    assert {path.suffix for path in files} == {".json", ".safetensors", ".md"}
