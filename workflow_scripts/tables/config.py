"""What every table of a config may say; each kind adds its own keys in tables/kinds."""

from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field

from workflow_scripts.configuration.blocks import Block, Id, Text, mistake
from workflow_scripts.tables.document import OWN


class Shown(Block):
    """The keys that tables and figures of every kind have."""

    title: Text = Field(description="Title.")
    paper: Id = Field(
        OWN, description="Paper that it belongs to; without it, the page counts as your own."
    )
    heading: Text | None = Field(
        None, description="Heading on the first page, instead of the paper."
    )
    reference: Id | None = Field(
        None, description="File of published values in config/reference/<paper>, without .tsv."
    )
    notes: list[str] = Field([], description="Notes below the table.")

    @property
    def section(self) -> str:
        """What it stands under on the first page: its heading, or the id of its paper."""
        return self.heading or self.paper


class TableBlock(Shown):
    """The keys that tables of every kind have."""

    kind: Id = Field("scores", description="Kind of table; default: `scores`.")


class EncoderRow(Block):
    """What a row of a table, a curve and a panel have in common: encoders, by their ids."""

    id: Id = Field(description="Id, as in the file of published values.")
    label: Text = Field(description="Name on the page.")
    group: Text | None = Field(None, description="Rows of one group are shown together.")
    corpus: Text | None = Field(
        None, description="Corpus to tune on; {language} is replaced by the column's language."
    )


def _distinct_ids(values: list[Any]) -> list[Any]:
    ids = [value.id for value in values]
    if twice := next((identity for identity in ids if ids.count(identity) > 1), None):
        raise mistake(f"it has the id `{twice}` twice; rename or remove one")
    return values


Item = TypeVar("Item")
# blocks with an id, at least one, no id twice
ById = Annotated[list[Item], Field(min_length=1), AfterValidator(_distinct_ids)]
