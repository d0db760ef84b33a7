"""The models of the config next to those that the paper lists (Table 15)."""

import re
from typing import Any

from pydantic import Field

from workflow_scripts.configuration.blocks import Id, Text
from workflow_scripts.tables import document as doc
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.config import TableBlock

HUB = "https://huggingface.co/"


class Config(TableBlock):
    """A table of models."""

    models: dict[Id, Text] = Field({}, description="What the paper prints about a model, by id.")


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    return {"models": run.listing(config.models)}


def _published(address: str | None) -> doc.Text:
    """Return the address of the paper's model; a hub id links to the hub."""
    if address is None:
        return doc.Text(doc.DASH)
    link = address if re.match(r"https?://", address) else HUB + address
    return doc.Text(address, link=link, is_address=True)


def assemble(block: dict[str, Any]) -> tuple[doc.Document, list[Cell]]:
    """Return the table, its models in the order of the block; it has no cells to compare."""
    models = block["models"]
    columns = [doc.Column("Model", doc.LEFT), doc.Column("In the paper", doc.TEXT)]
    columns += [doc.Column("Here", doc.TEXT), doc.Column("The paper's", doc.LEFT)]
    rows = []
    for model in models:
        here = doc.Text(model["location"], is_address=True)
        is_papers = doc.Text("yes" if model["paper"] else "no")
        address = _published(model.get("published"))
        rows.append(doc.Row((doc.Text(model["label"]), address, here, is_papers)))
    own = sum(bool(model["paper"]) for model in models)
    line = (
        f"{own} of {len(models)} models are the paper's. Scores of the others are not compared "
        "with the paper."
    )
    sheet = doc.Sheet(columns, [rows])
    return doc.table_document(block["id"], block["title"], [line], sheet, block["notes"]), []
