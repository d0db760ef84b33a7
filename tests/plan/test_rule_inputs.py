"""What rules get of a small config: files, modules and words, written out."""

import json

import pytest
from plans import plan_of

from workflow_scripts.errors import UserError
from workflow_scripts.plan.encoders import Encoder

MODEL = "resources/models/bert-en-mini"


class Wildcards(dict):
    """The wildcards of a job as Snakemake gives them: by key and by attribute."""

    __getattr__ = dict.__getitem__


@pytest.fixture
def config(small_config, embedded_config):
    """The small config with word vectors, a development set, names and a trained classifier."""
    config = small_config
    config["models"]["words"] = {"vectors": "static-vectors/en.vec"}
    for name in ("cmlm-mirror", "classify", "cmlm"):
        config["recipes"][name] = dict(embedded_config["recipes"][name])
        config["recipes"][name].pop("development", None)
    config["recipes"]["cmlm-mirror"] |= {"start": {"recipe": "mirror-word", "corpus": "words-en"}}
    config["recipes"]["cmlm"]["bitext"] = {"corpus": "words-both"}
    config["recipes"]["cmlm-read"] = {
        **{"method": "none", "pooling": "mean", "embed_max_length": 64},
        "start": {"recipe": "mirror-word", "corpus": "words-en"},
    }
    for name in ("bc5cdr-disease", "simlex999"):
        config["datasets"][name] = embedded_config["datasets"][name]
    config["suites"] |= {
        "names": {"datasets": ["bc5cdr-disease"]},
        "words-dev": {"datasets": ["simlex999"]},
        "lexicons": {"datasets": ["bli-en-fr"]},
    }
    config["corpora"]["words-both"] = {"kind": "joined", "of": ["words-en", "words-fr"]}
    watched = {"suite": "words-dev", "dataset": "simlex999", "every": 2}
    config["recipes"]["mirror-sentence"]["development"] = watched
    return config


@pytest.fixture
def given(config):
    return plan_of(config).rule_inputs


def job(recipe="base-mp", corpus="none", seed="0", **more):
    return Wildcards(model="bert-en", recipe=recipe, corpus=corpus, seed=seed, **more)


def test_corpora_are_made_of_raw_files_or_of_each_other(given):
    assert given.corpus_file("words-en") == "results/corpora/words-en.txt"
    assert given.corpus_inputs("words-both") == [
        f"results/corpora/words-{language}.txt" for language in ("en", "fr")
    ]
    assert given.corpus_inputs("words-en") == []
    assert given.corpus_inputs("sentences-en") == [
        "resources/sample_data/sts-benchmark/sts-train.csv"
    ]
    assert given.corpus_module("words-en") == "corpora.kinds.frequent_words"
    assert given.corpus_root("words-both") == "results/corpora"
    assert given.corpus_root("words-en") == "resources/sample_data"
    assert set(given.corpora()) == {"words-en", "words-fr", "sentences-en", "words-both"}
    assert json.loads(given.block("corpora", "words-both"))["of"] == ["words-en", "words-fr"]


def test_suites_have_the_blocks_files_and_modules_of_their_data_sets(config, given):
    block = json.loads(given.suite_block("words-en"))
    names = ("multisimlex-en", "bli-en-fr")
    assert block["language"] == "en" and set(block["datasets"]) == set(names)
    assert block["datasets"]["multisimlex-en"] == config["datasets"]["multisimlex-en"]
    # keys of a data set that only tables read are not in it
    assert "assumed" in config["datasets"]["bli-en-fr"]
    assert "assumed" not in block["datasets"]["bli-en-fr"]
    assert set(json.loads(given.suite_block("sts"))) == {"datasets"}
    assert given.suite_file("sts", "items.json") == "results/datasets/sts/items.json"
    modules = given.suite_modules("sts")
    assert {"datasets.formats.semeval_sts", "datasets.scored_pairs"} <= {*modules}
    # of the formats that share a module each suite depends on its own
    assert "datasets.formats.columns" not in modules
    assert [*json.loads(given.suite_declarations("sts"))] == ["sick"]
    assert given.suite_declarations("words-en") == "{}"
    assert given.suite_tasks("words-en") == ["lexicon", "similarity"]
    # lexicons are scored by a rule of their own
    assert given.task_modules("words-en") == ["scoring.tasks.similarity"]
    assert given.task_modules("names") == ["scoring.tasks.entity_linking"]
    files = given.suite_inputs("sts")
    places = [
        f"resources/sample_data/{config['datasets'][name]['path']}" for name in ("sts12", "sickr")
    ]
    assert files == sorted(files)
    assert {place for place in places for file in files if file.startswith(place)} == {*places}
    assert all(file.startswith(tuple(places)) for file in files)


def test_an_encoder_stands_for_its_folder_its_start_or_its_model(given):
    untuned, tuned = Encoder("bert-en", "base-mp", "none", 0), "results/encoders/bert-en"
    assert given.location(untuned) == MODEL
    files = given.files(untuned)
    assert {f"{MODEL}/config.json", f"{MODEL}/model.safetensors"} <= set(files)
    assert all(file.startswith(f"{MODEL}/") for file in files)
    own = Encoder("bert-en", "mirror-word", "words-en", 33)
    folder = f"{tuned}/mirror-word/words-en/seed33"
    assert (given.location(own), given.files(own)) == (folder, [f"{folder}/encoder.json"])
    # what is only read is the encoder that it starts from
    read = Encoder("bert-en", "cmlm-read", "words-en", 33)
    assert (given.location(read), given.files(read)) == (folder, [f"{folder}/encoder.json"])
    assert given.encoder(job("mirror-word", "words-en", "33")) == own
    assert given.start(job("cmlm-mirror", "words-fr", "33")) == own
    assert given.start(job("mirror-word", "words-en", "33")) == own._replace(corpus="none")
    assert given.static_inputs("words") == ["resources/sample_data/static-vectors/en.vec"]
    # patterns of the wildcards: models that are tuned, recipes that tune
    neural = given.neural_models().split("|")
    assert r"bert\-en" in neural and "words" not in neural and neural == sorted(neural)
    assert given.tuning_recipes() == r"classify|cmlm|cmlm\-mirror|mirror\-sentence|mirror\-word"


def test_a_development_set_brings_its_files_and_modules(given):
    files = [f"results/datasets/words-dev/{name}" for name in ("strings.txt", "items.json")]
    assert given.development_files("mirror-sentence") == files
    modules = ["scoring.development_scores", "scoring.tasks.similarity"]
    assert given.development_modules("mirror-sentence") == modules
    assert given.linking_of_development("mirror-sentence") == "none"
    assert given.development_files("mirror-word") == given.development_modules("mirror-word") == []
    assert given.linking_of_development("mirror-word") == "none"
    assert given.method_modules("mirror-word") == ["tuning.methods.mirror"]
    assert given.more_corpora("mirror-word") == []
    assert given.more_corpora("cmlm") == ["results/corpora/words-both.txt"]


def test_a_development_set_of_names_is_ranked_as_the_config_links(config):
    watched = {"suite": "names", "dataset": "bc5cdr-disease", "every": 2}
    config["recipes"]["mirror-sentence"]["development"] = watched
    config["retrieval"]["linking"]["similarity"] = "cosine"
    given = plan_of(config).rule_inputs
    assert given.linking_of_development("mirror-sentence") == "cosine"


def test_scoring_gets_links_and_predictions_where_a_task_needs_them(config, given):
    names, texts = job(suite="names"), job(suite="texts")
    encoder = "bert-en/base-mp/none/seed0"
    links = [f"results/retrieval/{encoder}/names.tsv"]
    assert given.needed_for_scoring(names, "links") == links
    predictions = [f"results/predictions/{encoder}/texts.tsv"]
    assert given.needed_for_scoring(texts, "predictions") == predictions
    assert given.needed_for_scoring(names, "predictions") == []
    assert given.needed_for_scoring(texts, "links") == []
    assert given.needed_for_scoring(job(suite="words-en"), "links") == []
    assert given.classifier(texts) == ["--protocol", "prototyping"]
    assert given.own_classifier(texts) == []
    trained = job("classify", "sentences-en", "33", suite="texts")
    folder = "results/encoders/bert-en/classify/sentences-en/seed33"
    assert given.own_classifier(trained) == [f"{folder}/encoder.json"]
    assert given.classifier(trained) == ["--classifier", folder]


def test_embedding_reads_the_settings_of_the_recipe(config, given):
    recipe = config["recipes"]["mirror-word"]
    settings = {"pooling": recipe["pooling"], "max_length": recipe["embed_max_length"]}
    assert json.loads(given.settings("mirror-word")) == settings
    prompts = {"query": "query: "}
    config["recipes"]["base-mp"] |= {"layer": 2, "prompts": prompts}
    settings = json.loads(plan_of(config).rule_inputs.settings("base-mp"))
    assert settings == {"pooling": "mean", "max_length": 64, "layer": 2, "prompts": prompts}


def test_sides_of_a_lexicon_are_embedded_by_language_or_for_all_at_once(config, given):
    sides = {"source_model": "bert-en", "target_model": "bert-multi", "dataset": "bli-en-fr"}
    sides |= {"source_corpus": "words-en", "target_corpus": "words-fr"}
    wildcards = Wildcards(recipe="mirror-word", seed="33", **sides)
    for side, model, language in (("source", "bert-en", "en"), ("target", "bert-multi", "fr")):
        assert given.lexicon_side(wildcards, side) == (
            f"results/embeddings/{model}/mirror-word/words-{language}/seed33/words-{language}.npy",
            f"results/datasets/words-{language}/items.json",
        )
    one = Encoder("bert-multi", "base-mp", "none", 0)
    # one encoder of both languages takes the suite without a language
    assert given.embedded_suites("bli-en-fr", [one, one]) == ["lexicons"] * 2
    other = one._replace(model="bert-en")
    assert given.embedded_suites("bli-en-fr", [one, other]) == ["words-en", "words-fr"]
    del config["suites"]["words-fr"], config["suites"]["lexicons"]
    given = plan_of(config).rule_inputs
    with pytest.raises(UserError, match="no suite of language `fr` holds data set `bli-en-fr`"):
        given.embedded_suites("bli-en-fr", [one, one])


@pytest.mark.parametrize(
    ("device", "processes", "gpus", "words"),
    [
        ("cpu", 1, 0, ["python", "-m"]),
        ("cpu", 2, 0, ["accelerate", "launch", "--cpu", "--num_processes", "2"]),
        ("cuda", 2, 1, ["accelerate", "launch", "--multi_gpu", "--num_processes", "2"]),
    ],
)
def test_tuning_is_launched_in_as_many_processes_as_asked_for(
    device, processes, gpus, words, config
):
    config |= {"device": device, "processes": {"tuning": processes}}
    given = plan_of(config).rule_inputs
    assert given.gpus == gpus
    launcher = given.tuning_launcher
    assert launcher[: len(words)] == words
    if processes > 1:
        assert launcher[len(words) :] == [
            *("--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"),
            *("--main_process_port", "0", "--module"),
        ]
