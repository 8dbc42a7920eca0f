"""Bad JSON that a user writes: config files and catalogues of data sets."""

import json

from judge import Case, Run
from material import GOOD

DATA = {"data.csv": GOOD}
FIT = ["fit", "logistic", "--data", "data.csv", "--out", "out"]

# Config files, with what the sentence has to say beside the file's name.
CONFIGS = [
    ("empty", "", "JSON"),
    ("spaces", "  \n", "JSON"),
    ("text", "hello", "JSON"),
    ("a list", "[1, 2]", "JSON"),
    ("a number", "1", "JSON"),
    ("null", "null", "JSON"),
    ("a string", '"seed"', "JSON"),
    ("cut off", '{"seed": 1', "JSON"),
    ("trailing comma", '{"seed": 1,}', "JSON"),
    ("a comment", '{"seed": 1} // mine', "JSON"),
    ("two objects", '{"seed": 1}{"seed": 2}', "JSON"),
    ("single quotes", "{'seed': 1}", "JSON"),
    ("NaN", '{"epsilon": NaN}', "JSON"),
    ("zeros", bytes(100), "JSON"),
    ("not UTF-8", b'{"method": "\xff"}', ""),
    ("key that is not UTF-8", b'{"\xff": 1}', ""),
    ("gzip", b"\x1f\x8b\x08\x00\x00\x00", "JSON"),
    ("unknown option", '{"velocity": 1}', "velocity"),
    ("misspelt option", '{"step-sise": 1}', "step-size"),
    ("option with dashes", '{"--seed": 1}', "--seed"),
    ("empty option", '{"": 1}', "''"),
    ("text for a number", '{"epsilon": "much"}', "epsilon"),
    ("list for a number", '{"epsilon": [1]}', "epsilon"),
    ("object for a number", '{"epsilon": {"a": 1}}', "epsilon"),
    ("null for a number", '{"epsilon": null}', "epsilon"),
    ("true for a number", '{"epsilon": true}', "epsilon"),
    ("number for a flag", '{"no-guard": 1}', "no-guard"),
    ("number for a name", '{"method": 1}', "method"),
    ("fraction for a whole number", '{"seed": 1.5}', "seed"),
    ("number that is too large", '{"epsilon": 1e400}', ""),
    ("whole number that is too large", '{"seed": 99999999999999999999}', "seed"),
    ("rule broken", '{"prior-variance": -1}', "prior-variance"),
    ("name with a NUL", '{"method": "ngd\\u0000"}', "method"),
    ("a lone surrogate", '{"method": "\\ud800"}', ""),
    ("escape codes for the terminal", '{"\\u001b[31mseed": 1}', ""),
    ("list nested 100,000 deep", '{"seed": ' + "[" * 100000 + "]" * 100000 + "}", ""),
    ("list nested a million deep", '{"seed": ' + "[" * 10**6 + "]" * 10**6 + "}", ""),
    ("objects nested 100,000 deep", '{"a":' * 100000 + "1" + "}" * 100000, ""),
    ("nested without an end", '{"seed": ' + "[" * 10**6, ""),
    ("a value of a megabyte", json.dumps({"method": "n" * 10**6}), "method"),
    ("a key of a megabyte", json.dumps({"n" * 10**6: 1}), ""),
]


def of_configs():
    for name, content, says in CONFIGS:
        files = {**DATA, "bad.json": content}
        yield Case(f"config {name}", FIT + ["--config", "bad.json"], rf"bad\.json.*({says})", files)
    files = {**DATA, "run": Run("logistic")}
    yield Case("config of a run, which holds all options", [*FIT[:4], "--json", "--quiet", "--config", "run/config.json"],
               "objective", files, (0,))  # fmt: skip


def of_catalogues():
    """Catalogues of data sets, from which files would be fetched and written."""
    file = {"file": "x.csv", "url": "http://127.0.0.1:1/x.csv", "sha256": "0" * 64}
    files = [
        ("path upwards", {"file": "../x.csv"}, "plain name"), ("absolute path", {"file": "/tmp/x.csv"}, "plain name"),
        ("hidden file", {"file": ".bashrc"}, "plain name"), ("no name", {"file": ""}, "file"), ("name as a list", {"file": []}, "file"),
        ("no address", {"url": "x.csv"}, "url"), ("address of a folder", {"url": "http://x/"}, "url"), ("short sum", {"sha256": "00"}, "sha256"),
        ("sum in capitals", {"sha256": "A" * 64}, "sha256"), ("sum as a number", {"sha256": 0}, "sha256"), ("unknown field", {"run": "rm"}, "'run'"),
        ("unknown conversion", {"make": "sh"}, "make"), ("negative size", {"bytes": -1}, "bytes"), ("huge size", {"bytes": 1e30}, "bytes"),
    ]  # fmt: skip
    sets = [("no sets", {}, "data_sets"), ("no list", {"data_sets": 1}, "data_sets"), ("empty list", {"data_sets": []}, "data_sets"),
            ("a set that is text", {"data_sets": ["x"]}, "object"), ("a set without files", {"data_sets": [{"name": "x", "licence": "y"}]}, "files"),
            ("two sets of one name", {"data_sets": [{"name": "x", "licence": "y", "files": [file]}] * 2}, "name|another")]  # fmt: skip
    sets += [(name, {"data_sets": [{"name": "x", "licence": "y", "files": [{**file, **change}]}]}, says) for name, change, says in files]
    for name, catalogue, says in sets:
        yield Case(f"catalogue: {name}", ["data", "get", "x", "--catalogue", "bad.json"], rf"bad\.json.*({says})",
                   {"bad.json": json.dumps(catalogue)})  # fmt: skip
    good = json.dumps({"data_sets": [{"name": "x", "licence": "y", "files": [file]}]})
    yield Case("catalogue: nobody at the address", ["data", "get", "x", "--catalogue", "c.json"], r"x\.csv", {"c.json": good},
               makes="data")  # fmt: skip


def cases(_sanitized=False):
    yield from of_configs()
    yield from of_catalogues()
