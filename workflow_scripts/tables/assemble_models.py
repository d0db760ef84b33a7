"""List the encoders of the paper (Table 15) beside those that stand for them here."""

import argparse
import re
from dataclasses import dataclass

from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import run_command
from workflow_scripts.tables.block_values import (
    LIST,
    OPTIONAL_LIST,
    OPTIONAL_TEXT,
    TEXT,
    check_distinct,
    checked,
    read_object,
    strings,
)
from workflow_scripts.tables.listing import (
    LEFT,
    Field,
    Listing,
    ListingPage,
    write_listing_page,
)
from workflow_scripts.tables.listing import (
    TEXT as TEXT_COLUMN,
)

HUB = "https://huggingface.co/"
DASH = "–"


@dataclass(frozen=True)
class Model:
    """A model: where it comes from here, where the paper's comes from, whether they are the same.

    `location` is a hub id with revision or the name of a folder; `published` the address or hub id
    that the paper lists, None for a model that it does not.
    """

    id: str
    label: str
    location: str
    published: str | None
    paper: bool


@dataclass(frozen=True)
class ModelsBlock:
    """What the table shows."""

    id: str
    title: str
    notes: tuple[str, ...]
    models: tuple[Model, ...]


_MODEL = {
    "id": TEXT,
    "label": TEXT,
    "location": TEXT,
    "published": OPTIONAL_TEXT,
    "paper": Option((bool,)),
}


def parse_block(text: str) -> ModelsBlock:
    """Return the block of a JSON object: `id`, `title`, `notes` and `models`.

    Raises `UserError` naming the key that is wrong, and for an id given twice.
    """
    known = {"id": TEXT, "title": TEXT, "models": LIST, "notes": OPTIONAL_LIST}
    block = read_object(text, "--block", known)
    where = f"table `{block['id']}`"
    models = tuple(
        Model(**checked(value, f"{where}, model {number}", _MODEL))
        for number, value in enumerate(block["models"], start=1)
    )
    check_distinct([model.id for model in models], f"{where}, ids of models")
    return ModelsBlock(
        block["id"], block["title"], strings(block["notes"], f"{where}, notes"), models
    )


def _published(model: Model) -> Field:
    """Return where the paper's model is: an address, or a hub id that links to the hub."""
    if model.published is None:
        return Field(DASH)
    if re.match(r"https?://", model.published):
        return Field(model.published, link=model.published, is_address=True)
    return Field(model.published, link=HUB + model.published, is_address=True)


def models_page(block: ModelsBlock) -> ListingPage:
    """Return the table, its models in the order of the block."""
    rows = tuple(
        (
            Field(model.label),
            _published(model),
            Field(model.location, is_address=True),
            Field("yes" if model.paper else "no"),
        )
        for model in block.models
    )
    own = sum(model.paper for model in block.models)
    return ListingPage(
        id=block.id,
        title=block.title,
        lines=(
            f"{own} of {len(block.models)} models are the paper's. Scores of the others are not "
            "compared with the paper.",
        ),
        listing=Listing(
            caption="",
            header=("Model", "In the paper", "Here", "The paper's"),
            alignment=(LEFT, TEXT_COLUMN, TEXT_COLUMN, LEFT),
            families=(rows,) if rows else (),
        ),
        notes=block.notes,
    )


def main(argv: list[str] | None = None) -> None:
    """Write the table of models in four forms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--block", required=True, help="JSON object: id, title, notes, models")
    parser.add_argument(
        "--output-prefix", required=True, help="path of the outputs without .tsv, .md, .html, .tex"
    )
    arguments = parser.parse_args(argv)
    write_listing_page(arguments.output_prefix, models_page(parse_block(arguments.block)))


if __name__ == "__main__":
    run_command(main)
