# Scoring: tidy scores of an encoder on a suite, and of a pair of encoders on a lexicon.
# Inputs:  results/embeddings/..., results/retrieval/..., results/datasets/{suite}/items.json
# Outputs: results/scores/.../{suite}.tsv and {dataset}.tsv, one row for each metric, and .npz beside
#          each: bootstrap replicates, cosines of labelled pairs


rule score_suite:
    input:
        sources=sources("scoring.score_suite"),
        vectors="results/embeddings/{model}/{recipe}/{corpus}/seed{seed}/{suite}.npy",
        items_json="results/datasets/{suite}/items.json",
        links=lambda wildcards: plan.links_of_suite(wildcards),
    output:
        scores="results/scores/{model}/{recipe}/{corpus}/seed{seed}/{suite}.tsv",
        details="results/scores/{model}/{recipe}/{corpus}/seed{seed}/{suite}.npz",
    log:
        "results/logs/score_suite/{model}/{recipe}/{corpus}/seed{seed}/{suite}.log",
    benchmark:
        "results/benchmarks/score_suite/{model}/{recipe}/{corpus}/seed{seed}/{suite}.tsv"
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=15,
    params:
        links=lambda wildcards, input: ["--links", input.links] if input.links else [],
    shell:
        "logged {log[0]:q} python -m workflow_scripts.scoring.score_suite"
        " --encoder {wildcards.model}/{wildcards.recipe}/{wildcards.corpus}/seed{wildcards.seed}"
        " --items {input.items_json:q} --vectors {input.vectors:q} {params.links:q}"
        " --output {output.scores:q} --details {output.details:q}"


rule score_lexicon:
    input:
        sources=sources("scoring.score_lexicon"),
        ranks="results/retrieval/{source_model}--{target_model}/{recipe}/{source_corpus}--{target_corpus}/seed{seed}/{dataset}.tsv",
        source_items=lambda wildcards: plan.lexicon_side(wildcards, "source").items,
        target_items=lambda wildcards: plan.lexicon_side(wildcards, "target").items,
    output:
        scores="results/scores/{source_model}--{target_model}/{recipe}/{source_corpus}--{target_corpus}/seed{seed}/{dataset}.tsv",
        details="results/scores/{source_model}--{target_model}/{recipe}/{source_corpus}--{target_corpus}/seed{seed}/{dataset}.npz",
    log:
        "results/logs/score_lexicon/{source_model}--{target_model}/{recipe}/{source_corpus}--{target_corpus}/seed{seed}/{dataset}.log",
    benchmark:
        "results/benchmarks/score_lexicon/{source_model}--{target_model}/{recipe}/{source_corpus}--{target_corpus}/seed{seed}/{dataset}.tsv"
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=15,
    shell:
        "logged {log[0]:q} python -m workflow_scripts.scoring.score_lexicon --dataset {wildcards.dataset:q}"
        " --encoder {wildcards.source_model}--{wildcards.target_model}/{wildcards.recipe}/{wildcards.source_corpus}--{wildcards.target_corpus}/seed{wildcards.seed}"
        " --source-items {input.source_items:q} --target-items {input.target_items:q}"
        " --ranks {input.ranks:q} --output {output.scores:q} --details {output.details:q}"
