# Tables: mean, deviation and interval, the published value beside each cell; LaTeX; the scorecard.
# Inputs:  what the kind of a table names: results/scores/... (.tsv and .npz), reports of searches,
#          benchmarks; config/reference/{paper}/{table}.tsv (published values)
# Outputs: results/tables/{table}.{tsv,md,html,tex}, cells/{table}.tsv, scorecard.{tsv,md,html},
#          scores.tsv (all tidy scores), index.html; blocks/{table}.json: what is asked for
TEMPLATES = sorted(map(str, Path("workflow_scripts/tables/templates").iterdir()))


localrules:
    all_tables,
    write_table_block,
    assemble_table,
    assemble_scores,
    assemble_scorecard,
    assemble_index,


# mirror_bert_tables, and so for each paper of the config: its own tables and figures
for paper, files in outputs.papers().items():

    rule:
        name:
            f"{paper.replace('-', '_')}_tables"
        input:
            files,
        localrule: True


# by file, since one argument of a command holds 128 KiB at most
rule write_table_block:
    input:
        "rules/block.json.j2",
    output:
        "<results>/tables/blocks/{table}.json",
    log:
        "<results>/logs/write_table_block/{table}.log",
    params:
        block=lambda wildcards: outputs.block("tables", wildcards.table),
    template_engine:
        "jinja2"


rule assemble_table:
    input:
        lambda wildcards: outputs.files("tables", wildcards.table),
        sources=lambda wildcards: sources(
            "tables.assemble_table", outputs.module("tables", wildcards.table)
        ),
        templates=TEMPLATES,
        block="<results>/tables/blocks/{table}.json",
    output:
        multiext("<results>/tables/{table}", ".tsv", ".md", ".html", ".tex"),
        cells="<results>/tables/cells/{table}.tsv",
        usage="<results>/benchmarks/assemble_table/{table}.tsv",
    log:
        "<results>/logs/assemble_table/{table}.log",
    wildcard_constraints:
        table=alternatives(outputs.tables),
    conda:
        "../envs/plain.yaml"
    params:
        prefix=lambda wildcards: f"{plan.config.results}/tables/{wildcards.table}",
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.tables.assemble_table \
            --block {input.block:q} \
            --output-prefix {params.prefix:q} \
            --cells {output.cells:q}
        """


rule assemble_scores:
    input:
        plan.cells.all_scores(),
        sources=sources("tables.assemble_scores"),
        block="<results>/tables/blocks/scores.json",
    output:
        scores="<results>/tables/scores.tsv",
        usage="<results>/benchmarks/assemble_scores.tsv",
    log:
        "<results>/logs/assemble_scores.log",
    conda:
        "../envs/plain.yaml"
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.tables.assemble_scores \
            --block {input.block:q} \
            --output {output.scores:q}
        """


rule assemble_scorecard:
    input:
        expand("<results>/tables/cells/{table}.tsv", table=outputs.tables),
        expand("<results>/figures/cells/{figure}.tsv", figure=outputs.figures),
        sources=sources("tables.assemble_scorecard"),
        templates=TEMPLATES,
        block="<results>/tables/blocks/scorecard.json",
    output:
        multiext("<results>/tables/scorecard", ".tsv", ".md", ".html"),
        usage="<results>/benchmarks/assemble_scorecard.tsv",
    log:
        "<results>/logs/assemble_scorecard.log",
    conda:
        "../envs/plain.yaml"
    params:
        prefix=lambda wildcards, output: output[0].removesuffix(".tsv"),
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.tables.assemble_scorecard \
            --block {input.block:q} \
            --output-prefix {params.prefix:q}
        """


rule assemble_index:
    input:
        expand("<results>/tables/{table}.html", table=outputs.tables),
        expand("<results>/tables/cells/{table}.tsv", table=outputs.tables),
        expand("<results>/figures/{figure}.html", figure=outputs.figures),
        expand("<results>/figures/cells/{figure}.tsv", figure=outputs.figures),
        "<results>/tables/scorecard.html",
        "<results>/tables/scores.tsv",
        sources=sources("tables.assemble_index"),
        templates=TEMPLATES,
        block="<results>/tables/blocks/index.json",
    output:
        index="<results>/tables/index.html",
        script="<results>/tables/run.js",
        zip="<results>/tables/results.zip",
        usage="<results>/benchmarks/assemble_index.tsv",
    log:
        "<results>/logs/assemble_index.log",
    conda:
        "../envs/plain.yaml"
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.tables.assemble_index \
            --block {input.block:q} \
            --output {output.index:q} \
            --script {output.script:q} \
            --zip {output.zip:q}
        """
