# Figures: each drawn as PNG, SVG and PDF, with the numbers behind and a note of what was measured.
# Inputs:  what the kind of a figure names: results/scores/... (.tsv, .npz), results/corpora/...,
#          results/datasets/... (items, strings), results/embeddings/...;
#          config/reference/{paper}/{figure}.tsv
# Outputs: results/figures/{figure}.{png,svg,pdf,tsv,md,html}, cells/{figure}.tsv; blocks/{figure}.json: what
#          is asked for


rule write_figure_block:
    """What a figure is asked for, as a file"""
    input:
        project_file("rules/block.json.j2"),
    output:
        "<results>/figures/blocks/{figure}.json",
    log:
        "<results>/logs/write_figure_block/{figure}.log",
    localrule: True
    params:
        block=lambda wildcards: outputs.block("figures", wildcards.figure),
    template_engine:
        "jinja2"


rule draw_figure:
    """A figure with its numbers and a note of what was measured"""
    input:
        lambda wildcards: outputs.files("figures", wildcards.figure),
        sources=lambda wildcards: sources(
            "figures.draw_figure", outputs.module("figures", wildcards.figure)
        ),
        templates=outputs.templates,
        block="<results>/figures/blocks/{figure}.json",
    output:
        multiext("<results>/figures/{figure}", ".svg", ".pdf", ".tsv", ".md", ".html"),
        picture=report(
            "<results>/figures/{figure}.png",
            category=lambda wildcards: outputs.label("figures", wildcards.figure, "paper"),
            subcategory=lambda wildcards: outputs.label("figures", wildcards.figure, "task"),
            labels=lambda wildcards: {
                "shows": outputs.label("figures", wildcards.figure, "title")
            },
            caption="report/figure.rst",
        ),
        cells="<results>/figures/cells/{figure}.tsv",
        usage="<results>/benchmarks/draw_figure/{figure}.tsv",
    log:
        "<results>/logs/draw_figure/{figure}.log",
    wildcard_constraints:
        figure=alternatives(outputs.figures),
    conda:
        "../envs/plain.yaml"
    params:
        prefix=lambda wildcards: f"{plan.config.results}/figures/{wildcards.figure}",
        # of the report
        caption=lambda wildcards: outputs.caption(wildcards.figure),
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.figures.draw_figure \
            --block {input.block:q} \
            --output-prefix {params.prefix:q} \
            --cells {output.cells:q}
        """
