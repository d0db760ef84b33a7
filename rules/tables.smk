# Tables: mean, deviation and interval, the published value next to each cell; LaTeX; the scorecard.
# Inputs:  what the kind of a table names: results/scores/... (.tsv and .npz), reports of searches,
#          benchmarks; config/reference/{paper}/{table}.tsv (published values)
# Outputs: results/tables/{table}.{tsv,md,html,tex}, cells/{table}.tsv, scorecard.{tsv,md,html},
#          scores.tsv (all tidy scores), index.html (the first page), run.js (what cells open),
#          results.zip (all of it); blocks/{table}.json: what is asked for


# mirror_bert_tables, and so for each paper of the config: its own tables and figures
for paper, files in outputs.papers().items():

    rule:
        """Target: the tables and figures of one paper"""
        name:
            f"{paper.replace('-', '_')}_tables"
        input:
            files,
        localrule: True


# by file, since one argument of a command holds 128 KiB at most
rule write_table_block:
    """What a table or page is asked for, as a file"""
    input:
        project_file("rules/block.json.j2"),
    output:
        "<results>/tables/blocks/{table}.json",
    log:
        "<results>/logs/write_table_block/{table}.log",
    localrule: True
    params:
        block=lambda wildcards: outputs.block("tables", wildcards.table),
    template_engine:
        "jinja2"


rule assemble_table:
    """A table as tsv, Markdown, HTML and LaTeX"""
    input:
        lambda wildcards: outputs.files("tables", wildcards.table),
        sources=lambda wildcards: sources(
            "tables.assemble_table", outputs.module("tables", wildcards.table)
        ),
        templates=outputs.templates,
        block="<results>/tables/blocks/{table}.json",
    output:
        multiext("<results>/tables/{table}", ".tsv", ".md", ".tex"),
        page=report(
            "<results>/tables/{table}.html",
            category=lambda wildcards: outputs.label("tables", wildcards.table, "paper"),
            subcategory=lambda wildcards: outputs.label("tables", wildcards.table, "task"),
            labels=lambda wildcards: {"shows": outputs.label("tables", wildcards.table, "title")},
            caption="report/table.rst",
        ),
        cells="<results>/tables/cells/{table}.tsv",
        usage="<results>/benchmarks/assemble_table/{table}.tsv",
    log:
        "<results>/logs/assemble_table/{table}.log",
    wildcard_constraints:
        table=alternatives(outputs.tables),
    localrule: True
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
    """All scores of all tables in one file"""
    input:
        plan.cells.all_scores(),
        sources=sources("tables.assemble_scores"),
        block="<results>/tables/blocks/scores.json",
    output:
        scores="<results>/tables/scores.tsv",
        usage="<results>/benchmarks/assemble_scores.tsv",
    log:
        "<results>/logs/assemble_scores.log",
    localrule: True
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
    """How many cells are compared with the papers, and why others are not"""
    input:
        expand("<results>/tables/cells/{table}.tsv", table=outputs.tables),
        expand("<results>/figures/cells/{figure}.tsv", figure=outputs.figures),
        sources=sources("tables.assemble_scorecard"),
        templates=outputs.templates,
        block="<results>/tables/blocks/scorecard.json",
    output:
        multiext("<results>/tables/scorecard", ".tsv", ".md"),
        page=report(
            "<results>/tables/scorecard.html",
            category="All papers",
            labels={"shows": "Scorecard"},
            caption="report/scorecard.rst",
        ),
        usage="<results>/benchmarks/assemble_scorecard.tsv",
    log:
        "<results>/logs/assemble_scorecard.log",
    localrule: True
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


# The page also reads what jobs left next to their outputs (logs, times, cards), as it is then: that
# is not for asking whether the page is to be made again.
rule assemble_index:
    """The first page of the results, and everything as one zip"""
    input:
        expand("<results>/tables/{table}.html", table=outputs.tables),
        expand("<results>/tables/cells/{table}.tsv", table=outputs.tables),
        expand("<results>/figures/{figure}.html", figure=outputs.figures),
        expand("<results>/figures/cells/{figure}.tsv", figure=outputs.figures),
        "<results>/tables/scorecard.html",
        "<results>/tables/scores.tsv",
        sources=sources("tables.assemble_index"),
        templates=outputs.templates,
        block="<results>/tables/blocks/index.json",
    output:
        index="<results>/tables/index.html",
        script="<results>/tables/run.js",
        zip="<results>/tables/results.zip",
        usage="<results>/benchmarks/assemble_index.tsv",
    log:
        "<results>/logs/assemble_index.log",
    localrule: True
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
