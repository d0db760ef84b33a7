# Embedding: one job for each encoder and suite, over the suite's unique strings.
# Inputs:  a tuned encoder (or the untuned model), results/datasets/{suite}/strings.txt
# Outputs: results/embeddings/{model}/{recipe}/{corpus}/seed{seed}/{suite}.npy, float32,
#          one row for each string id, and .json (what made it)


rule embed_suite:
    """Vectors of the strings of a suite by an encoder"""
    input:
        sources=sources("embedding.embed_suite"),
        encoder=lambda wildcards: rule_inputs.files(rule_inputs.encoder(wildcards)),
        strings="<results>/datasets/{suite}/strings.txt",
    output:
        vectors="<results>/embeddings/{model}/{recipe}/{corpus}/seed{seed}/{suite}.npy",
        record="<results>/embeddings/{model}/{recipe}/{corpus}/seed{seed}/{suite}.json",
        usage="<results>/benchmarks/embed_suite/{model}/{recipe}/{corpus}/seed{seed}/{suite}.tsv",
    log:
        "<results>/logs/embed_suite/{model}/{recipe}/{corpus}/seed{seed}/{suite}.log",
    wildcard_constraints:
        model=rule_inputs.neural_models(),
    conda:
        "../envs/torch.yaml"
    threads: plan.config.threads.embedding
    resources:
        gpu=rule_inputs.gpus,
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        encoder=lambda wildcards: rule_inputs.location(rule_inputs.encoder(wildcards)),
        settings=lambda wildcards: rule_inputs.settings(wildcards.recipe),
        device=lambda wildcards: plan.config.device,
    shell:
        r"""
        logged {log:q} {output.usage:q} on_gpu {resources.gpu} \
            python -m workflow_scripts.embedding.embed_suite \
            --model {params.encoder:q} \
            --strings {input.strings:q} \
            --settings {params.settings:q} \
            --threads {threads} \
            --device {params.device:q} \
            --output {output.vectors:q} \
            --record {output.record:q}
        """


# Static word vectors (the paper's fastText rows): looked up, not computed.
rule embed_static:
    """Vectors of the strings of a suite from a file of word vectors"""
    input:
        sources=sources("embedding.embed_static"),
        vectors=lambda wildcards: rule_inputs.static_inputs(wildcards.model),
        strings="<results>/datasets/{suite}/strings.txt",
    output:
        vectors="<results>/embeddings/{model}/{recipe}/{corpus}/seed{seed}/{suite}.npy",
        record="<results>/embeddings/{model}/{recipe}/{corpus}/seed{seed}/{suite}.json",
        usage="<results>/benchmarks/embed_static/{model}/{recipe}/{corpus}/seed{seed}/{suite}.tsv",
    log:
        "<results>/logs/embed_static/{model}/{recipe}/{corpus}/seed{seed}/{suite}.log",
    wildcard_constraints:
        model=alternatives(plan.models.static),
    conda:
        "../envs/plain.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        file=lambda wildcards: plan.models.vectors(wildcards.model),
        oov=lambda wildcards: plan.models.out_of_vocabulary(wildcards.model),
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.embedding.embed_static \
            --vectors {params.file:q} \
            --strings {input.strings:q} \
            --oov {params.oov:q} \
            --output {output.vectors:q} \
            --record {output.record:q}
        """
