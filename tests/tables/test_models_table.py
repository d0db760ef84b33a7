"""The table of models: the paper's beside those used here."""

import json
from pathlib import Path
from typing import Any

import pytest
from html_reading import Page
from latex_reading import read_latex_table

from workflow_scripts.errors import UserError
from workflow_scripts.tables.assemble_models import main

BLOCK: dict[str, Any] = {
    "id": "table15",
    "title": "Table 15. Models",
    "notes": ["Revisions are pinned."],
    "models": [
        {
            "id": "bert-en",
            "label": "BERT (English)",
            "location": "bert-base-uncased@0a1b",
            "published": "https://huggingface.co/bert-base-uncased",
            "paper": True,
        },
        {
            "id": "bert-tr",
            "label": "Turkish BERT",
            "location": "bert_tr_mini",
            "published": "dbmdz/bert-base-turkish-uncased",
            "paper": False,
        },
        {"id": "mine", "label": "Own & new", "location": "mine", "paper": False},
    ],
}


def forms(tmp_path: Path, **changes: Any) -> dict[str, str]:
    prefix = tmp_path / "out" / "table15"
    main(["--block", json.dumps(BLOCK | changes), "--output-prefix", str(prefix)])
    return {e: Path(f"{prefix}.{e}").read_text("utf-8") for e in ("tsv", "md", "html", "tex")}


def test_models_stand_beside_the_papers(tmp_path: Path) -> None:
    texts = forms(tmp_path)
    expected = [
        ["Model", "In the paper", "Here", "The paper's"],
        [
            "BERT (English)",
            "https://huggingface.co/bert-base-uncased",
            "bert-base-uncased@0a1b",
            "yes",
        ],
        ["Turkish BERT", "dbmdz/bert-base-turkish-uncased", "bert_tr_mini", "no"],
        ["Own & new", "–", "mine", "no"],
    ]
    page = Page(texts["html"])
    assert page.tables == [expected]
    assert {
        "https://huggingface.co/bert-base-uncased",
        "https://huggingface.co/dbmdz/bert-base-turkish-uncased",
    } == {link for link in page.links if link.startswith("http")}
    assert [line.split("\t") for line in texts["tsv"].splitlines()] == expected
    rows, _, caption = read_latex_table(texts["tex"])
    assert rows[2][2] == r"\url{bert_tr_mini}"
    assert r"% needs \usepackage{booktabs,url}" in texts["tex"]
    assert rows[3][:2] == [r"Own \& new", "--"]
    assert caption == "Table 15. Models"
    for text in (texts["md"], texts["html"].replace("&#x27;", "'")):
        assert "1 of 3 models are the paper's." in text
        assert "Revisions are pinned." in text


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([{"id": "a"}], "table `table15`, model 1: option 'label' is missing"),
        ([BLOCK["models"][0] | {"paper": "yes"}], "model 1: option 'paper' must be bool"),
        ([BLOCK["models"][0]] * 2, "ids of models: `bert-en` twice"),
    ],
)
def test_malformed_block_is_a_user_error(tmp_path: Path, models: Any, message: str) -> None:
    with pytest.raises(UserError) as caught:
        forms(tmp_path, models=models)
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()
