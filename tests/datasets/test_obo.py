"""Names, synonyms and definitions of ontologies in OBO format."""

import pytest

from workflow_scripts.datasets.obo import read_obo, read_obo_terms
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


def test_an_id_ends_before_a_modifier_and_a_comment(tmp_path):
    path = tmp_path / "a.obo"
    terms = ("X:1 ! a", 'X:2 {source="y"}', 'X:3 {source="y"} ! c', "X:4")
    path.write_text("".join(f"[Term]\nid: {one}\nname: a bone\n" for one in terms))
    assert [identity for _, identity, _ in read_obo_terms(path)] == ["X:1", "X:2", "X:3", "X:4"]


def test_a_file_without_names_is_no_ontology(tmp_path):
    path = tmp_path / "a.obo"
    path.write_text("some: text\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"a\.obo: no line 'name: \.\.\.': this is not an ontology"):
        list(read_obo(path))
