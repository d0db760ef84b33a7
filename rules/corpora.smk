# Corpora: text files of raw strings, one a line, that models are tuned on.
# Inputs:  the files that a corpus block names, in the data root, or other corpora
# Outputs: results/corpora/{corpus}.txt and .json (counts, hash, where it came from)


rule sample_corpus:
    """A corpus: strings to tune on, one a line"""
    input:
        sources=lambda wildcards: sources(
            "corpora.sample_corpus", rule_inputs.corpus_module(wildcards.corpus)
        ),
        raw=lambda wildcards: rule_inputs.corpus_inputs(wildcards.corpus),
    output:
        strings="<results>/corpora/{corpus}.txt",
        record="<results>/corpora/{corpus}.json",
        usage="<results>/benchmarks/sample_corpus/{corpus}.tsv",
    log:
        "<results>/logs/sample_corpus/{corpus}.log",
    conda:
        "../envs/plain.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: plan.typed.corpora[wildcards.corpus].mem_mb * attempt,
        runtime=lambda wildcards, attempt: plan.typed.corpora[wildcards.corpus].minutes * attempt,
    params:
        block=lambda wildcards: rule_inputs.block("corpora", wildcards.corpus),
        root=lambda wildcards: rule_inputs.corpus_root(wildcards.corpus),
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.corpora.sample_corpus \
            --block {params.block:q} \
            --root {params.root:q} \
            --output {output.strings:q} \
            --record {output.record:q}
        """


rule all_corpora:
    """Target: every corpus that tables and figures tune on"""
    input:
        expand("<results>/corpora/{corpus}.txt", corpus=rule_inputs.corpora()),
