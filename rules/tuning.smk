# Tuning: a pretrained model and a corpus become an encoder.
# Inputs:  the model's folder, or the record of the encoder that the recipe starts from;
#          results/corpora/{corpus}.txt, and those that the recipe names; of a recipe with a
#          development set also results/datasets/{dataset}/strings.txt and items.json
# Outputs: results/encoders/{model}/{recipe}/{corpus}/seed{seed}/: a transformers and a
#          sentence-transformers folder; encoder.json records hashes, versions and losses, so it
#          stands for the whole folder where a later rule needs the encoder. The weights may go once
#          all jobs that read them have run (`keep_encoders`)


rule tune_encoder:
    """An encoder: a model tuned by a recipe on a corpus"""
    input:
        sources=lambda wildcards: sources(
            "tuning.tune_encoder",
            rule_inputs.method_module(wildcards.recipe),
            *rule_inputs.development_modules(wildcards.recipe),
        ),
        model=lambda wildcards: rule_inputs.files(rule_inputs.start(wildcards)),
        corpus="<results>/corpora/{corpus}.txt",
        more=lambda wildcards: rule_inputs.more_corpora(wildcards.recipe),
        development=lambda wildcards: rule_inputs.development_files(wildcards.recipe),
    output:
        record="<results>/encoders/<encoder>/encoder.json",
        weights="<results>/encoders/<encoder>/model.safetensors",
        usage="<results>/benchmarks/tune_encoder/<encoder>.tsv",
    log:
        "<results>/logs/tune_encoder/<encoder>.log",
    wildcard_constraints:
        recipe=rule_inputs.tuning_recipes(),
    conda:
        "../envs/torch.yaml"
    threads: plan.config.threads.tuning * plan.config.processes.tuning
    resources:
        gpu=rule_inputs.gpus * plan.config.processes.tuning,
        mem_mb=lambda wildcards, attempt: 8000 * plan.config.processes.tuning * attempt,
        runtime=lambda wildcards, attempt: (20 if rule_inputs.gpus else 60) * attempt,
    params:
        launcher=lambda wildcards: rule_inputs.tuning_launcher,
        processes=lambda wildcards: plan.config.processes.tuning,
        model=lambda wildcards: rule_inputs.location(rule_inputs.start(wildcards)),
        recipe=lambda wildcards: rule_inputs.block("recipes", wildcards.recipe),
        linking=lambda wildcards: rule_inputs.linking_of_development(wildcards.recipe),
        threads=lambda wildcards: plan.config.threads.tuning,
        device=lambda wildcards: plan.config.device,
        folder=subpath(output.record, parent=True),
        # no `log`, which Snakemake removes before an attempt: the next one continues with it
        steps=lambda wildcards: (
            f"{plan.config.results}/logs/tune_encoder/{rule_inputs.encoder(wildcards)}.jsonl"
        ),
    shell:
        r"""
        export STEP_MEMORY_MB=$(({resources.mem_mb} / {params.processes}))
        logged {log:q} {output.usage:q} on_gpu {resources.gpu} {params.launcher:q} \
            workflow_scripts.tuning.tune_encoder \
            --model {params.model:q} \
            --corpus {input.corpus:q} \
            --more-corpora {input.more:q} \
            --development {input.development:q} \
            --linking-similarity {params.linking:q} \
            --recipe-name {wildcards.recipe:q} \
            --recipe-json {params.recipe:q} \
            --seed {wildcards.seed:q} \
            --threads {params.threads} \
            --device {params.device:q} \
            --output {params.folder:q} \
            --step-log {params.steps:q}
        """
