"""config/paper.yaml against Table 15 of the paper, its list of pretrained models."""

import re

import pytest
import yaml

HUB = "https://huggingface.co/"
# Table 15: what the paper calls a model -> (our id, address as printed)
TABLE_15 = {
    "SBERT": ("sbert", "https://huggingface.co/sentence-transformers/bert-base-nli-mean-tokens"),
    "SapBERT": ("sapbert", "https://huggingface.co/cambridgeltl/SapBERT-from-PubMedBERT-fulltext"),
    "BERT (English)": ("bert-en", "https://huggingface.co/bert-base-uncased"),
    "RoBERTa (English)": ("roberta-en", "https://huggingface.co/roberta-base"),
    "mBERT": ("bert-multi", "https://huggingface.co/bert-base-multilingual-uncased"),
    "Turkish BERT": ("bert-tr", "dbmdz/bert-base-turkish-uncased"),
    "Italian BERT": ("bert-it", "dbmdz/bert-base-italian-uncased"),
    "French BERT": ("bert-fr", "https://huggingface.co/camembert-base"),
    "Spanish BERT": ("bert-es", "https://huggingface.co/dccuchile/bert-base-spanish-wwm-uncased"),
    "Russian BERT": ("bert-ru", "https://huggingface.co/DeepPavlov/rubert-base-cased"),
    "Chinese BERT": ("bert-zh", "https://huggingface.co/bert-base-chinese"),
    "Arabic BERT": ("bert-ar", "https://huggingface.co/aubmindlab/bert-base-arabertv02"),
    "Polish BERT": ("bert-pl", "https://huggingface.co/dkleczek/bert-base-polish-uncased-v1"),
    "Estonian BERT": ("bert-et", "https://huggingface.co/tartuNLP/EstBERT"),
}
FASTTEXT = "https://fasttext.cc/docs/en/crawl-vectors.html"
WORD_LANGUAGES = ["en", "fr", "et", "ar", "zh", "ru", "es", "pl"]
# The address that the hub forwards an id of the paper's to: a client may not follow.
CANONICAL = {
    **{f"bert-base-{one}": "google-bert" for one in ("uncased", "chinese")},
    **{"bert-base-multilingual-uncased": "google-bert", "roberta-base": "FacebookAI"},
    "camembert-base": "almanach",
}
# of CMLM's tables; mBERT and XLM-R are those of XTREME
OF_CMLM = {
    "mbert": "google-bert/bert-base-multilingual-cased",
    "bert-large-en": "google-bert/bert-large-uncased",
    "roberta-large-en": "FacebookAI/roberta-large",
    "sbert-large": "sentence-transformers/bert-large-nli-mean-tokens",
    "xlm-r": "FacebookAI/xlm-roberta-large",
    "xlnet-en": "xlnet/xlnet-base-cased",
}
# no row of a paper
BESIDE = {"labse": "setu4993/LaBSE"}
# used by the paper (Section 4.1, Gu et al. 2020) and left out of its Table 15
PUBMEDBERT = "microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract-fulltext"


@pytest.fixture(scope="module")
def models(project):
    return yaml.safe_load((project / "config" / "paper.yaml").read_text())["models"]


def values_of(models, key):
    return {name: entry[key] for name, entry in models.items() if key in entry}


def test_hub_models_are_those_of_table_15_and_pubmedbert(models):
    printed = {name: url.removeprefix(HUB) for name, url in TABLE_15.values()}
    expected = {
        name: f"{CANONICAL[one]}/{one}" if one in CANONICAL else one
        for name, one in printed.items()
    }
    assert values_of(models, "hub") == {**expected, "bert-bio": PUBMEDBERT, **OF_CMLM, **BESIDE}


def test_word_vectors_are_fasttexts_of_the_eight_languages_and_glove(models):
    # the names under which fasttext.cc distributes the vectors of Common Crawl and Wikipedia
    expected = {f"fasttext-{one}": f"fasttext/cc.{one}.300.bin" for one in WORD_LANGUAGES}
    assert values_of(models, "vectors") == expected | {"glove": "glove/glove.840B.300d.txt"}


def test_every_model_is_the_papers_at_a_whole_commit_and_has_a_label(models):
    revisions = [entry["revision"] for entry in models.values() if "hub" in entry]
    assert all(re.fullmatch(r"[0-9a-f]{40}", revision) for revision in revisions)
    assert len(set(revisions)) == len(revisions)
    own = {name: entry for name, entry in models.items() if "same_as" not in entry}
    assert all(entry["label"] for entry in own.values())
    assert {name for name, entry in own.items() if "paper" not in entry} == set(BESIDE)
    of_cmlm = [name for name, entry in models.items() if "cmlm" in entry.get("paper", "")]
    assert set(of_cmlm) == {"bert-en", "sbert", "glove", *OF_CMLM}


def test_lexicons_are_induced_between_the_monolingual_models(models):
    expected = {f"lexicon-{one}": f"bert-{one}" for one in ("en", "fr", "it", "ru", "tr")}
    assert values_of(models, "same_as") == expected


def test_the_workflow_s_table_15_prints_the_same_addresses(project):
    tables = yaml.safe_load((project / "config/papers/mirror-bert.yaml").read_text())["tables"]
    assert tables["table15"]["models"] == {"fasttext-en": FASTTEXT, **dict(TABLE_15.values())}


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["mirror-bert.txt", "mirror-bert-with-formulas.txt"])
def test_table_15_is_as_the_paper_prints_it(shared_data, name):
    text = (shared_data.parent / "papers" / name).read_text(encoding="utf-8")
    block = re.split(r"\n+Table 15: ", text)[0].split("\nmodel URL\n")[-1]
    block = block.split("\nmodel\tURL\n")[-1]
    # one label touches its address in one extraction
    form = r"(.+?)\s*((?:https://\S+)|(?:dbmdz/\S+))$"
    printed = dict(re.match(form, line).groups() for line in block.split("\n"))
    expected = {label: address for label, (_, address) in TABLE_15.items()}
    assert printed == {"fastText": FASTTEXT, **expected}
