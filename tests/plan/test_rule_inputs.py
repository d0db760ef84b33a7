"""What rules get of a small config: files, modules and words, written out."""

import json

import pytest
from plans import plan_of

from workflow_scripts.plan.encoders import Encoder

MODEL = "resources/models/bert-en-mini"
# what stands for an encoder
ENCODER = ("encoder.json", "model.safetensors")


class Wildcards(dict):
    """The wildcards of a job as Snakemake gives them: by key and by attribute."""

    __getattr__ = dict.__getitem__


@pytest.fixture
def config(small_config, default_config):
    """The small config with word vectors, a development set, names and a trained classifier."""
    config = small_config
    config["models"]["words"] = {"vectors": "static-vectors/en.vec"}
    for name in ("cmlm-mirror", "classify", "cmlm"):
        config["recipes"][name] = dict(default_config["recipes"][name])
        config["recipes"][name].pop("development", None)
    config["recipes"]["cmlm-mirror"] |= {"start": {"recipe": "mirror-word", "corpus": "words-en"}}
    config["recipes"]["cmlm"]["bitext"] = {"corpus": "words-both"}
    config["recipes"]["cmlm-read"] = {
        **{"method": "none", "pooling": "mean", "embed_max_length": 64},
        "start": {"recipe": "mirror-word", "corpus": "words-en"},
    }
    for name in ("bc5cdr-disease", "simlex999"):
        config["datasets"][name] = default_config["datasets"][name]
    config["corpora"]["words-both"] = {"kind": "joined", "of": ["words-en", "words-fr"]}
    watched = {"dataset": "simlex999", "every": 2}
    config["recipes"]["mirror-sentence"]["development"] = watched
    shown = ("sts12", "sickr", "multisimlex-en", "multisimlex-fr", "bli-en-fr", "bc5cdr-disease")
    row = {"id": "one", "label": "One", "model": "bert-en", "recipe": "base-mp"}
    tuned = {**row, "id": "tuned", "recipe": "mirror-word", "corpus": "words-{language}"}
    trained = {**row, "id": "trained", "recipe": "classify", "corpus": "sentences-en"}
    config["tables"] = {
        "all": {"title": "All", "columns": columns(*shown), "rows": [row]},
        "words": {"title": "Words", "columns": columns(*shown[2:5]), "rows": [tuned]},
        "texts": {"title": "Texts", "columns": columns("mr"), "rows": [row, trained]},
    }
    return config


def columns(*names):
    return [{"id": name, "label": name, "dataset": name} for name in names]


@pytest.fixture
def given(config):
    return plan_of(config).rule_inputs


def job(recipe="base-mp", corpus="none", seed="0", **more):
    return Wildcards(model="bert-en", recipe=recipe, corpus=corpus, seed=seed, **more)


def test_corpora_are_made_of_raw_files_or_of_each_other(config, given):
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
    # whether it is the paper's matters to tables alone
    config["corpora"]["words-both"] |= {"paper": "mirror-bert", "assumed": "which ones"}
    assert plan_of(config).rule_inputs.block("corpora", "words-both") == given.block(
        "corpora", "words-both"
    )


def test_a_new_file_that_a_pattern_names_is_one_more_input_of_its_corpus(config, tmp_path):
    texts = [{"reader": "document", "files": ["*.txt"]}]
    config["corpora"]["prose"] = {"kind": "text", "size": "all", "texts": texts}
    config |= {"data": config["data"] | {"root": str(tmp_path)}, "tables": {}}
    files = []
    for name in ("a.txt", "b.txt"):
        files.append(str(tmp_path / name))
        (tmp_path / name).touch()
        assert plan_of(config).rule_inputs.corpus_inputs("prose") == files


def test_a_data_set_has_its_block_files_and_modules(config, given):
    assert json.loads(given.block("datasets", "sts12")) == config["datasets"]["sts12"]
    # keys of a data set that only tables read are not in it, nor what it is embedded with
    config["datasets"]["bli-en-fr"]["suite"] = "words"
    given = plan_of(config).rule_inputs
    assert "assumed" in config["datasets"]["bli-en-fr"]
    assert not {"assumed", "suite"} & json.loads(given.block("datasets", "bli-en-fr")).keys()
    assert given.dataset_file("sts12", "items.json") == "results/datasets/sts12/items.json"
    assert given.dataset_module("sts12") == "datasets.formats.semeval_sts"
    files = given.dataset_inputs("sts12")
    folder = f"resources/sample_data/{config['datasets']['sts12']['path']}"
    assert files == sorted(files) and all(file.startswith(folder) for file in files)
    assert given.lexicons() == r"bli\-en\-fr"
    assert r"sts12" in given.one_sided().split("|") and "bli" not in given.one_sided()


def test_a_job_embeds_and_scores_what_cells_show_of_its_encoder(given):
    words = job(suite="similarity")
    names = ["multisimlex-en", "multisimlex-fr", "sickr", "sts12"]
    assert given.strings_keys(words) == names
    assert given.strings_files(words) == [f"results/datasets/{n}/strings.txt" for n in names]
    assert given.items_files(words) == [f"results/datasets/{n}/items.json" for n in names]
    assert given.suite_tasks(words) == ["similarity"]
    assert given.task_modules(words) == ["scoring.tasks.similarity"]
    assert given.task_modules(job(suite="entity-linking")) == ["scoring.tasks.entity_linking"]
    assert json.loads(given.metrics(words)) == {name: ["spearman"] for name in names}
    assert given.metric_modules(words) == ["scoring.metrics.spearman"]
    # an encoder of one language has the sets of that language, and the side of a lexicon
    for language, side in (("en", "source"), ("fr", "target")):
        one = ("mirror-word", f"words-{language}", "33")
        assert given.strings_keys(job(*one, suite="similarity")) == [f"multisimlex-{language}"]
        lexicon = job(*one, suite="lexicon")
        assert given.strings_keys(lexicon) == [f"bli-en-fr/{side}"]
        assert given.strings_files(lexicon) == [f"results/datasets/bli-en-fr/{side}.txt"]
        # lexicons are scored by a rule of their own
        assert given.items_files(lexicon) == given.task_modules(lexicon) == []
    # the encoder of both sides embeds both
    both = ["bli-en-fr/source", "bli-en-fr/target"]
    assert given.strings_keys(job(suite="lexicon")) == both


def test_a_job_scores_by_the_metrics_that_cells_request_and_the_primary_one(config, default_config):
    for name in ("tatoeba-es", "tatoeba-fr", "ncbi-disease"):
        config["datasets"][name] = default_config["datasets"][name]
    row = {"id": "one", "label": "One", "model": "bert-en", "recipe": "base-mp"}
    shown = columns("tatoeba-es", "tatoeba-fr", "bc5cdr-disease", "ncbi-disease", "bli-en-fr")
    for column, metric in ((0, "accuracy_pcr"), (2, "accuracy@5"), (4, "accuracy@5")):
        shown[column]["metric"] = metric
    table = {"title": "More", "columns": shown, "rows": [row]}
    # by another table, of another encoder, another metric of the same set
    other = {"id": "fr", "label": "Fr", "dataset": "tatoeba-fr", "metric": "accuracy_pcr"}
    tuned = {**row, "recipe": "mirror-word", "corpus": "words-en"}
    config["tables"] = {"more": table, "other": {**table, "columns": [other], "rows": [tuned]}}
    given = plan_of(config).rule_inputs
    pairs, names = job(suite="bitext-retrieval"), job(suite="entity-linking")
    lexicon = Wildcards(PAIR | {"seed": "0"})
    requested = (
        (pairs, {"tatoeba-es": ["accuracy", "accuracy_pcr"], "tatoeba-fr": ["accuracy"]}),
        (names, {"bc5cdr-disease": ["accuracy@1", "accuracy@5"], "ncbi-disease": ["accuracy@1"]}),
        (lexicon, {"bli-en-fr": ["accuracy@1", "accuracy@5"]}),
    )
    for wildcards, metrics in requested:
        assert json.loads(given.metrics(wildcards)) == metrics
    modules = [f"scoring.metrics.{name}" for name in ("accuracy", "accuracy_pcr")]
    assert given.metric_modules(pairs) == modules
    assert given.metric_modules(names) == ["scoring.metrics.accuracy_at"]
    assert given.metric_modules(lexicon) == ["scoring.metrics.accuracy_at"]


PAIR = {"source_model": "bert-en", "target_model": "bert-en", "recipe": "base-mp", "seed": "7"}
PAIR |= {"source_corpus": "none", "target_corpus": "none", "dataset": "bli-en-fr"}


def test_what_nothing_shows_ends_the_run_with_one_line(given):
    encoder = job("mirror-word", "words-en", "44", suite="similarity")
    asked = {
        "bert-en/mirror-word/words-en/seed44: no table or figure shows a data set of suite "
        "`similarity` of this encoder": lambda: given.strings_keys(encoder),
        "bert-en--bert-en/base-mp/none--none/seed7/bli-en-fr: no table or figure shows this "
        "lexicon by these encoders": lambda: given.metric_modules(Wildcards(PAIR)),
    }
    for message, ask in asked.items():
        with pytest.raises(SystemExit) as caught:
            ask()
        assert str(caught.value) == f"error: {message}; add a row or column that does"


def test_an_encoder_stands_for_its_folder_its_start_or_its_model(given):
    untuned, tuned = Encoder("bert-en", "base-mp", "none", 0), "results/encoders/bert-en"
    assert given.location(untuned) == MODEL
    files = given.files(untuned)
    assert {f"{MODEL}/config.json", f"{MODEL}/model.safetensors"} <= set(files)
    assert all(file.startswith(f"{MODEL}/") for file in files)
    own = Encoder("bert-en", "mirror-word", "words-en", 33)
    folder = f"{tuned}/mirror-word/words-en/seed33"
    assert (given.location(own), given.files(own)) == (
        folder,
        [f"{folder}/{name}" for name in ENCODER],
    )
    # what is only read is the encoder that it starts from
    read = Encoder("bert-en", "cmlm-read", "words-en", 33)
    assert (given.location(read), given.files(read)) == (
        folder,
        [f"{folder}/{name}" for name in ENCODER],
    )
    assert given.encoder(job("mirror-word", "words-en", "33")) == own
    assert given.start(job("cmlm-mirror", "words-fr", "33")) == own
    assert given.start(job("mirror-word", "words-en", "33")) == own._replace(corpus="none")
    assert given.static_inputs("words") == ["resources/sample_data/static-vectors/en.vec"]
    # patterns of the wildcards: models that are tuned, recipes that tune
    neural = given.neural_models().split("|")
    assert r"bert\-en" in neural and "words" not in neural and neural == sorted(neural)
    assert given.tuning_recipes() == r"classify|cmlm|cmlm\-mirror|mirror\-sentence|mirror\-word"


def test_a_development_set_brings_its_files_and_modules(given):
    files = [f"results/datasets/simlex999/{name}" for name in ("strings.txt", "items.json")]
    assert given.development_files("mirror-sentence") == files
    modules = ["scoring.tasks.similarity", "scoring.metrics.spearman"]
    modules = ["scoring.development_scores", *modules]
    assert given.development_modules("mirror-sentence") == modules
    assert given.linking_of_development("mirror-sentence") == "none"
    assert given.development_files("mirror-word") == given.development_modules("mirror-word") == []
    assert given.linking_of_development("mirror-word") == "none"
    assert given.method_module("mirror-word") == "tuning.methods.mirror"
    assert given.more_corpora("mirror-word") == []
    assert given.more_corpora("cmlm") == ["results/corpora/words-both.txt"]


def test_a_development_set_of_names_is_ranked_as_the_config_links(config):
    watched = {"dataset": "bc5cdr-disease", "every": 2}
    config["recipes"]["mirror-sentence"]["development"] = watched
    config["retrieval"]["linking"]["similarity"] = "cosine"
    given = plan_of(config).rule_inputs
    assert given.linking_of_development("mirror-sentence") == "cosine"


def test_scoring_gets_links_and_predictions_where_a_task_needs_them(config, given):
    names, texts = job(suite="entity-linking"), job(suite="classification")
    encoder = "bert-en/base-mp/none/seed0"
    links = [f"results/retrieval/{encoder}/entity-linking.tsv"]
    assert given.needed_for_scoring(names, "links") == links
    predictions = [f"results/predictions/{encoder}/classification.tsv"]
    assert given.needed_for_scoring(texts, "predictions") == predictions
    assert given.needed_for_scoring(names, "predictions") == []
    assert given.needed_for_scoring(texts, "links") == []
    assert given.needed_for_scoring(job(suite="similarity"), "links") == []
    assert given.classifier(texts) == ["--protocol", "prototyping"]
    assert given.own_classifier(texts) == []
    trained = job("classify", "sentences-en", "33", suite="classification")
    folder = "results/encoders/bert-en/classify/sentences-en/seed33"
    assert given.own_classifier(trained) == [f"{folder}/{name}" for name in ENCODER]
    assert given.classifier(trained) == ["--classifier", folder]


def test_embedding_reads_the_settings_of_the_recipe(config, given):
    recipe = config["recipes"]["mirror-word"]
    settings = {"pooling": recipe["pooling"], "max_length": recipe["embed_max_length"]}
    assert json.loads(given.settings("mirror-word")) == settings
    prompts = {"query": "query: "}
    config["recipes"]["base-mp"] |= {"layer": 2, "prompts": prompts}
    settings = json.loads(plan_of(config).rule_inputs.settings("base-mp"))
    assert settings == {"pooling": "mean", "max_length": 64, "layer": 2, "prompts": prompts}


def test_the_sides_of_a_lexicon_are_of_one_encoder_or_of_two(given):
    sides = {"source_model": "bert-en", "target_model": "bert-multi", "dataset": "bli-en-fr"}
    sides |= {"source_corpus": "words-en", "target_corpus": "words-fr"}
    wildcards = Wildcards(recipe="mirror-word", seed="33", **sides)
    for side, model, language in (("source", "bert-en", "en"), ("target", "bert-multi", "fr")):
        stem = f"results/embeddings/{model}/mirror-word/words-{language}/seed33/lexicon"
        assert given.lexicon_vectors(wildcards, side) == {
            f"{side}_vectors": f"{stem}.npy",
            f"{side}_index": f"{stem}.npz",
        }


LAUNCH = (
    "accelerate launch {} --num_processes 2 --num_machines 1 --mixed_precision no "
    "--dynamo_backend no --main_process_port 0 --module"
)


@pytest.mark.parametrize(
    ("device", "processes", "gpus", "words"),
    [
        ("cpu", 1, 0, "python -m"),
        ("cpu", 2, 0, LAUNCH.format("--cpu")),
        ("cuda", 2, 1, LAUNCH.format("--multi_gpu")),
    ],
)
def test_tuning_is_launched_in_as_many_processes_as_asked_for(
    device, processes, gpus, words, config
):
    config |= {"device": device, "processes": {"tuning": processes}}
    given = plan_of(config).rule_inputs
    assert (given.gpus, " ".join(given.tuning_launcher)) == (gpus, words)
