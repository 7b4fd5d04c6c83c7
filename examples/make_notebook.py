"""Executes examples/notebook.ipynb and stores what its cells show: `python examples/make_notebook.py`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).with_name("notebook.ipynb")


def executed() -> nbformat.NotebookNode:
    """The notebook, run from top to bottom in an empty folder."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=None, record_timing=False, resources={"metadata": {"path": folder}})
        client.execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
