"""Measurements of muniment against the floor that the machine sets, in the same run.

`python -m benchmarks --help`.
"""
