# Downloads: data sets and corpora fetched into the data root, asked for by name or with the target
# fetch_data; no part of all_tables, which takes the files as they are there.
# Inputs:  config/registry.yaml, the servers or the mirror that it names
# Outputs: files below the data root; results/downloads/{name}.json (URLs, hashes, sizes, dates)


# where there is a cluster, its nodes often have no way out
localrules:
    fetch_dataset,
    fetch_data,


rule fetch_dataset:
    input:
        sources=sources("downloads.fetch_dataset"),
        registry="config/registry.yaml",
    output:
        record="results/downloads/{name}.json",
    log:
        "results/logs/fetch_dataset/{name}.log",
    benchmark:
        "results/benchmarks/fetch_dataset/{name}.tsv"
    wildcard_constraints:
        name=r"[a-z0-9]+([-_.][a-z0-9]+)*",
    # the command has retries of its own, and an error of the user's stays one
    retries: 0
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=500,
        runtime=600,
    params:
        root=config["data"]["root"],
        mirror=config.get("downloads", {}).get("mirror", ""),
        offline="--offline" if config.get("downloads", {}).get("offline", False) else "",
    shell:
        "logged {log[0]:q} python -m workflow_scripts.downloads.fetch_dataset --name {wildcards.name:q}"
        " --registry {input.registry:q} --root {params.root:q} --mirror {params.mirror:q}"
        " {params.offline} --record {output.record:q}"


rule fetch_data:
    input:
        lambda wildcards: expand("results/downloads/{name}.json", name=plan.downloads()),
