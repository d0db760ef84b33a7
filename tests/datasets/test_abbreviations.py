"""Abbreviations: the cases of Schwartz and Hearst (2003, PSB 8:451-462), and writing them out."""

import pytest

from workflow_scripts.datasets.abbreviations import expand_abbreviations, find_abbreviations

# sentences of the paper's introduction and method; the long forms are theirs
OF_THE_PAPER = {
    "Heat-shock protein 40 (Hsp40) enables Hsp70 to play critical roles in a number of cellular "
    "processes.": {"Hsp40": "Heat-shock protein 40"},
    "Glutathione S-transferase pull-down experiments showed the direct interaction of in vitro "
    "translated p110, p64, and p58 of the essential CBF3 kinetochore protein complex with Cbf1p, a "
    "basic region helix-loop-helix zipper protein (bHLHzip) that specifically binds to the CDEI "
    "region on the centromere DNA.": {"bHLHzip": "basic region helix-loop-helix zipper protein"},
    "Hpa2 is a member of the Gcn5-related N-acetyltransferase (GNAT) superfamily, a family of "
    "enzymes with diverse substrates.": {"GNAT": "Gcn5-related N-acetyltransferase"},
    "the heat shock transcription factor (HSF)": {"HSF": "heat shock transcription factor"},
    # the short form in front of the bracket
    "the HSF (heat shock transcription factor)": {"HSF": "heat shock transcription factor"},
    # which the paper says its algorithm does not find either: a character of the short form that
    # the long form lacks, other letters, another order
    "cyclophilin seven suppressor (CNS1)": {},
    "serotonin (5-HT)": {},
    "anterior thalamus (ATN)": {},
    # the first character of the short form begins a word; others may be within one
    "an actin (CTN) is": {},
    "Actinomycin D (AMD) is": {"AMD": "Actinomycin D"},
    # at most two words, ten characters, and a letter
    "of alpha beta cell (a b c)": {},
    "alpha beta gamma (abcdefghijk)": {},
    "alpha beta gamma (12)": {},
}
BY_HAND = {
    "Had alpha beta (AB), later AB.": {"AB": "alpha beta"},
    "AB (alpha beta) was seen.": {"AB": "alpha beta"},
    "mild multiple myeloma (MM)": {"MM": "multiple myeloma"},
    "an adenomatous atypia (AA; 3)": {"AA": "adenomatous atypia"},
    "loss of heterozygosity [LOH]": {"LOH": "loss of heterozygosity"},
    "by tyrosine kinase (TK, or TYK)": {"TK": "tyrosine kinase"},
    "the SCA3/Machado-Joseph disease (MJD)": {"MJD": "SCA3/Machado-Joseph disease"},
    "of Atm (ataxia telangiectasia (AT) -mutated)": {"AT": "ataxia telangiectasia"},
    "alpha. Beta (AB)": {},
    "(alpha) beta (AB)": {"AB": "(alpha) beta"},
    "alpha of one small red beta (AB)": {},
    "of them (n = 12) and ab (alpha beta)": {},
    "in 1990 (1990) at home (at home)": {},
}


@pytest.mark.parametrize(("text", "long_forms"), (OF_THE_PAPER | BY_HAND).items())
def test_a_text_defines_its_abbreviations(text, long_forms):
    assert find_abbreviations(text) == long_forms


DOCUMENT = (
    "Mice with myocardial infarction (MI) and type 2 diabetes (T2D). Ribonuclease P (RNase P). "
    "Multiple sclerosis (MS) exists. MS fatigue score (MFS) too."
)


@pytest.mark.parametrize(
    ("mention", "expanded"),
    [
        ("MI", "myocardial infarction"),
        ("acute MI, T2D", "acute myocardial infarction, type 2 diabetes"),
        ("MI/T2D", "myocardial infarction/type 2 diabetes"),
        ("RNase P", "Ribonuclease P"),
        # a long form with an abbreviation
        ("MFS", "Multiple sclerosis fatigue score"),
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
