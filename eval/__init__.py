"""Scores what cannot be proved: how well a judgement agrees with a labelled set. `python -m eval --dataset NAME`."""
