"""Plain text, without a ledger: when two texts say the same, what lasts, which signs mark an instruction or a secret."""
