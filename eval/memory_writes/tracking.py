"""Logs a run to an MLflow store: parameters, figures, and the misses as a file beside them.

Implements specs/capture.md (K-128). Needs the dependency group `mlflow`; MLflow's telemetry is switched off.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from eval.memory_writes.figures import Figures

EXPERIMENT = "memory-writes"
MISSES = "misses.txt"
_SQLITE = "sqlite:///"


def log(uri: str, params: Mapping[str, str], tables: Mapping[str, Figures], misses: str) -> str:
    """Log one run and return its id.

    Args:
        uri: of the store: `sqlite:///FILE`, or any other that MLflow knows.
        params: what was run.
        tables: the figures of the whole set and its parts; a part's stand under its name.
        misses: the text of the file `misses.txt`.

    Raises:
        ValueError: the extra is not installed, or the store could not be used.
    """
    client, error = _client(uri)
    try:
        run = client.create_run(_experiment(client, uri))
        for name, param in params.items():
            client.log_param(run.info.run_id, name, param)
        for name, value in metrics(tables).items():
            client.log_metric(run.info.run_id, name, value)
        client.log_text(run.info.run_id, misses, MISSES)
        client.set_terminated(run.info.run_id)
    except (error, OSError) as problem:
        raise ValueError(f"{uri}: the run could not be logged: {str(problem).splitlines()[0]}") from None
    return str(run.info.run_id)


def metrics(tables: Mapping[str, Figures]) -> dict[str, float]:
    """Return figures under the names that MLflow allows: `precision`, `held-out/recall`, `category none/wrong`."""
    found: dict[str, float] = {}
    for name, figures in tables.items():
        prefix = "" if name == "all" else f"{name}/"
        told = figures.as_json()
        found[f"{prefix}pass"] = float(told.pop("pass"))
        del told["shortfalls"]
        found |= {f"{prefix}{key}": float(value) for key, value in told.pop("counts").items()}
        found |= {f"{prefix}{key}": float(value) for key, value in told.items()}
    return found


def demand() -> None:
    """Look that runs can be logged at all, before anything is measured.

    Raises:
        ValueError: MLflow is not installed; the message says how it is.
    """
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    try:
        import_module("sqlalchemy")  # a database store needs it, and MLflow names it only in a traceback
        import_module("mlflow.tracking")
    except ImportError as missing:
        raise ValueError(
            f"--mlflow needs {missing.name}: pip install --group mlflow, in the checkout"
        ) from None


def _client(uri: str) -> tuple[Any, type[Exception]]:
    demand()
    client, exceptions = import_module("mlflow.tracking"), import_module("mlflow.exceptions")
    error: type[Exception] = exceptions.MlflowException
    try:
        return client.MlflowClient(uri), error
    except error as problem:
        raise ValueError(f"{uri}: MLflow cannot use this store: {str(problem).splitlines()[0]}") from None


def _experiment(client: Any, uri: str) -> str:
    """Return the id of our experiment; artifacts of a SQLite store lie beside it, not in the working folder."""
    if (known := client.get_experiment_by_name(EXPERIMENT)) is not None:
        return str(known.experiment_id)
    place = None
    if uri.startswith(_SQLITE):
        database = Path(uri.removeprefix(_SQLITE)).absolute()
        place = database.with_name(f"{database.stem}-artifacts").as_uri()
    return str(client.create_experiment(EXPERIMENT, artifact_location=place))
