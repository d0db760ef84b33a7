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
# A person who is satisfied with a model copies the files of its folder into
# resources/models/{pretrained}; no rule does.
#
# Threads: pretrain_model gives bitwise the same weights only for the same number of threads and a
# budget of steps.

from workflow_scripts.pretraining.plan import PretrainingPlan

pretraining = PretrainingPlan(dict(plan.config))


wildcard_constraints:
    pretrained=r"[a-z0-9]+([-_.][a-z0-9]+)*",


rule embedded_models:
    """Target: the embedded models, trained from scratch"""
    input:
        expand(
            "<results>/pretraining/{pretrained}/model",
            pretrained=pretraining.names(),
        ),


rule prepare_text:
    """Running text to pretrain on, without the evaluation sentences"""
    input:
        texts=lambda wildcards: pretraining.text_files(wildcards.pretrained),
        evaluation=lambda wildcards: pretraining.evaluation_files(),
        sources=sources("pretraining.prepare_text"),
    output:
        folder=directory("<results>/pretraining/{pretrained}/text"),
        usage="<results>/benchmarks/prepare_text/{pretrained}.tsv",
    log:
        "<results>/logs/prepare_text/{pretrained}.log",
    conda:
        "../envs/torch.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        root=lambda wildcards: pretraining.text_root(),
        texts=lambda wildcards: pretraining.texts(wildcards.pretrained),
        preparation=lambda wildcards: pretraining.block(wildcards.pretrained, "preparation"),
        evaluation_root=lambda wildcards: pretraining.evaluation_root(),
        evaluation=lambda wildcards: pretraining.evaluation(),
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.pretraining.prepare_text \
            --root {params.root:q} \
            --texts {params.texts:q} \
            --preparation {params.preparation:q} \
            --evaluation-root {params.evaluation_root:q} \
            --evaluation {params.evaluation:q} \
            --output {output.folder:q}
        """


rule train_tokenizer:
    """The tokenizer of an embedded model"""
    input:
        text="<results>/pretraining/{pretrained}/text",
        sources=sources("pretraining.train_tokenizer"),
    output:
        folder=directory("<results>/pretraining/{pretrained}/tokenizer"),
        usage="<results>/benchmarks/train_tokenizer/{pretrained}.tsv",
    log:
        "<results>/logs/train_tokenizer/{pretrained}.log",
    conda:
        "../envs/torch.yaml"
    threads: 2
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        settings=lambda wildcards: pretraining.block(wildcards.pretrained, "tokenizer"),
        exponent=lambda wildcards: pretraining.settings(wildcards.pretrained).language_exponent,
        seed=lambda wildcards: pretraining.settings(wildcards.pretrained).seed,
    shell:
        r"""
        RAYON_NUM_THREADS={threads} logged {log:q} {output.usage:q} \
            python -m workflow_scripts.pretraining.train_tokenizer \
            --text {input.text:q} \
            --settings {params.settings:q} \
            --language-exponent {params.exponent:q} \
            --seed {params.seed:q} \
            --output {output.folder:q}
        """


rule train_word_vectors:
    """Word vectors that an embedded model begins with"""
    input:
        text="<results>/pretraining/{pretrained}/text",
        tokenizer="<results>/pretraining/{pretrained}/tokenizer",
        sources=sources("pretraining.train_word_vectors"),
    output:
        vectors="<results>/pretraining/{pretrained}/word-vectors.safetensors",
        usage="<results>/benchmarks/train_word_vectors/{pretrained}.tsv",
    log:
        "<results>/logs/train_word_vectors/{pretrained}.log",
    conda:
        "../envs/torch.yaml"
    threads: 2
    resources:
        mem_mb=6000,
        runtime=60,
    params:
        settings=lambda wildcards: pretraining.block(wildcards.pretrained, "word_vectors"),
        units=lambda wildcards: pretraining.settings(wildcards.pretrained).architecture.units,
        seed=lambda wildcards: pretraining.settings(wildcards.pretrained).seed,
    shell:
        r"""
        RAYON_NUM_THREADS={threads} OMP_NUM_THREADS={threads} logged {log:q} {output.usage:q} \
            python -m workflow_scripts.pretraining.train_word_vectors \
            --text {input.text:q} \
            --tokenizer {input.tokenizer:q} \
            --settings {params.settings:q} \
            --units {params.units:q} \
            --seed {params.seed:q} \
            --output {output.vectors:q}
        """


# The checkpoint and the JSON-lines log stand beside the model and are no outputs, since Snakemake
# removes the outputs of a failed job, and a killed training is to resume from its checkpoint.
rule pretrain_model:
    """An embedded model, pretrained from scratch"""
    input:
        text="<results>/pretraining/{pretrained}/text",
        tokenizer="<results>/pretraining/{pretrained}/tokenizer",
        vectors="<results>/pretraining/{pretrained}/word-vectors.safetensors",
        sources=sources("pretraining.pretrain_model"),
    output:
        folder=directory("<results>/pretraining/{pretrained}/model"),
        usage="<results>/benchmarks/pretrain_model/{pretrained}.tsv",
    log:
        "<results>/logs/pretrain_model/{pretrained}.log",
    conda:
        "../envs/torch.yaml"
    threads: 2
    resources:
        gpu=given.gpus,
        mem_mb=8000,
        runtime=180,
    params:
        architecture=lambda wildcards: pretraining.block(wildcards.pretrained, "architecture"),
        training=lambda wildcards: pretraining.block(wildcards.pretrained, "training"),
        exponent=lambda wildcards: pretraining.settings(wildcards.pretrained).language_exponent,
        examples=lambda wildcards: pretraining.examples(wildcards.pretrained),
        seed=lambda wildcards: pretraining.settings(wildcards.pretrained).seed,
        device=lambda wildcards: plan.config.device,
        beside=lambda wildcards: f"{plan.config.results}/pretraining/{wildcards.pretrained}",
    shell:
        r"""
        OMP_NUM_THREADS={threads} OMP_WAIT_POLICY=passive logged {log:q} {output.usage:q} on_gpu {resources.gpu} \
            python -m workflow_scripts.pretraining.pretrain_model \
            --name {wildcards.pretrained:q} \
            --text {input.text:q} \
            --tokenizer {input.tokenizer:q} \
            --word-vectors {input.vectors:q} \
            --architecture {params.architecture:q} \
            --training {params.training:q} \
            --language-exponent {params.exponent:q} \
            --examples {params.examples:q} \
            --seed {params.seed:q} \
            --threads {threads} \
            --device {params.device:q} \
            --checkpoint {params.beside:q}/checkpoint.safetensors \
            --training-log {params.beside:q}/training.jsonl \
            --output {output.folder:q}
        """
