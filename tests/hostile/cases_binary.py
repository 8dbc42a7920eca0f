"""Bad tables in bytes: npy, IDX and gzip, and bad files of labels."""

import struct

from judge import Case, Folder, Link
from material import GOOD, IDX_LABELS, LABELS, LIBSVM, UNLABELLED, bomb, idx, npy, npy_of, packed

FIT = ["fit", "logistic", "--iterations", "5", "--out", "out", "--data"]
RANK = ["fit", "reduced-rank", "--rank", "1", "--iterations", "5", "--out", "out", "--data"]

HEAD = "{'descr': '<f8', 'fortran_order': False, "
ARRAYS = [
    ("wrong magic", npy(magic=b"\x94NUMPY"), "npy"),
    ("version 0", npy(version=(0, 0)), "version"),
    ("version 4", npy(version=(4, 0)), "version"),
    ("version 255", npy(version=(255, 255)), "version"),
    ("version 2 with a length of 4 GB", npy(version=(2, 0), length=0xFFFFFFFF), "header"),
    ("header longer than the file", npy(length=60000), "header"),
    ("header of no length", npy(length=0), "header"),
    ("big endian", npy_of(">f8"), ">f8"),
    ("big endian integers", npy_of(">i4"), ">i4"),
    ("objects", npy_of("|O"), "O"),
    ("complex numbers", npy_of("<c16"), "c16"),
    ("half precision", npy_of("<f2"), "f2"),
    ("text", npy_of("<U5"), "U5"),
    ("bytes", npy_of("|S3"), "S3"),
    ("dates", npy_of("<M8[ns]"), "M8"),
    ("no type", npy_of(""), "type"),
    ("records", npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (40,), }"), "record"),
    ("an expression", npy("__import__('os').system('touch owned')"), "header"),
    ("an expression as shape", npy(HEAD + "'shape': (__import__('os').system('touch owned'),)}"), "shape"),
    ("a formula as shape", npy(HEAD + "'shape': (2**3, 3)}"), "header"),
    ("no descr", npy("{'fortran_order': False, 'shape': (40, 3)}"), "descr"),
    ("no order", npy("{'descr': '<f8', 'shape': (40, 3)}"), "fortran_order"),
    ("no shape", npy("{'descr': '<f8', 'fortran_order': False}"), "shape"),
    ("unknown key", npy(HEAD + "'shape': (40, 3), 'x': 1}"), "'x'"),
    ("empty dictionary", npy("{}"), "descr"),
    ("dictionary without an end", npy(HEAD + "'shape': (40, 3)"), "header"),
    ("string without an end", npy("{'descr"), "header"),
    ("order as a number", npy("{'descr': '<f8', 'fortran_order': 0, 'shape': (40, 3)}"), "header"),
    ("shape as a list", npy(HEAD + "'shape': [40, 3]}"), "header"),
    ("negative shape", npy(HEAD + "'shape': (-40, 3)}"), "shape"),
    ("shape with a fraction", npy(HEAD + "'shape': (40.5, 3)}"), "header"),
    ("no dimension", npy(HEAD + "'shape': ()}"), "dimension"),
    ("three dimensions", npy(HEAD + "'shape': (2, 20, 3)}"), "dimension"),
    ("no rows", npy(HEAD + "'shape': (0, 3)}"), "empty"),
    ("no columns", npy(HEAD + "'shape': (40, 0)}"), "empty"),
    ("shape of 2^63", npy(HEAD + "'shape': (9223372036854775808, 3)}"), "claims|memory|GiB"),
    ("shape of 2^64", npy(HEAD + "'shape': (18446744073709551616, 3)}"), "shape"),
    ("shape whose product overflows", npy(HEAD + "'shape': (4294967296, 4294967296)}"), "claims|memory|GiB"),
    ("shape whose product wraps to the size", npy(HEAD + "'shape': (6148914691236517245, 3)}"), "claims|memory|GiB"),
    ("more rows than there are", npy(HEAD + "'shape': (41, 3)}"), "claims|ends"),
    ("fewer rows than there are", npy(HEAD + "'shape': (39, 3)}"), "more bytes"),
    ("NaN", npy(data=struct.pack("<120d", *([0.0] * 7 + [float("nan")] + [0.0] * 112))), "row 3, column 2"),
    ("infinity", npy(data=struct.pack("<120d", *([0.0] * 119 + [float("-inf")]))), "row 40, column 3"),
    ("a table in text", GOOD.encode(), "npy"),
]

BYTES = [
    ("wrong first bytes", idx(zeros=b"\0\1"), ""),
    ("integers", idx(kind=0x0C), "type"),
    ("doubles", idx(kind=0x0E), "type"),
    ("type 0", idx(kind=0), "type"),
    ("type 255", idx(kind=255), "type"),
    ("no dimension", idx((), b""), "dimension"),
    ("five dimensions", idx((40, 3, 1, 1, 1)), "dimension"),
    ("255 dimensions", idx(count=255), "dimension"),
    ("no rows", idx((0, 3)), "empty"),
    ("no columns", idx((40, 0)), "empty"),
    ("dimensions that overflow", idx((0xFFFFFFFF,) * 3, b""), "claims"),
    ("four dimensions that overflow to 0", idx((1 << 16,) * 4, b""), "claims"),
    ("more rows than there are", idx((41, 3), bytes(120)), "claims|ends"),
    ("more rows than memory", idx((0xFFFFFFFF, 3), bytes(120)), "claims|memory"),
    ("fewer rows than there are", idx((39, 3), bytes(120)), "more bytes"),
]

WORDS = LABELS.split()[1:]
LABEL_FILES = [
    ("empty", "labels.csv", "", "empty"),
    ("header alone", "labels.csv", "label\n", "no label"),
    ("one too few", "labels.csv", "label\n" + "\n".join(WORDS[:-1]), "39.*40"),
    ("one too many", "labels.csv", LABELS + "yes\n", "41.*40"),
    ("two columns", "labels.csv", "a,b\n" + "yes,no\n" * 40, "one column"),
    ("blank line between", "labels.csv", LABELS.replace("yes\n", "yes\n\n", 1), "line"),
    ("missing label", "labels.csv", LABELS.replace("yes\n", "NA\n", 1), "missing"),
    ("label that is not UTF-8", "labels.csv", LABELS.encode().replace(b"yes\n", b"\xff\n", 1), "UTF-8"),
    ("one class", "labels.csv", LABELS.replace("no\n", "yes\n"), "two"),
    ("three classes", "labels.csv", LABELS.replace("no\n", "maybe\n", 1), "two"),
    ("quote never closed", "labels.csv", LABELS.replace("yes\n", '"yes\n', 1), "quote"),
    ("numbers instead of a header", "labels.csv", "0\n1\n" * 20, "header"),
    ("without a header in a CSV", "labels.csv", "".join(w + "\n" for w in WORDS), "39.*40|header"),
    ("not there", "labels.csv", Link("nowhere"), "opened"),
    ("a folder", "labels.csv", Folder(), "folder"),
    ("npy of two columns", "labels.npy", npy_of("|u1", "(40, 2)", data=bytes(80)), "one column"),
    ("npy of text", "labels.npy", npy_of("<U3", "(40,)", data=bytes(480)), "U3"),
    ("npy cut off", "labels.npy", npy_of("|u1", "(40,)", data=bytes(39)), "claims|ends"),
    ("IDX of pictures", "labels-idx1-ubyte", idx(), "one column"),
    ("IDX cut off", "labels-idx1-ubyte", IDX_LABELS[:-1], "claims|ends"),
    ("gzip cut off", "labels.csv.gz", packed(LABELS)[:-9], "gzip"),
    ("LIBSVM of another length", "labels.libsvm", LIBSVM[: LIBSVM.rindex("\n", 0, -1) + 1], "39.*40"),
]


def cut(content, places):
    """(place, what comes before it) for a number of places, the first and last bytes among them."""
    step = max(1, len(content) // places)
    return [(k, content[:k]) for k in sorted({1, 2, 5, 9, 11, len(content) - 1, *range(step, len(content), step)})]


def cases(_sanitized=False):
    labels = ["--labels", "labels.csv"]
    for name, content, says in ARRAYS:
        files = {"bad.npy": content, "labels.csv": LABELS}
        yield Case(f"npy {name}", FIT + ["bad.npy", *labels], rf"bad\.npy.*({says})", files)
    for k, part in cut(npy(), 16):
        files = {"bad.npy": part, "labels.csv": LABELS}
        yield Case(f"npy cut at {k}", FIT + ["bad.npy", *labels], r"bad\.npy", files, short=k < 12)
    yield Case("npy without labels", FIT + ["bad.npy"], "label", {"bad.npy": npy()})
    yield Case("npy with --label", FIT + ["bad.npy", "--label", "x"], r"bad\.npy.*'x'", {"bad.npy": npy()})
    for order, data in (("False", None), ("True", None)):
        files = {"odd.npy": npy_of("<f8", order=order, data=data), "labels.csv": LABELS}
        yield Case(f"good: npy, Fortran order {order}", FIT[:-3] + ["--data", "odd.npy", *labels, "--json"],
                   "objective", files, (0,))  # fmt: skip

    bytes_labels = ["--labels", "labels-idx1-ubyte"]
    for name, content, says in BYTES:
        files = {"bad-idx3-ubyte": content, "labels-idx1-ubyte": IDX_LABELS}
        yield Case(f"idx {name}", RANK + ["bad-idx3-ubyte", *bytes_labels], f"bad-idx3-ubyte.*({says})", files)
    for k, part in cut(idx(), 10):
        files = {"bad-idx3-ubyte": part, "labels-idx1-ubyte": IDX_LABELS}
        yield Case(f"idx cut at {k}", RANK + ["bad-idx3-ubyte", *bytes_labels], "bad-idx3-ubyte", files, short=k < 12)

    for name, file, content, says in LABEL_FILES:
        files = {"data.csv": UNLABELLED, file: content}
        names = r"labels[^ ]*"
        yield Case(f"labels {name}", FIT + ["data.csv", "--labels", file], f"{names}.*({says})", files)
    many = {"data.csv": "x1,x2\n" + "1,2\n3,5\n" * 501, "labels.csv": "label\n" + "".join(f"c{i}\n" for i in range(1002))}
    yield Case("labels of 1002 classes", RANK + ["data.csv", *labels], r"labels\.csv.*1000", many)
    both = {"data.csv": GOOD, "labels.csv": LABELS}
    yield Case("--label and --labels", FIT + ["data.csv", *labels, "--label", "label"], "--labels?.*--labels?", both)

    good = packed(GOOD)
    for k, part in cut(good, 16):
        yield Case(f"gzip cut at {k}", FIT + ["bad.csv.gz"], r"bad\.csv\.gz", {"bad.csv.gz": part}, short=k < 12)
    for k in (2, 3, 12, 40, len(good) // 2, len(good) - 9, len(good) - 8, len(good) - 4, len(good) - 1):
        damaged = good[:k] + bytes([good[k] ^ 0x41]) + good[k + 1 :]
        yield Case(f"gzip damaged at {k}", FIT + ["bad.csv.gz"], r"bad\.csv\.gz", {"bad.csv.gz": damaged})
    for name, content in (("empty", packed("")), ("twice", packed(good)), ("of zeros", packed(bytes(10**6)))):
        yield Case(f"gzip {name}", FIT + ["bad.csv.gz"], r"bad\.csv\.gz", {"bad.csv.gz": content})
    # Tools differ on what follows the end of the gzip data: it may be ignored or refused, but never be read as rows.
    for name, tail in (("text", b"1,2,3,yes\n"), ("zeros", bytes(100)), ("half a header", good[:5])):
        files = {"odd.csv.gz": good + tail, "plain.csv": GOOD}
        plain = ["fit", "logistic", "--iterations", "5", "--json", "--quiet", "--data"]
        yield Case(f"gzip followed by {name}", plain + ["odd.csv.gz"], r"odd\.csv\.gz|objective", files, (0, 1),
                   same_as=plain + ["plain.csv"])  # fmt: skip

    # Small files that expand without end. Those without a line's end are refused at once, the others when the
    # memory there is would not hold them.
    for name, part in (("commas", b","), ("a,", b"a,"), ("digits", b"1"), ("quotes", b'"'), ("spaces", b" ")):
        yield Case(f"bomb of {name} as CSV", FIT + ["bad.csv.gz"], r"bad\.csv\.gz", {"bad.csv.gz": bomb(part, 10)},
                   seconds=60, short=name == "commas")  # fmt: skip
    for name, part in (("1:1 ", b"1:1 "), ("words", b"a"), ("spaces", b" "), ("hashes", b"#")):
        files = {"bad.libsvm.gz": bomb(part, 10)}
        yield Case(f"bomb of {name} as LIBSVM", FIT + ["bad.libsvm.gz"], r"bad\.libsvm\.gz", files, seconds=60,
                   short=name == "words")  # fmt: skip
    for name, part in (("rows", b"1\n"), ("newlines", b"\n"), ("commas", b",")):
        files = {"data.csv": UNLABELLED, "bad.gz": bomb(part, 10)}
        yield Case(f"bomb of {name} as labels", FIT + ["data.csv", "--labels", "bad.gz"], r"bad\.gz", files, seconds=120,
                   short=False)  # fmt: skip
    files = {"bad.csv.gz": packed("x,label\n") + bomb(b"1,a\n", 10)}
    yield Case("bomb of rows as CSV", FIT + ["bad.csv.gz"], r"bad\.csv\.gz", files, seconds=240, short=False)
