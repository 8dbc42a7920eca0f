"""Bad options, and command lines that do not go together."""

from judge import Case
from material import GOOD

DATA = {"data.csv": GOOD}
FIT = ["fit", "logistic", "--data", "data.csv", "--out", "out"]
FLOW = ["fit", "flow", "--data", "data.csv", "--out", "out"]
RANK = ["fit", "reduced-rank", "--data", "data.csv", "--rank", "1", "--out", "out"]

NOT_NUMBERS = ["", " ", "abc", "nan", "inf", "-inf", "1e400", "0x10", "1,5", "1.5.", "1 2", "\u0661"]
NOT_WHOLE = ["", "abc", "1.5", "1e3", "nan", "9223372036854775808", "-9223372036854775809", "0x10", "1,000"]

# Of each option: values that are numbers, but break its rule.
RULES = [
    (FIT, "--prior-variance", ["0", "-1", "-0.0"]),
    (FIT, "--batch", ["0", "-1"]),
    (FIT, "--epsilon", ["-1"]),
    (FIT, "--step-size", ["-1", "-1e-300"]),
    (FIT, "--delay", ["-1"]),
    (FIT, "--norm-cap", ["-1"]),
    (FIT, "--tolerance", ["-1"]),
    (FIT, "--kl-radius", ["-2"]),
    (FIT, "--decay", ["-2"]),
    (FIT, "--columns", ["-3"]),
    (FIT, "--checkpoint-every", ["-1"]),
    (FIT, "--iterations", ["-1"]),
    (FIT, "--minibatch", ["-1"]),
    (FIT, "--scores", ["-1"]),
    (FIT, "--eval-every", ["-2"]),
    (FIT, "--threads", ["-1", "100000", "2147483648"]),
    (FIT, "--draws", ["-1"]),
    (FLOW, "--hidden", ["0", "-1"]),
    (FLOW, "--window", ["-1"]),
    (FLOW, "--layers", ["0"]),
    (FLOW, "--minibatch", ["-2"]),
    (RANK, "--holdout", ["-0.1", "1.1"]),
    (RANK, "--starts", ["0", "-1"]),
    (RANK, "--passes", ["-1"]),
    (RANK[:4] + RANK[6:], "--rank", ["0", "-1", "1,0", "1,,2", ",", "1;2", "two", "9"]),
]
NAMES = [
    (FIT, "--geometry", ["flat", "", "AFFINE", "affine "]),
    (FIT, "--method", ["newton", "lbfgs", ""]),
    (FIT, "--estimator", ["best"]),
    (FIT, "--transport", ["bus"]),
    (FIT, "--average", ["yes"]),
    (FLOW, "--family", ["planar"]),
    (FLOW, "--activation", ["softmax"]),
    (FLOW, "--initial", ["random"]),
    (FLOW, "--target", ["poisson"]),
    (RANK, "--fisher", ["diagonal"]),
    (RANK, "--precision", ["half"]),
    (RANK, "--scale", ["log"]),
    (RANK, "--standard-errors", ["maybe"]),
]

# Whole command lines, with what the sentence has to say.
LINES = [
    ("nothing", [], ""),
    ("unknown command", ["fti"], "fti|fit"),
    ("empty command", [""], ""),
    ("fit of nothing", ["fit"], ""),
    ("fit of an unknown model", ["fit", "poisson"], "poisson|logistic"),
    ("unknown option", FIT + ["--speed", "9"], "--speed"),
    ("misspelt option", FIT + ["--iteration", "9"], "--iteration"),
    ("unknown short option", FIT + ["-z"], "-z"),
    ("stray argument", FIT + ["extra"], "extra"),
    ("stray empty argument", FIT + [""], ""),
    ("no data", ["fit", "logistic"], "--data"),
    ("empty data", ["fit", "logistic", "--data", ""], "--data|opened"),
    ("data without a value", ["fit", "logistic", "--data"], "--data"),
    ("data that are not there", ["fit", "logistic", "--data", "nowhere.csv"], r"nowhere\.csv"),
    ("data in a folder that is not there", ["fit", "logistic", "--data", "no/where.csv"], r"no/where\.csv"),
    ("standard input, empty", ["fit", "logistic", "--data", "-"], "standard input: the file is empty"),
    ("labels from standard input", FIT + ["--labels", "-"], "only --data"),
    ("trials from standard input", ["tune", "logistic", "--data", "-", "--iterations", "5", "--out", "out"], "standard input"),
    ("a pattern that no file matches", ["fit", "logistic", "--data", "*.nothing"], r"\*\.nothing: no file has such a name"),
    ("a list with a file that is not there", ["fit", "logistic", "--data", "data.csv,nowhere.csv"], r"nowhere\.csv"),
    ("data given twice", FIT + ["--data", "data.csv"], "--data"),
    ("seed given twice", FIT + ["--seed", "1", "--seed", "2"], "--seed"),
    ("name of 5,000 bytes as data", ["fit", "logistic", "--data", "x" * 5000], "xxx"),
    ("name of 300 bytes as --out", FIT[:-1] + ["x" * 300], "xxx"),
    ("name of 5,000 bytes as --out", FIT[:-1] + ["x/" * 2500], "x/x"),
    ("empty --out", FIT[:-1] + [""], "--out"),
    ("config that is not there", FIT + ["--config", "nowhere.json"], r"nowhere\.json"),
    ("resume without --out", FIT[:-2] + ["--resume"], "--resume|--out"),
    ("resume of nothing", FIT + ["--resume"], "out.*resume"),
    ("resume with --method exact", FIT + ["--resume", "--method", "exact"], "resume"),
    ("draws without --out", FIT[:-2] + ["--draws", "5"], "--draws"),
    ("draws that memory does not hold", FIT + ["--iterations", "5", "--draws", "1000000000000000"], "draws|memory"),
    ("transport of another geometry", FIT + ["--transport", "paper"], "--transport"),
    ("geometry of adam", FIT + ["--method", "adam", "--geometry", "bw"], "--geometry"),
    ("more units than memory", FLOW + ["--hidden", "100000000"], "the fit would take about"),
    ("a flag with a value", FIT + ["--no-guard=maybe"], "no-guard"),
    ("predict alone", ["predict"], "--run|--data"),
    ("predict without data", ["predict", "--run", "x"], "--data"),
    ("predict from nothing", ["predict", "--run", "nowhere", "--data", "data.csv"], "nowhere"),
    ("predict from an empty name", ["predict", "--run", "", "--data", "data.csv"], "--run|model"),
    ("report alone", ["report"], "folders|DIR"),
    ("report of nothing", ["report", "nowhere"], "nowhere"),
    ("report of an empty name", ["report", ""], ""),
    ("compare alone", ["compare"], ""),
    ("compare without methods", ["compare", "logistic", "--data", "data.csv", "--out", "out"], "--methods"),
    ("tune of no iterations", ["tune", "logistic", "--data", "data.csv", "--out", "out", "--iterations", "0"], "--iterations"),
    ("tune without iterations", ["tune", "logistic", "--data", "data.csv", "--out", "out"], "--iterations"),
    ("check of an unknown name", ["check", "torus"], "torus"),
    ("check of a bad size", ["check", "stiefel", "--size", "3,10"], "size|10 of 3"),
    ("check of a negative size", ["check", "stiefel", "--size", "-3,1"], "size|stiefel"),
    ("check of a size too many", ["check", "sphere", "--size", "3,1,2"], "size"),
    ("check of a size that memory does not hold", ["check", "sphere", "--size", "1000000000000"], "size|memory|1000000000000"),
    ("check of no points", ["check", "sphere", "--points", "0"], "points"),
    ("completion of an unknown shell", ["completion", "tcsh"], "tcsh|bash"),
    ("data get of nothing", ["data", "get"], ""),
    ("data get of an unknown set", ["data", "get", "cifar"], "cifar"),
    ("data list of a catalogue that is not there", ["data", "list", "--catalogue", "nowhere"], "nowhere"),
    ("data list of a catalogue that is a table", ["data", "list", "--catalogue", "data.csv"], r"data\.csv"),
    ("reproduce of nothing", ["reproduce"], ""),
    ("reproduce of an unknown figure", ["reproduce", "figure-one"], "figure-one"),
    ("reproduce without its data", ["reproduce", "figure-gaussian", "--quick", "--out", "out", "--data-dir", "no"], "no"),
]

COMPARE = ["compare", "logistic", "--data", "data.csv", "--iterations", "5", "--out", "out", "--methods"]
METHODS = [
    ("", "--methods"), (";", "--methods"), ("newton", "method"), ("ngd speed=1", "speed"), ("ngd step-size=abc", "step-size"),
    ("ngd; ngd", "twice"), ("A: ", "method"), ("ngd =1", "''|option"), ("ngd seed=1", "seed"), ("ngd step-size=", "step-size"),
]  # fmt: skip
TUNE = ["tune", "logistic", "--data", "data.csv", "--iterations", "5", "--out", "out"]
TUNINGS = [
    (["--grid", "speed=1,2"], "speed"), (["--grid", "step-size"], "grid"), (["--grid", "step-size="], "step-size"),
    (["--grid", ";"], "grid"), (["--grid", "step-size=a,b"], "step-size"), (["--grid", "decay=0; decay=1"], "twice"),
    (["--budget", "0"], "--budget"), (["--budget", "-5"], "--budget"), (["--budget", "ten"], "--budget"),
    (["--budget", "10 years"], "--budget"), (["--budget", "1e99"], "--budget"), (["--budget", "nan"], "--budget"),
    (["--random", "0"], "--random"), (["--rounds", "-1"], "--rounds"), (["--seeds", "0"], "--seeds"),
    (["--jobs", "-1"], "--jobs"), (["--jobs", "99999"], "--jobs"),
]  # fmt: skip


def cases(_sanitized=False):
    for base, option, values in RULES:
        for value in values:
            yield Case(f"{option} {value}", base + [option, value], option[2:], DATA)
    for base, option, values in NAMES:
        for value in values:
            yield Case(f"{option} {value!r}", base + [option, value], option[2:], DATA)
    for value in NOT_NUMBERS:
        yield Case(f"--step-size {value!r}", FIT + ["--step-size", value], "step-size", DATA)
    for value in NOT_NUMBERS[2:6]:
        yield Case(f"--checkpoint-every {value!r}", FIT + ["--checkpoint-every", value], "checkpoint-every", DATA)
    for value in NOT_WHOLE:
        yield Case(f"--batch {value!r}", FIT + ["--batch", value], "batch", DATA)
    for value in NOT_WHOLE[:4]:
        yield Case(f"--columns {value!r}", FIT + ["--columns", value], "columns", DATA)
    for name, command, says in LINES:
        yield Case(name, command, says, DATA, seconds=20)
    for methods, says in METHODS:
        yield Case(f"--methods {methods!r}", COMPARE + [methods], says, DATA)
    for words, says in TUNINGS:
        yield Case(f"tune {' '.join(words)}", TUNE + words, says, DATA)
    # Bytes that are no UTF-8, in every place that takes a name: a sentence, or the work is done.
    odd = b"\xff\xfe"
    yield Case("data of a name that is not UTF-8", ["fit", "logistic", "--iterations", "5", "--json", "--data", odd + b".csv"],
               "objective", {odd + b".csv": GOOD}, (0,))  # fmt: skip
    yield Case("data of a name that is not UTF-8, with --out", [*FIT[:2], "--data", odd + b".csv", "--out", "out"],
               "", {odd + b".csv": GOOD}, (0, 1, 3), r"out(/.*)?")  # fmt: skip
    yield Case("--out of a name that is not UTF-8", [*FIT[:4], "--iterations", "5", "--out", odd], "", DATA, (0, 1),
               r"\udcff\udcfe(/.*)?")  # fmt: skip
    yield Case("option that is not UTF-8", FIT + ["--method", odd], "method", DATA)
    yield Case("label that is not UTF-8", FIT + ["--label", odd], "label|column", DATA)
