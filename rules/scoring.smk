# Scoring: tidy scores of an encoder on the data sets of a suite that tables and figures show of it,
# and of a pair of encoders on a lexicon.
# Inputs:  results/embeddings/..., results/retrieval/..., results/datasets/{dataset}/items.json
# Outputs: results/predictions/.../{suite}.tsv, what classifiers say of test items;
#          results/scores/.../{suite}.tsv and {dataset}.tsv, a row for each metric that tables and
#          figures show of the encoder and each primary one, and .npz next to each: bootstrap
#          replicates, cosines of labelled pairs


# on a cluster these are too short to be worth a job
rule classify_texts:
    """What classifiers on vectors say of the test texts of data sets"""
    input:
        sources=lambda wildcards: sources(
            "scoring.classify_texts", *rule_inputs.task_modules(wildcards)
        ),
        vectors="<results>/embeddings/<encoder>/{suite}.npy",
        index="<results>/embeddings/<encoder>/{suite}.npz",
        items_json=rule_inputs.items_files,
        classifier=rule_inputs.own_classifier,
    output:
        predictions="<results>/predictions/<encoder>/{suite}.tsv",
        usage="<results>/benchmarks/classify_texts/<encoder>/{suite}.tsv",
    log:
        "<results>/logs/classify_texts/<encoder>/{suite}.log",
    conda:
        "../envs/torch.yaml"
    threads: plan.config.threads.embedding
    resources:
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        classifier=rule_inputs.classifier,
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.scoring.classify_texts \
            --items {input.items_json:q} \
            --vectors {input.vectors:q} \
            {params.classifier:q} \
            --threads {threads} \
            --output {output.predictions:q}
        """


rule score_suite:
    """Scores of an encoder on data sets"""
    input:
        sources=lambda wildcards: sources(
            "scoring.score_suite",
            *rule_inputs.task_modules(wildcards),
            *rule_inputs.metric_modules(wildcards),
        ),
        vectors="<results>/embeddings/<encoder>/{suite}.npy",
        index="<results>/embeddings/<encoder>/{suite}.npz",
        items_json=rule_inputs.items_files,
        links=lambda wildcards: rule_inputs.needed_for_scoring(wildcards, "links"),
        predictions=lambda wildcards: rule_inputs.needed_for_scoring(wildcards, "predictions"),
    output:
        scores="<results>/scores/<encoder>/{suite}.tsv",
        details="<results>/scores/<encoder>/{suite}.npz",
        usage="<results>/benchmarks/score_suite/<encoder>/{suite}.tsv",
    log:
        "<results>/logs/score_suite/<encoder>/{suite}.log",
    localrule: True
    conda:
        "../envs/plain.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
    params:
        encoder=lambda wildcards: str(rule_inputs.encoder(wildcards)),
        metrics=rule_inputs.metrics,
        made=lambda wildcards, input: [
            part
            for name in ("links", "predictions")
            if input[name]
            for part in (f"--{name}", input[name])
        ],
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.scoring.score_suite \
            --encoder {params.encoder:q} \
            --items {input.items_json:q} \
            --vectors {input.vectors:q} \
            {params.made:q} \
            --metrics {params.metrics:q} \
            --output {output.scores:q} \
            --details {output.details:q}
        """


rule score_lexicon:
    """Scores of a pair of encoders on a lexicon"""
    input:
        sources=lambda wildcards: sources(
            "scoring.score_lexicon", *rule_inputs.metric_modules(wildcards)
        ),
        ranks="<results>/retrieval/<lexicon>/{dataset}.tsv",
        items_json="<results>/datasets/{dataset}/items.json",
    output:
        scores="<results>/scores/<lexicon>/{dataset}.tsv",
        details="<results>/scores/<lexicon>/{dataset}.npz",
        usage="<results>/benchmarks/score_lexicon/<lexicon>/{dataset}.tsv",
    log:
        "<results>/logs/score_lexicon/<lexicon>/{dataset}.log",
    localrule: True
    conda:
        "../envs/plain.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
    params:
        encoder=rule_inputs.encoder_pair,
        metrics=rule_inputs.metrics,
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.scoring.score_lexicon \
            --encoder {params.encoder:q} \
            --items {input.items_json:q} \
            --ranks {input.ranks:q} \
            --metrics {params.metrics:q} \
            --output {output.scores:q} \
            --details {output.details:q}
        """
