# Embedding: one job for each encoder and suite, over the unique strings of the data sets of that
# suite that tables and figures show of that encoder.
# Inputs:  a tuned encoder (or the untuned model); results/datasets/{dataset}/strings.txt of these
#          sets, of lexicons source.txt or target.txt
# Outputs: results/embeddings/{model}/{recipe}/{corpus}/seed{seed}/{suite}.npy, float32, a row for
#          each string; .npz, the rows of the strings of each data set; .json, what made them


rule embed_suite:
    """Vectors of the strings of data sets by an encoder"""
    input:
        sources=sources("embedding.embed_suite"),
        encoder=lambda wildcards: rule_inputs.files(rule_inputs.encoder(wildcards)),
        strings=rule_inputs.strings_files,
    output:
        vectors="<results>/embeddings/<encoder>/{suite}.npy",
        index="<results>/embeddings/<encoder>/{suite}.npz",
        record="<results>/embeddings/<encoder>/{suite}.json",
        usage="<results>/benchmarks/embed_suite/<encoder>/{suite}.tsv",
    log:
        "<results>/logs/embed_suite/<encoder>/{suite}.log",
    wildcard_constraints:
        model=rule_inputs.neural_models(),
    conda:
        "../envs/torch.yaml"
    threads: plan.config.threads.embedding
    resources:
        gpu=rule_inputs.gpus,
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: (10 if rule_inputs.gpus else 60) * attempt,
    params:
        datasets=rule_inputs.strings_keys,
        encoder=lambda wildcards: rule_inputs.location(rule_inputs.encoder(wildcards)),
        settings=lambda wildcards: rule_inputs.settings(wildcards.recipe),
        device=lambda wildcards: plan.config.device,
    shell:
        r"""
        logged {log:q} {output.usage:q} on_gpu {resources.gpu} \
            python -m workflow_scripts.embedding.embed_suite \
            --model {params.encoder:q} \
            --datasets {params.datasets:q} \
            --strings {input.strings:q} \
            --settings {params.settings:q} \
            --threads {threads} \
            --device {params.device:q} \
            --output {output.vectors:q} \
            --record {output.record:q}
        """


# Static word vectors (the paper's fastText rows): looked up, not computed.
rule embed_static:
    """Vectors of the strings of data sets from a file of word vectors"""
    input:
        sources=sources("embedding.embed_static"),
        vectors=lambda wildcards: rule_inputs.static_inputs(wildcards.model),
        strings=rule_inputs.strings_files,
    output:
        vectors="<results>/embeddings/<encoder>/{suite}.npy",
        index="<results>/embeddings/<encoder>/{suite}.npz",
        record="<results>/embeddings/<encoder>/{suite}.json",
        usage="<results>/benchmarks/embed_static/<encoder>/{suite}.tsv",
    log:
        "<results>/logs/embed_static/<encoder>/{suite}.log",
    wildcard_constraints:
        model=alternatives(plan.models.static),
    conda:
        "../envs/plain.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        datasets=rule_inputs.strings_keys,
        file=lambda wildcards: plan.models.static[wildcards.model],
        oov=lambda wildcards: plan.typed.models[wildcards.model].oov,
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.embedding.embed_static \
            --vectors {params.file:q} \
            --datasets {params.datasets:q} \
            --strings {input.strings:q} \
            --oov {params.oov:q} \
            --output {output.vectors:q} \
            --record {output.record:q}
        """
