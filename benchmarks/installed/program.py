"""What an installed `muniment` runs, as pip 26 writes it; uv's script loads the same modules, `python -m` a few more."""

import sys

from cli.program import main

if __name__ == "__main__":
    sys.argv[0] = sys.argv[0].removesuffix(".exe")
    main()
