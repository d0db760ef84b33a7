"""From config to the graph of jobs: validation, canonical blocks, sources, table cells."""
