"""What an installed `muniment` runs, as pip writes it; `python -m` would load a few modules more."""

import re
import sys

from cli.program import main

if __name__ == "__main__":
    sys.argv[0] = re.sub(r"(-script\.pyw|\.exe)?$", "", sys.argv[0])
    main()
