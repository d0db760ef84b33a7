"""Rehearsal of training and embedding on a fake CUDA device: what a step would ask of a card.

`make rehearse-gpu` needs no GPU. Steps of the project's own loop run on tensors without content
(torch's FakeTensorMode) whose device is CUDA, and each operator is counted: it is a count of work,
not a measurement of time. docs/reference/gpu-rehearsal.md has the figures and what they leave out.
"""
