"""Folders of fits that lack something or do not go with the data, and outputs that would destroy something."""

from judge import Case, File, Folder, Run
from material import GOOD, LABELS, UNLABELLED

DATA = {"data.csv": GOOD}
FIT = ["fit", "logistic", "--data", "data.csv"]


def of_runs():
    new = {"new.csv": UNLABELLED, "data.csv": GOOD}
    run = {**new, "run": Run("logistic")}
    predict = ["predict", "--run", "run", "--out", "p.csv", "--data"]
    yield Case("predict from an empty folder", predict + ["new.csv"], "run", {**new, "run": Folder()})
    yield Case("predict from a file", predict + ["new.csv"], "run", {**new, "run": "x"})
    yield Case("predict without model.json", predict + ["new.csv"], r"model\.json", {**new, "run": Run("logistic", ("model.json",))})
    tables = [
        ("without a column", UNLABELLED.replace("x2", "z", 1), "x2"),
        ("with a missing value", UNLABELLED + "1,,2\n", "line 42"),
        ("with a label that the fit does not know", GOOD + "1,2,3,maybe\n", "maybe"),
        ("with nothing", "", "empty"),
        ("with a header alone", "x1,x2,x3\n", "no row"),
        ("with two columns of one name", UNLABELLED.replace("x2", "x1", 1), "x1"),
    ]
    for kind in ("logistic", "reduced-rank", "flow"):
        for name, content, says in tables:
            files = {"bad.csv": content, "run": Run(kind)}
            yield Case(f"{kind}: predict {name}", predict + ["bad.csv"], rf"bad\.csv.*({says})", files)
    yield Case("predict with labels of another length", predict + ["new.csv", "--labels", "l.csv"], r"l\.csv.*41",
               {**run, "l.csv": LABELS + "yes\n"})  # fmt: skip
    for number in ("1e9", "1e300", "-1e300", "1.7e308"):
        for kind in ("logistic", "reduced-rank", "flow"):  # a number in each cell of the answer, or a sentence
            yield Case(f"{kind}: predict a row of {number}", predict[:-3] + ["--data", "large.csv"],
                       r"large\.csv|sd[^\n]*\n[01][-.e0-9,]+\n|class[^\n]*\n[a-z]+[-.e0-9,]+\n",
                       {"large.csv": f"x1,x2,x3\n{number},0,0\n", "run": Run(kind)}, (0, 1), seconds=5)  # fmt: skip
    report = ["report", "--out", "r.html", "run"]
    for file in ("config.json", "result.json", "model.json"):
        yield Case(f"report without {file}", report, f"run.*{file}", {"run": Run("logistic", (file,))})
        deep = '{"model": "logistic", "a": ' + "[" * 100000 + "]" * 100000 + "}"
        for name, content in (("empty", ""), ("a list", "[]"), ("cut off", '{"model'), ("no members", "{}"), ("deep", deep)):
            files = {"run": Run("logistic", (file,)), f"run/{file}": content}
            codes = (0, 1) if file == "result.json" and name == "no members" else (1,)
            yield Case(f"report with {file}: {name}", report, file, files, codes, r"r\.html")
    for name, content in (("empty", "{}"), ("of another kind", '{"model": "poisson"}'), ("kind as a list", '{"model": []}'),
                          ("sizes", '{"model": "logistic", "names": [], "mean": [1]}'), ("text", "hello"),
                          ("deep", '{"model": ' + "[" * 100000 + "]" * 100000 + "}")):  # fmt: skip
        files = {**new, "run": Run("logistic", ("model.json",)), "run/model.json": content}
        yield Case(f"predict with model.json: {name}", predict + ["new.csv"], r"model\.json", files)
    yield Case("report of one folder twice", report + ["./run"], "twice", {"run": Run("logistic")})
    yield Case("report of two kinds", report + ["other"], "kind", {"run": Run("logistic"), "other": Run("flow")})


def of_outputs():
    """Nothing of the user's is destroyed."""
    mine = {"run": Run("logistic"), "new.csv": UNLABELLED, "mine.csv": "mine\n"}
    yield Case("predict --out on the data", ["predict", "--run", "run", "--data", "new.csv", "--out", "new.csv"], r"new\.csv", mine)
    yield Case("predict --out on a file of the user's", ["predict", "--run", "run", "--data", "new.csv", "--out", "mine.csv"],
               r"mine\.csv.*overwrite", mine)  # fmt: skip
    yield Case("predict --out on a read-only file", ["predict", "--run", "run", "--data", "new.csv", "--out", "kept.csv"],
               r"kept\.csv", {**mine, "kept.csv": File(b"kept\n", 0o444)})  # fmt: skip
    yield Case("predict --out beside a file .tmp of the user's", ["predict", "--run", "run", "--data", "new.csv", "--out", "p.csv"],
               "rows", {**mine, "p.csv.tmp": "mine\n"}, (0,), r"p\.csv")  # fmt: skip
    yield Case("report --out on a file of the user's", ["report", "run", "--out", "mine.csv"], r"mine\.csv.*overwrite", mine)
    yield Case("fit --out on a finished run", [*FIT, "--out", "run"], "run.*(already|overwrite)", {**mine, **DATA})
    others = {f"thesis/{n}": "mine\n" for n in ("model.json", "report.html", "draws.csv", "trace.csv", "checkpoint", "notes")}
    yield Case("fit --out on a folder of other things", [*FIT, "--iterations", "5", "--draws", "5", "--out", "thesis"],
               "thesis", {**DATA, **others})  # fmt: skip
    yield Case("compare --out on a folder of other things", ["compare", "logistic", "--data", "data.csv", "--iterations", "5", "--out", "thesis", "--methods", "ngd"],
               "thesis", {**DATA, **others})  # fmt: skip


def cases(_sanitized=False):
    yield from of_runs()
    yield from of_outputs()
