# Retrieval: nearest dictionary names for mentions (BEL), translations for words (BLI).
# Inputs:  results/embeddings/.../{suite}.npy and .npz, results/datasets/{dataset}/items.json
# Outputs: results/retrieval/.../{suite}.tsv and {dataset}.tsv, ranked candidates by row


rule link_entities:
    """Nearest dictionary names of the mentions of data sets"""
    input:
        sources=sources("retrieval.link_entities"),
        vectors="<results>/embeddings/<encoder>/{suite}.npy",
        index="<results>/embeddings/<encoder>/{suite}.npz",
        items_json=rule_inputs.items_files,
    output:
        links="<results>/retrieval/<encoder>/{suite}.tsv",
        usage="<results>/benchmarks/link_entities/<encoder>/{suite}.tsv",
    log:
        "<results>/logs/link_entities/<encoder>/{suite}.log",
    conda:
        "../envs/plain.yaml"
    threads: plan.config.threads.retrieval
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        similarity=lambda wildcards: plan.config.retrieval.linking.similarity,
        k=lambda wildcards: plan.config.retrieval.linking.k,
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.retrieval.link_entities \
            --vectors {input.vectors:q} \
            --items {input.items_json:q} \
            --similarity {params.similarity:q} \
            --k {params.k:q} \
            --threads {threads} \
            --output {output.links:q}
        """


rule induce_lexicon:
    """Nearest translations of the words of a lexicon"""
    input:
        unpack(lambda wildcards: rule_inputs.lexicon_vectors(wildcards, "source")),
        unpack(lambda wildcards: rule_inputs.lexicon_vectors(wildcards, "target")),
        sources=sources("retrieval.induce_lexicon"),
        items_json="<results>/datasets/{dataset}/items.json",
    output:
        ranks="<results>/retrieval/<lexicon>/{dataset}.tsv",
        usage="<results>/benchmarks/induce_lexicon/<lexicon>/{dataset}.tsv",
    log:
        "<results>/logs/induce_lexicon/<lexicon>/{dataset}.log",
    conda:
        "../envs/plain.yaml"
    threads: plan.config.threads.retrieval
    resources:
        mem_mb=lambda wildcards, attempt: 7000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        mapping=lambda wildcards: plan.config.retrieval.lexicon.mapping,
        regularisation=lambda wildcards: plan.config.retrieval.lexicon.regularisation,
        similarity=lambda wildcards: plan.config.retrieval.lexicon.similarity,
        neighbours=lambda wildcards: plan.config.retrieval.lexicon.neighbours,
        k=lambda wildcards: plan.config.retrieval.lexicon.k,
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.retrieval.induce_lexicon \
            --source-vectors {input.source_vectors:q} \
            --target-vectors {input.target_vectors:q} \
            --items {input.items_json:q} \
            --mapping {params.mapping:q} \
            --regularisation {params.regularisation:q} \
            --retrieval {params.similarity:q} \
            --neighbours {params.neighbours:q} \
            --k {params.k:q} \
            --threads {threads} \
            --output {output.ranks:q}
        """
