# Data sets: each suite's evaluation sets, read from their raw formats once.
# Inputs:  the raw files of the suite's data sets, in the data root
# Outputs: results/datasets/{suite}/strings.txt (the unique strings to embed; row = string id)
#          results/datasets/{suite}/items.json (pairs, names, mentions and gold by string id)


rule read_suite:
    """The evaluation sets of a suite, read once"""
    input:
        sources=lambda wildcards: sources(
            "datasets.read_suite", *rule_inputs.suite_modules(wildcards.suite)
        ),
        raw=lambda wildcards: rule_inputs.suite_inputs(wildcards.suite),
    output:
        strings="<results>/datasets/{suite}/strings.txt",
        items_json="<results>/datasets/{suite}/items.json",
        usage="<results>/benchmarks/read_suite/{suite}.tsv",
    log:
        "<results>/logs/read_suite/{suite}.log",
    conda:
        "../envs/plain.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 20 * attempt,
    params:
        block=lambda wildcards: rule_inputs.suite_block(wildcards.suite),
        # for no command: of formats/columns.py, which is not a source, what this suite depends on
        declarations=lambda wildcards: rule_inputs.suite_declarations(wildcards.suite),
        root=lambda wildcards: plan.config.data.root,
        corpora=lambda wildcards: f"{plan.config.results}/corpora",
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.datasets.read_suite \
            --suite {wildcards.suite:q} \
            --block {params.block:q} \
            --root {params.root:q} \
            --corpora {params.corpora:q} \
            --strings {output.strings:q} \
            --items {output.items_json:q}
        """
