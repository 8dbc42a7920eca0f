"""The examples of the gallery run, hold what they assert, and are what their notebooks show."""

import importlib.util
import json
import time

import pytest

from conftest import ROOT

spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "gallery" / "notebooks.py")
notebooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(notebooks)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("script", notebooks.scripts(), ids=lambda path: path.stem)
def test_example(script):
    pytest.importorskip("matplotlib")
    kept = json.loads(script.with_suffix(".ipynb").read_text(encoding="utf-8"))
    assert [(cell["cell_type"], "".join(cell["source"])) for cell in kept["cells"]] == list(notebooks.cells(script))
    began = time.process_time()
    made = notebooks.notebook(script)
    assert time.process_time() - began < 60
    assert [len(cell.get("outputs", [])) for cell in made["cells"]] == [len(cell.get("outputs", [])) for cell in kept["cells"]]
