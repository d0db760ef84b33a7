"""Tables of kind titles: one cell that says a word. A second kind of table, for a test."""

from pydantic import Field

from workflow_scripts.configuration.blocks import Text
from workflow_scripts.tables import document as doc
from workflow_scripts.tables.config import TableBlock


class Config(TableBlock):
    """A table of one word."""

    word: Text = Field(description="What it says.")


def resolve(config, cells, run):
    return {"word": config.word}


def assemble(block):
    sheet = doc.Sheet((doc.Column("word", doc.LEFT),), ((doc.Row((doc.Cell(block["word"]),)),),))
    return doc.table_document(block["id"], block["title"], [], sheet, block["notes"]), []
