# Tuning: a pretrained model and a corpus become an encoder.
# Inputs:  the model's folder, results/corpora/{corpus}.txt; of a recipe with a
#          development set also results/datasets/{suite}/strings.txt and items.json
# Outputs: results/encoders/{model}/{recipe}/{corpus}/seed{seed}/: a transformers and a
#          sentence-transformers folder; encoder.json records hashes, versions and losses, so it
#          stands for the whole folder where a later rule needs the encoder


rule tune_mirror:
    input:
        sources=sources("tuning.tune_mirror"),
        model=lambda wildcards: plan.model_files(wildcards.model),
        corpus="results/corpora/{corpus}.txt",
    output:
        record="results/encoders/{model}/{recipe}/{corpus}/seed{seed}/encoder.json",
        weights="results/encoders/{model}/{recipe}/{corpus}/seed{seed}/model.safetensors",
    log:
        messages="results/logs/tune_mirror/{model}/{recipe}/{corpus}/seed{seed}.log",
        steps="results/logs/tune_mirror/{model}/{recipe}/{corpus}/seed{seed}.jsonl",
    benchmark:
        "results/benchmarks/tune_mirror/{model}/{recipe}/{corpus}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=plan.recipes_with_development(False),
    conda:
        "../envs/torch.yaml"
    threads: config["threads"]["tuning"] * plan.tuning_processes
    resources:
        gpu=plan.gpus * plan.tuning_processes,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        launcher=plan.tuning_launcher,
        model=lambda wildcards: plan.model_location(wildcards.model),
        recipe=lambda wildcards: plan.recipe_block(wildcards.recipe),
        threads=config["threads"]["tuning"],
        device=config["device"],
        folder=subpath(output.record, parent=True),
    shell:
        "logged {log[0]:q} on_gpu {resources.gpu} {params.launcher:q} workflow_scripts.tuning.tune_mirror --model {params.model:q}"
        " --corpus {input.corpus:q} --recipe-name {wildcards.recipe:q}"
        " --recipe-json {params.recipe:q} --seed {wildcards.seed:q} --threads {params.threads}"
        " --device {params.device:q}"
        " --output {params.folder:q} --step-log {log.steps:q}"


# With the vectors of a development set scored every few steps; the best weights are kept.
rule tune_with_development:
    input:
        sources=sources("tuning.tune_with_development"),
        model=lambda wildcards: plan.model_files(wildcards.model),
        corpus="results/corpora/{corpus}.txt",
        strings=lambda wildcards: plan.development_file(wildcards.recipe, "strings.txt"),
        items_json=lambda wildcards: plan.development_file(wildcards.recipe, "items.json"),
    output:
        record="results/encoders/{model}/{recipe}/{corpus}/seed{seed}/encoder.json",
        weights="results/encoders/{model}/{recipe}/{corpus}/seed{seed}/model.safetensors",
    log:
        messages="results/logs/tune_with_development/{model}/{recipe}/{corpus}/seed{seed}.log",
        steps="results/logs/tune_with_development/{model}/{recipe}/{corpus}/seed{seed}.jsonl",
    benchmark:
        "results/benchmarks/tune_with_development/{model}/{recipe}/{corpus}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=plan.recipes_with_development(True),
    conda:
        "../envs/torch.yaml"
    threads: config["threads"]["tuning"] * plan.tuning_processes
    resources:
        gpu=plan.gpus * plan.tuning_processes,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        launcher=plan.tuning_launcher,
        model=lambda wildcards: plan.model_location(wildcards.model),
        recipe=lambda wildcards: plan.recipe_block(wildcards.recipe),
        linking=lambda wildcards: plan.development_similarity(wildcards.recipe),
        threads=config["threads"]["tuning"],
        device=config["device"],
        folder=subpath(output.record, parent=True),
    shell:
        "logged {log[0]:q} on_gpu {resources.gpu} {params.launcher:q} workflow_scripts.tuning.tune_with_development --model {params.model:q}"
        " --corpus {input.corpus:q} --recipe-name {wildcards.recipe:q}"
        " --recipe-json {params.recipe:q} --seed {wildcards.seed:q} --threads {params.threads}"
        " --device {params.device:q}"
        " --output {params.folder:q} --step-log {log.steps:q}"
        " --strings {input.strings:q} --items {input.items_json:q} --linking-similarity {params.linking:q}"
