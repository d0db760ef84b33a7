# Data sets: each is read from its raw format once, into a folder of its own.
# Inputs:  its raw files, in the data root; of some a corpus
# Outputs: results/datasets/{dataset}/strings.txt (the unique strings to embed; row = string id), of
#          a lexicon source.txt and target.txt; results/datasets/{dataset}/items.json (pairs, names,
#          mentions and gold by string id)


rule read_dataset:
    """A data set, read once"""
    input:
        sources=lambda wildcards: sources(
            "datasets.read_dataset", rule_inputs.dataset_module(wildcards.dataset)
        ),
        raw=lambda wildcards: rule_inputs.dataset_inputs(wildcards.dataset),
    output:
        strings="<results>/datasets/{dataset}/strings.txt",
        items_json="<results>/datasets/{dataset}/items.json",
        usage="<results>/benchmarks/read_dataset/{dataset}.tsv",
    log:
        "<results>/logs/read_dataset/{dataset}.log",
    wildcard_constraints:
        dataset=rule_inputs.one_sided(),
    conda:
        "../envs/plain.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 20 * attempt,
    params:
        block=lambda wildcards: rule_inputs.block("datasets", wildcards.dataset),
        root=lambda wildcards: plan.config.data.root,
        corpora=lambda wildcards: f"{plan.config.results}/corpora",
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.datasets.read_dataset \
            --dataset {wildcards.dataset:q} \
            --block {params.block:q} \
            --root {params.root:q} \
            --corpora {params.corpora:q} \
            --strings {output.strings:q} \
            --items {output.items_json:q}
        """


use rule read_dataset as read_lexicon with:
    output:
        strings=multiext("<results>/datasets/{dataset}/", "source.txt", "target.txt"),
        items_json="<results>/datasets/{dataset}/items.json",
        usage="<results>/benchmarks/read_lexicon/{dataset}.tsv",
    log:
        "<results>/logs/read_lexicon/{dataset}.log",
    wildcard_constraints:
        dataset=rule_inputs.lexicons(),
