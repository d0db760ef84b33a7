"""Tuning grid: hyper-parameters of tuning searched on development sets (paper, Table 21)."""
