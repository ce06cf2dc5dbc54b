"""The verbs of memledger anchor, one file each, loaded when it is called."""
