"""Prints the reference of the C++ library as Markdown: each header's own words, then its classes and functions with theirs, as
Doxygen finds them.

    cpp_reference.py INCLUDE_FOLDER DOXYGEN_XML_FOLDER
"""

import sys
import textwrap
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

LAYERS = {
    "manifold": "Manifolds", "fisher": "Fisher approximations", "model": "Models", "solve": "Solvers",
    "fit": "Kinds of fit", "stan": "Stan", "io": "Files", "core": "Core", "testing": "Laws, for tests of your own",
}
KINDS = ("function", "variable", "enum", "typedef")


def words(header):
    """The comment at the top. Indented lines are a table or an example: set as they are."""
    lines = []
    for line in header.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[3:])
    out, inside = [], False
    for line in lines + [""]:
        table = line.startswith("  ")
        if table != inside and (table or line):
            out += ["", "```text"] if table else ["```", ""]
            inside = table
        out.append(line if table else line.replace("<", "\\<").replace("*", "\\*"))
    return out + (["```"] if inside else [])


def text_of(node):
    return " ".join("".join(node.itertext()).split()) if node is not None else ""


def said(node):
    return " ".join(filter(None, (text_of(node.find("briefdescription")), text_of(node.find("detaileddescription")))))


def template(node):
    inner = [" ".join(filter(None, (text_of(p.find("type")), text_of(p.find("declname"))))) for p in node.findall("templateparamlist/param")]
    return [f"template <{', '.join(inner)}>"] if inner else []


def declared(member):
    """A member as one would declare it."""
    name, kind = member.findtext("name"), member.get("kind")
    if kind == "enum":
        values = ", ".join(value.findtext("name") for value in member.findall("enumvalue"))
        return [f"enum class {name} {{ {values} }};"]
    if kind == "typedef":
        return [f"using {name} = {text_of(member.find('type'))};"]
    type_ = text_of(member.find("type"))
    static = "static " if member.get("static") == "yes" and not type_.startswith("static") else ""
    tail = member.findtext("argsstring") or ""
    if kind == "variable":
        tail = " " + text_of(member.find("initializer")) if member.find("initializer") is not None else ""
    return template(member) + [f"{static}{type_}{' ' if type_ else ''}{name}{tail};"]


def block(members, indent=""):
    out = []
    for member in members:
        comment = said(member)
        out += [f"{indent}{line}" for line in textwrap.wrap(comment, 100, initial_indent="// ", subsequent_indent="// ")]
        out += [f"{indent}{line}" for line in declared(member)]
    return out


def main(include, xml):
    classes, loose = defaultdict(list), defaultdict(list)
    for path in sorted([*xml.glob("class*.xml"), *xml.glob("struct*.xml")]):
        node = ET.parse(path).getroot().find("compounddef")
        name = node.findtext("compoundname")
        if node.get("prot") != "private" and "detail::" not in name and "<" not in name and "@" not in name:
            classes[node.find("location").get("file")].append((name.removeprefix("fisherman::"), node))
    for path in (xml / "namespacefisherman.xml", xml / "namespacefisherman_1_1testing.xml"):
        for member in ET.parse(path).getroot().iter("memberdef") if path.exists() else ():
            if member.get("kind") in KINDS:
                loose[member.find("location").get("file")].append(member)

    out = ["# The C++ library", "", "`#include <fisherman/fisherman.hpp>` includes all of it. A header's own words come first.", ""]
    for layer, title in LAYERS.items():
        out += [f"## {title}", ""]
        for header in sorted((include / layer).glob("*.hpp")):
            name = f"fisherman/{layer}/{header.name}"
            out += [f"### {name}", "", *words(header), ""]
            code = []
            for title_, node in classes[name]:
                members = [m for s in node.findall("sectiondef") if s.get("kind", "").startswith(("public", "user"))
                           for m in s.findall("memberdef") if m.get("kind") in KINDS and not m.findtext("name").startswith("~")]
                code += textwrap.wrap(said(node), 100, initial_indent="// ", subsequent_indent="// ")
                code += template(node) + [f"{node.get('kind')} {title_} {{", *block(members, "  "), "};", ""]
            code += block(loose[name])
            if code:
                out += ["```cpp", *code, "```", ""]
    print("\n".join(out))


main(Path(sys.argv[1]), Path(sys.argv[2]))
