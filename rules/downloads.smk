# Downloads: data sets and corpora fetched into the data root, models of the hub into a folder of
# their own. The target fetch_all brings all that the tables and figures of the config need; jobs
# that read a model of the hub, and with data.fetch those that read data, depend on the records.
# Inputs:  config/registry.yaml, the servers, the hub or the mirror
# Outputs: files below the data root; results/downloads/{name}.json (URLs, hashes, sizes, dates);
#          a folder for each model; results/downloads/models/{model}.json (the same of its files)


# where there is a cluster, its nodes often have no way out
rule fetch_dataset:
    """A data set, fetched and checked against its hash"""
    input:
        sources=sources("downloads.fetch_dataset"),
    output:
        record="<results>/downloads/{name}.json",
        usage="<results>/benchmarks/fetch_dataset/{name}.tsv",
    log:
        "<results>/logs/fetch_dataset/{name}.log",
    wildcard_constraints:
        name=r"[a-z0-9]+([-_.][a-z0-9]+)*",
    # the command has retries of its own, and an error of the user's stays one
    retries: 0
    localrule: True
    conda:
        "../envs/plain.yaml"
    params:
        root=lambda wildcards: plan.config.data.root,
        registry=lambda wildcards, input: project_file("config/registry.yaml"),
        # instead of the registry's file: an edit of another entry is not a reason to fetch again
        entry=lambda wildcards: plan.downloads.entry(wildcards.name),
        # Snakemake does not compare params that are functions of the input: where checked bytes
        # come from is no reason to fetch again, and to run again all that follows
        options=lambda wildcards, input: plan.downloads.options,
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.downloads.fetch_dataset \
            --name {wildcards.name:q} \
            --registry {params.registry:q} \
            --root {params.root:q} \
            {params.options:q} \
            --record {output.record:q}
        """


rule fetch_model:
    """A model of the hub at its pinned commit, fetched and checked"""
    input:
        sources=sources("downloads.fetch_model", "downloads.convert_weights"),
    output:
        record="<results>/downloads/models/{model}.json",
        usage="<results>/benchmarks/fetch_model/{model}.tsv",
    log:
        "<results>/logs/fetch_model/{model}.log",
    wildcard_constraints:
        model=alternatives(plan.models.hub),
    retries: 0
    # weights that are pickled are converted
    localrule: True
    conda:
        "../envs/torch.yaml"
    params:
        model=lambda wildcards: plan.models.hub[wildcards.model].address,
        pinned=lambda wildcards: plan.models.weights_sha256(wildcards.model),
        folder=lambda wildcards: str(plan.downloads.models),
        options=lambda wildcards, input: plan.downloads.options,
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.downloads.fetch_model \
            --model {params.model:q} \
            --folder {params.folder:q} \
            --weights-sha256 {params.pinned:q} \
            {params.options:q} \
            --record {output.record:q}
        """


# A target that says at its end what no program can fetch.
rule fetch_all:
    """Target: all files that the tables and figures of the config need"""
    input:
        sources=sources("downloads.list_gated"),
        data=lambda wildcards: plan.all_required.downloads(),
        models=lambda wildcards: plan.all_required.hub_records(),
        registry=project_file("config/registry.yaml"),
    log:
        "<results>/logs/fetch_all.log",
    benchmark:
        "<results>/benchmarks/fetch_all.tsv"
    localrule: True
    conda:
        "../envs/plain.yaml"
    params:
        root=lambda wildcards: plan.config.data.root,
        gated=lambda wildcards: plan.all_required.gated(),
    shell:
        r"""
        shown {log:q} python -m workflow_scripts.downloads.list_gated \
            --registry {input.registry:q} \
            --root {params.root:q} \
            --names {params.gated:q}
        """


# A target that downloads nothing: what the addresses of all that fetch_all would bring answer. Its
# report is no output, or what it found would be gone where an address fails.
rule check_fetch:
    """Target: what the addresses of fetch_all answer; downloads nothing"""
    input:
        sources=sources("downloads.check_fetch"),
        registry=project_file("config/registry.yaml"),
    log:
        "<results>/logs/check_fetch.log",
    benchmark:
        "<results>/benchmarks/check_fetch.tsv"
    retries: 0
    localrule: True
    conda:
        "../envs/plain.yaml"
    params:
        names=lambda wildcards: plan.all_required.open_sets(),
        models=lambda wildcards: plan.all_required.hub_addresses(),
        confirmed=lambda wildcards: plan.all_required.hub_addresses(confirmed=True),
        report=lambda wildcards: f"{plan.config.results}/check_fetch.txt",
    shell:
        r"""
        shown {log:q} python -m workflow_scripts.downloads.check_fetch \
            --registry {input.registry:q} \
            --names {params.names:q} \
            --models {params.models:q} \
            --confirmed {params.confirmed:q} \
            --report {params.report:q}
        """
