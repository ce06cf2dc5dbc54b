"""`make sbom`: a list of what the wheel needs that the schema accepts, and that says nothing of the machine."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.test_wheel import PYPROJECT, ROOT
from tests.test_wheel import wheelhouse as wheelhouse  # noqa: PLC0414 - a fixture

pytestmark = [
    pytest.mark.skipif(
        find_spec("cyclonedx_py") is None, reason="cyclonedx-bom is not installed: `make extras` installs it"
    ),
    pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed"),
]


@pytest.fixture(scope="module")
def sbom(wheelhouse: Path) -> str:
    """What the target writes with the packages of this environment, without an index."""
    venv = os.path.relpath(sys.prefix, ROOT)  # make takes no path with a space
    done = subprocess.run(
        [
            *("make", "--no-print-directory", "--old-file", f"{venv}/ready", "sbom", f"EXTRAS_VENV={venv}"),
            *("PIP_NO_INDEX=1", f"PIP_FIND_LINKS={wheelhouse}"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return (ROOT / done.stdout.splitlines()[-1]).read_text("utf-8")


def test_the_schema_accepts_it(sbom: str) -> None:
    """CycloneDX's own; a component without a name is refused."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(sbom) is None
    assert validator.validate_str(sbom.replace('"name": "click"', '"nome": "click"')) is not None


def test_it_names_what_the_wheel_needs(sbom: str) -> None:
    """muniment with its version and licence; each package with the version that is pinned; none that is not needed."""
    content = json.loads(sbom)
    root = content["metadata"]["component"]
    assert (root["name"], root["licenses"][0]["expression"]) == ("muniment", PYPROJECT["project"]["license"])
    assert root["version"] in (ROOT / "muniment.py").read_text("utf-8")
    pins = (ROOT / "constraints.txt").read_text("utf-8").lower().splitlines()
    listed = {each["name"].lower(): each["version"] for each in content["components"]}
    assert {"blake3", "click", "pynacl", "sqlite-utils"} <= listed.keys()
    assert not {"pytest", "mcp", "numpy"} & listed.keys()
    assert [name for name, version in listed.items() if f"{name}=={version}" not in pins] == ["pip"]


def test_it_says_nothing_of_the_machine(sbom: str) -> None:
    """No path, no name of a host, no time."""
    values = re.findall(r'"((?:[^"\\]|\\.)*)"', sbom)
    assert [each for each in values if each.startswith(("/", "file:", "~"))] == []
    for private in (str(ROOT), str(Path.home()), platform.node()):
        assert not re.search(rf"(?<!\w){re.escape(private)}(?!\w)", sbom), private
    assert not re.search(r"20\d\d-\d\d-\d\dT", sbom)
