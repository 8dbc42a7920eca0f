"""Prints the reference of the command line as Markdown, from what the program says of itself: cli_reference.py PROGRAM."""

import re
import subprocess
import sys


def helped(program, words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def parts(text):
    """The sentence at the top, the options with their texts, the subcommands, and what stands below."""
    sentence, usage, options, commands, below = "", "", [], [], []
    where = "top"
    for line in text.splitlines():
        if line.startswith("Usage:"):
            usage, where = line[7:], "usage"
        elif line in ("Options:", "Subcommands:"):
            where = line
        elif where == "top":
            sentence += line
        elif not line.startswith(" ") and line and where != "usage":
            where = "below"
        if where == "below":
            below.append(line)
        elif where == "Options:" and re.match(r"  -", line):
            name, _, rest = line.strip().partition("  ")
            options.append([name, rest.strip()])
        elif where == "Options:" and line.startswith("   ") and options:
            glue = "\n" if line.strip().startswith("- ") else " "
            options[-1][1] = (options[-1][1] + glue + line.strip()).strip(" ")
        elif where == "Subcommands:" and line.startswith("  "):
            commands.append(line.split()[0])
    return sentence, usage, options, commands, "\n".join(below).strip()


def escaped(text):
    return re.sub(r"([\\`*_<>|$\[\]])", r"\\\1", text)


def section(program, words):
    sentence, usage, options, commands, below = parts(helped(program, words))
    title = " ".join(["fisherman", *words])
    out = [f"{'##' if len(words) < 2 else '###'} {title}", "", escaped(sentence[:1].upper() + sentence[1:].rstrip(".")) + ".", ""]
    out += ["```text", usage.strip(), "```", ""]
    for name, text in options:
        if name.startswith("-h"):
            continue
        lines = text.split("\n")
        out += [f"`{name}`", f": {escaped(lines[0])}"]
        if lines[1:]:
            out += ["", *[f"  - {escaped(line[2:])}" for line in lines[1:]]]
        out.append("")
    if below:
        out += ["```text", below, "```", ""]
    for command in commands:
        out += section(program, [*words, command])
    return out


if __name__ == "__main__":
    words = [
        "# Reference of the command line",
        "",
        "Made by the program itself, from the table that its options, its messages and Python's keywords come from. "
        "[The command line](cli.md) explains.",
        "",
    ]
    print("\n".join(words + section(sys.argv[1], [])))
