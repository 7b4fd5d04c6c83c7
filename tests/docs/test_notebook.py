"""The notebook in examples/ runs from top to bottom, and its cells show what is stored with them."""

import runpy

import nbformat
import pytest
from doc_pages import ROOT, matches

SHOWN = ("text/plain", "text/html", "image/svg+xml")
SAME = ("text/plain", "image/svg+xml")  # HTML has measured times in too many places


def outputs_of(notebook):
    """What each code cell shows, by kind; and the text that it prints."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert all(output.output_type in ("execute_result", "stream") for output in cell.outputs), cell.source
            results = [output.data for output in cell.outputs if output.output_type == "execute_result"]
            printed = [{"text/plain": output.text} for output in cell.outputs if output.output_type == "stream"]
            yield cell.source, [*printed, *results]


@pytest.mark.slow
def test_the_notebook_shows_what_is_stored():
    stored = nbformat.read(ROOT / "examples" / "notebook.ipynb", as_version=4)
    again = runpy.run_path(str(ROOT / "examples" / "make_notebook.py"))["executed"]()
    for (source, before), (_, after) in zip(outputs_of(stored), outputs_of(again), strict=True):
        assert [sorted(shown) for shown in before] == [sorted(shown) for shown in after], source
        for old, new in zip(before, after, strict=True):
            assert set(old) <= set(SHOWN), source
            for kind in SAME:
                assert matches(old.get(kind, ""), new.get(kind, "")), f"{source}\n{old[kind]}\n{new[kind]}"


def test_the_notebook_shows_everything_there_is_to_show():
    stored = nbformat.read(ROOT / "examples" / "notebook.ipynb", as_version=4)
    kinds = [kind for _, outputs in outputs_of(stored) for shown in outputs for kind in shown]
    assert kinds.count("text/html") >= 6
    assert "image/svg+xml" in kinds
