"""Makes pages of the gallery's notebooks: gallery_pages.py NOTEBOOK_FOLDER SOURCE_FOLDER. Prints the page that lists them."""

import base64
import json
import sys
from pathlib import Path

notebooks, folder = Path(sys.argv[1]), Path(sys.argv[2]) / "gallery"
folder.mkdir()
names, first = [], []
for path in sorted(notebooks.glob("*.ipynb")):
    out = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        out += [source, ""] if cell["cell_type"] == "markdown" else ["```python", source, "```", ""]
        for k, output in enumerate(cell.get("outputs", [])):
            if "text" in output:
                out += ["```text", "".join(output["text"]).rstrip(), "```", ""]
            else:
                picture = folder / f"{path.stem}-{cell['id']}-{k}.png"
                picture.write_bytes(base64.b64decode(output["data"]["image/png"]))
                out += [f"![What the cell draws]({picture.name})", ""]
    (folder / f"{path.stem}.md").write_text("\n".join(out), encoding="utf-8")
    names.append(path.stem)
print("# Gallery\n\nShort worked examples, each beside what people use today. Each is a script and a notebook in `docs/gallery`, runs in less\n"
      "than a minute, and checks its own result; a test runs them all.\n")
print("\n".join(["```{toctree}", ":maxdepth: 1", "", *(f"gallery/{name}" for name in names), "```"]))
