"""fisherman/_core.pyi is what the module has. To write it anew:

    python -m nanobind.stubgen -m fisherman._core -o python/fisherman/_core.pyi
"""

import ast
import subprocess
import sys

from conftest import ROOT


def signatures(text):
    """Each function and method with its parameters; how stubgen spells types differs with its version."""
    found = {}

    def visit(node, prefix):
        for child in node.body:
            if isinstance(child, ast.ClassDef):
                found[prefix + child.name] = "class"
                visit(child, prefix + child.name + ".")
            elif isinstance(child, ast.FunctionDef):
                a = child.args
                names = [p.arg for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]]
                found[prefix + child.name] = (names, len(a.defaults))

    visit(ast.parse(text), "")
    return found


def test_stubs(tmp_path):
    out = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "fisherman._core", "-o", out], check=True
    )
    written = (ROOT / "python" / "fisherman" / "_core.pyi").read_text()
    assert signatures(out.read_text()) == signatures(written)
    assert len(signatures(written)) > 20
