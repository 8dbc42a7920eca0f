"""Makes the notebooks of the gallery from its scripts, with what they print and draw.

    python docs/gallery/notebooks.py          all of them; needs the package and matplotlib
    python docs/gallery/notebooks.py NAME…    these

A line that begins with "# %%" begins a cell, and "# %% [markdown]" one of text.
"""

import base64
import contextlib
import io
import json
import re
import sys
import warnings
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def scripts():
    return sorted(path for path in FOLDER.glob("*.py") if path != Path(__file__).resolve())


def cells(script):
    """Pairs of a kind and a text."""
    for part in re.split(r"^# %%", script.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        if "[markdown]" in head:
            yield "markdown", "\n".join(line[2:] for line in body.strip().splitlines())
        elif body.strip():
            yield "code", body.strip()


def run(code, scope, count):
    """The cell as a notebook keeps it, run."""
    import matplotlib.pyplot as plt

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "cell", "exec"), scope)
    outputs = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(keepends=True)})
    for number in plt.get_fignums():
        picture = io.BytesIO()
        plt.figure(number).savefig(picture, format="png", dpi=80, bbox_inches="tight", metadata={"Software": None})
        data = {"image/png": base64.b64encode(picture.getvalue()).decode()}
        outputs.append({"output_type": "display_data", "metadata": {}, "data": data})
    plt.close("all")
    return {"cell_type": "code", "execution_count": count, "id": f"cell{count}", "metadata": {}, "outputs": outputs, "source": code.splitlines(keepends=True)}


def notebook(script):
    import matplotlib

    matplotlib.use("Agg")
    scope, made = {"__name__": "__main__"}, []
    for count, (kind, text) in enumerate(cells(script), 1):
        if kind == "code":
            made.append(run(text, scope, count))
        else:
            made.append({"cell_type": "markdown", "id": f"cell{count}", "metadata": {}, "source": text.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


if __name__ == "__main__":
    for script in scripts():
        if not sys.argv[1:] or script.stem in sys.argv[1:]:
            text = json.dumps(notebook(script), indent=1, ensure_ascii=False)
            script.with_suffix(".ipynb").write_text(text + "\n", encoding="utf-8")
            print(script.with_suffix(".ipynb"))
