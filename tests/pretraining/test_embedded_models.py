"""The models that ship with the project: offline, small, and better than piece frequencies."""

import re
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer, pipeline

EXAMPLES = {
    "bert-bio-mini": "the disease is caused by a [MASK] in the gene .",
    "bert-en-mini": "a man is playing the [MASK] .",
    "bert-multi-mini": "la ville est située dans le [MASK] de la france .",
    "roberta-en-mini": "She was born in the<mask> of London.",
}
LIMIT_BYTES = 32 * 1024**2


@pytest.fixture
def models(project: Path) -> Path:
    return project / "resources" / "models"


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_model_loads_offline_and_fills_a_mask(models: Path, name: str) -> None:
    tokenizer = AutoTokenizer.from_pretrained(models / name)
    model = AutoModelForMaskedLM.from_pretrained(models / name, dtype=torch.float32).eval()
    encoded = tokenizer(EXAMPLES[name], return_tensors="pt")
    assert encoded.input_ids[0, 0] == tokenizer.cls_token_id
    assert encoded.input_ids[0, -1] == tokenizer.sep_token_id
    with torch.inference_mode():
        logits = model(**encoded).logits
    assert torch.isfinite(logits).all()
    best = logits[encoded.input_ids == tokenizer.mask_token_id].argmax(-1).item()
    assert re.search(r"\w", tokenizer.decode([best])), "a word is expected here, not a mark"
    assert tokenizer.model_max_length == 128


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_pipeline_of_transformers_fills_a_mask(models: Path, name: str) -> None:
    fill = pipeline("fill-mask", model=str(models / name), trust_remote_code=False)
    best = fill(EXAMPLES[name])
    assert len(best) == 5
    assert 1.0 >= best[0]["score"] >= best[-1]["score"] > 0.0
    assert best[0]["token_str"] in best[0]["sequence"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_loss_on_the_card_is_well_below_the_unigram_entropy(models: Path, name: str) -> None:
    card = (models / name / "README.md").read_text(encoding="utf-8")
    table = card.partition("## Loss")[2].partition("##")[0]
    rows = [line.strip("| ").split(" | ") for line in table.split("\n") if line.startswith("|")]
    columns = dict(zip(rows[0], rows[-1], strict=True))
    loss = float(columns.get("validation loss") or columns["loss"])
    assert loss < 0.8 * float(columns["unigram entropy"])


def test_all_models_together_stay_within_their_size(models: Path) -> None:
    files = [path for path in models.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= LIMIT_BYTES
    suffixes = {path.suffix for path in files}
    assert suffixes == {".json", ".safetensors", ".md"}
