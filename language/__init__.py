"""Functions on plain text, without a ledger: whether two texts say the same, last, or look like an instruction."""
