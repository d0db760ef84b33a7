"""Names, synonyms and definitions of ontologies in OBO format."""

import pytest

from workflow_scripts.corpora.obo import read_obo
from workflow_scripts.errors import UserError

ONTOLOGY = """format-version: 1.2
subsetdef: x "Not this."

[Term]
id: X:1
name: odd  bone
def: "A bone \\"X\\" that is odd." [X:me "nor this"]
comment: Nor this.
synonym: "bone, odd" EXACT []
synonym: broken
xref: UMLS:1 "nor this"
is_a: X:2 ! nor this
"""


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("name", "synonym"), ["odd bone", "bone, odd"]),
        (("name", "synonym", "def"), ["odd bone", 'A bone "X" that is odd.', "bone, odd"]),
        (("def",), ['A bone "X" that is odd.']),
    ],
)
def test_the_texts_of_the_wanted_tags_are_read(tmp_path, tags, expected):
    path = tmp_path / "a.obo"
    path.write_text(ONTOLOGY, encoding="utf-8")
    assert list(read_obo(path, tags)) == expected


def test_a_file_without_names_is_no_ontology(tmp_path):
    path = tmp_path / "a.obo"
    path.write_text("some: text\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"a\.obo: no line 'name: \.\.\.', so no ontology"):
        list(read_obo(path))
