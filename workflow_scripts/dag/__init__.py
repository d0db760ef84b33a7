"""From config to the graph of jobs: validation, canonical blocks, sources of a step, table cells."""
