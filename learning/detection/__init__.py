"""What is worth remembering, and how memories that already exist are read; it proposes and cannot sign.

Implements specs/import.md (I-1…I-24, I-26…I-28). Imports nothing of ours but `ledger.memory` and `ledger.errors`: a
reader of strangers' files must not be able to reach the chain or the keys.
"""
