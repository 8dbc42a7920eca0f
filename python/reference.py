"""Prints the reference of the package as Markdown, from its docstrings: docs/python_reference.md.

    python -P python/reference.py > docs/python_reference.md    # -P: the installed package, not the sources
"""

import inspect

import fisherman


def entry(name, thing, level):
    """A heading, the signature unless it is long, the docstring."""
    out = [f"{'#' * level} `{name}`", ""]
    if inspect.isfunction(thing) and not hasattr(thing, "__wrapped__"):  # the core's say it themselves
        parameters = [p for p in inspect.signature(thing).parameters.values() if p.name != "self"]
        short = ", ".join(str(p) for p in parameters)
        if len(short) < 80:
            out += [f"`{name}({short})`", ""]
    text = inspect.getdoc(thing) or ""
    if text.startswith(name.rsplit(".", 1)[-1] + "("):  # a signature as nanobind spells it
        text = text.partition("\n\n")[2]
    out += ["```text", text, "```", ""] if "----" in text or ">>>" in text else [text, ""]
    return out


def members(cls):
    """Methods and properties of a class, its bases of the package included."""
    for name, value in sorted(inspect.getmembers(cls)):
        theirs = getattr(value, "__module__", "") or ""
        if name.startswith("_") or not (inspect.isfunction(value) or isinstance(value, property)):
            continue
        if theirs.startswith("fisherman"):
            yield name, value


def reference():
    out = [
        "# Reference of the Python package",
        "",
        "Made from the docstrings by `python/reference.py`; a test compares. [python.md](python.md) explains.",
        "",
    ]
    modules = [fisherman, fisherman.vi, fisherman.manifolds, fisherman.testing]
    for module in modules:
        out += entry(module.__name__, module, 2)
        for name in sorted(module.__all__):
            thing = getattr(module, name)
            if inspect.ismodule(thing):
                continue
            out += entry(f"{module.__name__}.{name}", thing, 3)
            if inspect.isclass(thing):
                for method, value in members(thing):
                    out += entry(f"{name}.{method}", value, 4)
    return "\n".join(out).rstrip() + "\n"


if __name__ == "__main__":
    print(reference(), end="")
