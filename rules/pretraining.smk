# Pretraining of the embedded models: an offline alternative to models of a hub. Not part of
# all_tables; ask for the target embedded_models.
#
# Required inputs:
#   the texts that config["pretraining"]["texts"] names, as files below the folder given by
#     --config pretraining_text=DIR
#   the evaluation files of config["pretraining"]["evaluation"], whose sentences are kept out, below
#     --config pretraining_evaluation=DIR (default: the same folder)
# Outputs:
#   results/pretraining/{pretrained}/text/                      train, validation, summary.json
#   results/pretraining/{pretrained}/tokenizer/
#   results/pretraining/{pretrained}/word-vectors.safetensors
#   results/pretraining/{pretrained}/model/                     the model with its card
#
# A person who is satisfied with a model copies it into resources/models/{pretrained}; no rule does.
#
# Threads: pretrain_model gives bitwise the same weights only for the same number of threads and a
# budget of steps; train_word_vectors only with one thread.

from pathlib import Path

from snakemake.exceptions import WorkflowError

PRETRAINING_DIRECTORY = "results/pretraining/{pretrained}"


wildcard_constraints:
    pretrained="[a-z0-9-]+",


def _pretrained(wildcards):
    return config["pretraining"]["pretrained"][wildcards.pretrained]


def _pretraining_root(key="pretraining_text"):
    root = config.get(key) or config.get("pretraining_text")
    if not root:
        raise WorkflowError(
            "pretraining needs its texts: add --config pretraining_text=DIR, the folder that holds "
            "the files of config/pretraining.yaml"
        )
    return str(root)


def _files_of(root, patterns):
    found = sorted({str(path) for pattern in patterns for path in Path(root).glob(pattern)})
    if not found:
        raise WorkflowError(f"no file in {root} matches {', '.join(patterns)}; check the folder")
    return found


def _text_files(wildcards):
    texts = config["pretraining"]["texts"]
    patterns = [
        pattern for text in _pretrained(wildcards)["texts"] for pattern in texts[text]["files"]
    ]
    return _files_of(_pretraining_root(), patterns)


def _excluded_files(wildcards):
    patterns = [
        pattern for entry in config["pretraining"]["evaluation"] for pattern in entry["files"]
    ]
    return _files_of(_pretraining_root("pretraining_evaluation"), patterns)


def _texts_json(wildcards):
    texts = config["pretraining"]["texts"]
    return canonical({text: texts[text] for text in _pretrained(wildcards)["texts"]})


def _pretrained_json(key):
    """Return a params function: one key of a model's block as canonical JSON."""

    def block(wildcards):
        return canonical(_pretrained(wildcards).get(key, {}))

    return block


def _examples_json(wildcards):
    return canonical(_pretrained(wildcards).get("examples", []))


def _exponent(wildcards):
    return _pretrained(wildcards).get("language_exponent", 1.0)


def _seed(wildcards):
    return _pretrained(wildcards)["seed"]


def _units(wildcards):
    return _pretrained(wildcards)["architecture"].get("units", 192)


rule embedded_models:
    input:
        expand(
            "results/pretraining/{pretrained}/model",
            pretrained=sorted(config["pretraining"]["pretrained"]),
        ),


rule prepare_text:
    input:
        texts=_text_files,
        evaluation=_excluded_files,
        sources=sources("pretraining.prepare_text"),
    output:
        directory(f"{PRETRAINING_DIRECTORY}/text"),
    log:
        "results/logs/pretraining/prepare_text/{pretrained}.log",
    benchmark:
        "results/benchmarks/pretraining/prepare_text/{pretrained}.tsv"
    threads: 1
    resources:
        gpu=0,
        mem_mb=2000,
        runtime=30,
    params:
        root=lambda wildcards: _pretraining_root(),
        texts=_texts_json,
        preparation=_pretrained_json("preparation"),
        evaluation_root=lambda wildcards: _pretraining_root("pretraining_evaluation"),
        evaluation=lambda wildcards: canonical(config["pretraining"]["evaluation"]),
    shell:
        "python -m workflow_scripts.pretraining.prepare_text"
        " --root {params.root:q} --texts {params.texts:q} --preparation {params.preparation:q}"
        " --evaluation-root {params.evaluation_root:q} --evaluation {params.evaluation:q}"
        " --output {output:q} 2> {log:q}"


rule train_tokenizer:
    input:
        text=f"{PRETRAINING_DIRECTORY}/text",
        sources=sources("pretraining.train_tokenizer"),
    output:
        directory(f"{PRETRAINING_DIRECTORY}/tokenizer"),
    log:
        "results/logs/pretraining/train_tokenizer/{pretrained}.log",
    benchmark:
        "results/benchmarks/pretraining/train_tokenizer/{pretrained}.tsv"
    threads: 2
    resources:
        gpu=0,
        mem_mb=4000,
        runtime=30,
    params:
        settings=_pretrained_json("tokenizer"),
        exponent=_exponent,
        seed=_seed,
    shell:
        "RAYON_NUM_THREADS={threads} python -m workflow_scripts.pretraining.train_tokenizer"
        " --text {input.text:q} --settings {params.settings:q}"
        " --language-exponent {params.exponent:q} --seed {params.seed:q}"
        " --output {output:q} 2> {log:q}"


rule train_word_vectors:
    input:
        text=f"{PRETRAINING_DIRECTORY}/text",
        tokenizer=f"{PRETRAINING_DIRECTORY}/tokenizer",
        sources=sources("pretraining.train_word_vectors"),
    output:
        f"{PRETRAINING_DIRECTORY}/word-vectors.safetensors",
    log:
        "results/logs/pretraining/train_word_vectors/{pretrained}.log",
    benchmark:
        "results/benchmarks/pretraining/train_word_vectors/{pretrained}.tsv"
    threads: 2
    resources:
        gpu=0,
        mem_mb=6000,
        runtime=60,
    params:
        settings=_pretrained_json("word_vectors"),
        units=_units,
        exponent=_exponent,
        seed=_seed,
    shell:
        "RAYON_NUM_THREADS={threads} python -m workflow_scripts.pretraining.train_word_vectors"
        " --text {input.text:q} --tokenizer {input.tokenizer:q} --settings {params.settings:q}"
        " --units {params.units:q} --language-exponent {params.exponent:q}"
        " --seed {params.seed:q} --threads {threads} --output {output:q} 2> {log:q}"


# The checkpoint and the JSON-lines log stand beside the model and are no outputs, since Snakemake
# removes the outputs of a failed job, and a killed training is to resume from its checkpoint.
rule pretrain_model:
    input:
        text=f"{PRETRAINING_DIRECTORY}/text",
        tokenizer=f"{PRETRAINING_DIRECTORY}/tokenizer",
        vectors=f"{PRETRAINING_DIRECTORY}/word-vectors.safetensors",
        sources=sources("pretraining.pretrain_model"),
    output:
        directory(f"{PRETRAINING_DIRECTORY}/model"),
    log:
        "results/logs/pretraining/pretrain_model/{pretrained}.log",
    benchmark:
        "results/benchmarks/pretraining/pretrain_model/{pretrained}.tsv"
    threads: 2
    resources:
        gpu=1,
        mem_mb=8000,
        runtime=180,
    params:
        architecture=_pretrained_json("architecture"),
        training=_pretrained_json("training"),
        exponent=_exponent,
        examples=_examples_json,
        seed=_seed,
        checkpoint=f"{PRETRAINING_DIRECTORY}/checkpoint.safetensors",
        training_log=f"{PRETRAINING_DIRECTORY}/training.jsonl",
    shell:
        "OMP_NUM_THREADS={threads} OMP_WAIT_POLICY=passive"
        " python -m workflow_scripts.pretraining.pretrain_model"
        " --name {wildcards.pretrained:q} --text {input.text:q} --tokenizer {input.tokenizer:q}"
        " --word-vectors {input.vectors:q} --architecture {params.architecture:q}"
        " --training {params.training:q} --language-exponent {params.exponent:q}"
        " --examples {params.examples:q} --seed {params.seed:q} --threads {threads}"
        " --checkpoint {params.checkpoint:q} --training-log {params.training_log:q}"
        " --output {output:q} 2> {log:q}"
