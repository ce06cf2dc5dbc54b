"""What is written of conversations, measured against what people said should be: `--dataset memory-writes`.

Implements specs/capture.md (K-120…K-122, K-125). `golden` reads the set, `hearing` lets real ledgers hear it, `accounting`
holds what was written against what was expected, `figures` counts, `report` tells.
"""
