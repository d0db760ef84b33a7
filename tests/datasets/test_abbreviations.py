"""Abbreviations: the cases of Schwartz and Hearst (2003, PSB 8:451-462), and writing them out."""

import pytest

from workflow_scripts.datasets.abbreviations import expand_abbreviations, find_abbreviations

# sentences of the paper's introduction and method; the long forms are theirs
PAPER = {
    "Heat-shock protein 40 (Hsp40) enables Hsp70 to play critical roles in a number of cellular "
    "processes.": ("Hsp40", "Heat-shock protein 40"),
    "Glutathione S-transferase pull-down experiments showed the direct interaction of in vitro "
    "translated p110, p64, and p58 of the essential CBF3 kinetochore protein complex with Cbf1p, a "
    "basic region helix-loop-helix zipper protein (bHLHzip) that specifically binds to the CDEI "
    "region on the centromere DNA.": ("bHLHzip", "basic region helix-loop-helix zipper protein"),
    "Hpa2 is a member of the Gcn5-related N-acetyltransferase (GNAT) superfamily, a family of "
    "enzymes with diverse substrates.": ("GNAT", "Gcn5-related N-acetyltransferase"),
    "the heat shock transcription factor (HSF)": ("HSF", "heat shock transcription factor"),
    # the short form in front of the bracket
    "the HSF (heat shock transcription factor)": ("HSF", "heat shock transcription factor"),
}
# which the paper says its algorithm does not find either: a character of the short form that the
# long form lacks, other letters, another order
MISSED = ["cyclophilin seven suppressor (CNS1)", "serotonin (5-HT)", "anterior thalamus (ATN)"]


@pytest.mark.parametrize(("text", "pair"), PAPER.items())
def test_definitions_of_the_paper(text, pair):
    assert find_abbreviations(text) == dict([pair])


@pytest.mark.parametrize("text", MISSED)
def test_what_the_paper_misses_is_missed(text):
    assert find_abbreviations(text) == {}


def test_the_first_letter_is_at_the_start_of_a_word():
    """The paper: the first character of the short form begins a word; others may be within one."""
    assert find_abbreviations("an actin (CTN) is") == {}
    assert find_abbreviations("Actinomycin D (AMD) is") == {"AMD": "Actinomycin D"}


def test_a_bracket_of_many_words_is_no_short_form():
    """The paper: at most two words, ten characters, and a letter."""
    for inside in ("a b c", "abcdefghijk", "12"):
        assert find_abbreviations(f"alpha beta gamma ({inside})") == {}


DOCUMENT = (
    "Mice with myocardial infarction (MI) and type 2 diabetes (T2D). Ribonuclease P (RNase P)."
)


@pytest.mark.parametrize(
    ("mention", "expanded"),
    [
        ("MI", "myocardial infarction"),
        ("acute MI, T2D", "acute myocardial infarction, type 2 diabetes"),
        ("MI/T2D", "myocardial infarction/type 2 diabetes"),
        ("RNase P", "Ribonuclease P"),
        # other letters, a part of a word, none
        ("mi", "mi"),
        ("MIs", "MIs"),
        ("asthma", "asthma"),
        ("", ""),
    ],
)
def test_abbreviations_of_a_document_are_written_out(mention, expanded):
    assert expand_abbreviations(mention, DOCUMENT) == expanded
    assert expand_abbreviations(mention, "") == mention


def test_a_long_form_with_an_abbreviation_is_written_out_too():
    text = "Multiple sclerosis (MS) exists. MS fatigue score (MFS) too."
    assert expand_abbreviations("MFS", text) == "Multiple sclerosis fatigue score"
