"""The verbs of muniment anchor, one file each, loaded when it is called."""
