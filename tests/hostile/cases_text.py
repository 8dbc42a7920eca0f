"""Bad tables in text: CSV and LIBSVM, and odd ones that are good."""

from judge import Case, Link
from material import GOOD, LIBSVM, ROWS, csv, packed, with_cell

FIT = ["fit", "logistic", "--iterations", "5", "--out", "out", "--data"]
RANK = {"reduced-rank": ["--rank", "1"]}

# A cell of the first column in line 3, none of which is a finite number.
CELLS = [
    "abc", "", " ", "?", "NA", "NaN", "nan", "-nan", "inf", "-inf", "Infinity", "1e400", "-1e400", "0x10", "0x1p3",
    "2024-03-01", "1/2/2024", "12:30", "N/A", "#N/A", "NULL", "<NA>",
    "1e", "1e+", "e5", ".", "-", "+", "+-1", "++1", "--1", "1.2.3", "1_000", "1 000", "$5", "50%", "null", "None",
    "true", "1d3", "0b1", "1f", "1L", "#REF!", "=1+1", "'1", "\u0661", "\u22121", "\u00bd", "\u221e", "\uff11",
    '"1\n2"', '"1,5"', '""', "1\x00", "\x00", "\x7f", "\x1b[31m1",
]  # fmt: skip
BYTES = [b"\xff", b"1\xff", b"\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"]

TABLES = [
    ("empty", "", "empty"),
    ("one newline", "\n", "empty"),
    ("blank lines", "\n\r\n\n", "empty"),
    ("byte order mark alone", b"\xef\xbb\xbf", "empty"),
    ("header alone", "x1,x2,label\n", "no row"),
    ("header alone, CRLF", "x1,x2,label\r\n", "no row"),
    ("header alone, no end of line", "x1,x2,label", "no row"),
    ("one column", "label\nyes\nno\n", "one column"),
    ("one row", "x1,label\n1,yes\n", "two"),
    ("one class", csv([(x, "yes") for x, _ in ROWS]), "two"),
    ("three classes", csv([(x, "abc"[i % 3]) for i, (x, _) in enumerate(ROWS)]), "two"),
    ("a class for each row", csv([(x, f"c{i}") for i, (x, _) in enumerate(ROWS)]), "two"),
    ("short row", GOOD + "1,2,yes\n", "line 42"),
    ("long row", GOOD + "1,2,3,4,yes\n", "line 42"),
    ("trailing comma", GOOD + "1,2,3,yes,\n", "line 42"),
    ("decimal commas", GOOD + "1,5,2,5,3,5,yes\n", "line 42"),
    ("semicolons and decimal commas", GOOD.replace(",", ";").replace(".", ","), "line 2.*decimal point"),
    ("tabs, short row", GOOD.replace(",", "\t") + "1\t2\tyes\n", "line 42"),
    ("bars", GOOD.replace(",", "|"), "one column|separated"),
    ("two columns of one name", GOOD.replace("x2", "x1", 1), "x1"),
    ("two labels", GOOD.replace("x1", "label", 1), "label"),
    ("header twice", GOOD + GOOD, "line 42"),
    ("column without a name", GOOD.replace("x2", "", 1), "column 2"),
    ("name of spaces", GOOD.replace("x2", '"  "', 1), "column 2"),
    ("name that is not UTF-8", GOOD.encode().replace(b"x2", b"x\xff", 1), "UTF-8"),
    ("no header", GOOD.split("\n", 1)[1], "header"),
    ("no header, numbers only", "".join(f"{x[0]},{x[1]},{y == 'yes':d}\n" for x, y in ROWS), "header"),
    ("quote never closed", GOOD.replace("x2", '"x2', 1), "quote"),
    ("quote never closed, in a row", with_cell('"1'), "quote|line 3"),
    ("text after a quote", with_cell('"1"2'), "quote|line 3"),
    ("quote inside", with_cell('1"2'), "line 3"),
    ("field of two megabytes", with_cell("1" * (2 << 20)), "line 3"),
    ("name of two megabytes", GOOD.replace("x2", "x" * (2 << 20), 1), "line 1|long"),
    ("quoted field of two megabytes", with_cell('"' + "\n" * (2 << 20) + '"'), "line 3"),
    ("semicolons, short row", GOOD.replace(",", ";") + "1;2;yes\n", "line 42"),
    ("semicolons in the header alone", GOOD.replace(",", ";", 3), "line 2"),
    ("commas in the header alone", GOOD.split("\n")[0] + "\n" + GOOD.split("\n", 1)[1].replace(",", ";"), "line 2"),
    ("tabs and a quote never closed", GOOD.replace(",", "\t").replace("x2", '"x2', 1), "quote"),
    ("missing label", GOOD + "1,2,3,\n", "line 42.*label"),
    ("label NA", GOOD + "1,2,3,NA\n", "line 42.*label"),
    ("label ?", GOOD + "1,2,3,?\n", "line 42.*label"),
    ("label that is not UTF-8", GOOD.encode() + b"1,2,3,\xff\n", "line 42.*label"),
    ("UTF-16", b"\xff\xfe" + GOOD.encode("utf-16-le"), ""),
    ("UTF-16, big endian", b"\xfe\xff" + GOOD.encode("utf-16-be"), ""),
    ("UTF-32", GOOD.encode("utf-32"), ""),
    ("zeros", bytes(1000), ""),
    ("random bytes", bytes((i * i * 131 + i * 7) % 251 for i in range(5000)), ""),
    ("PNG", b"\x89PNG\r\n\x1a\n" + bytes(200), ""),
    ("ELF", b"\x7fELF\x02\x01\x01" + bytes(200), ""),
    ("zip, as spreadsheets are", b"PK\x03\x04" + bytes(200), ""),
    ("PDF", "%PDF-1.4\n%\n1 0 obj\n", ""),
    ("JSON", '{"x1": [1, 2], "label": ["a", "b"]}', ""),
    ("HTML, as of a login page", "<!DOCTYPE html>\n<html>\n<body>Log in</body></html>\n", ""),
    ("cut in the middle of a character", GOOD.encode() + "1,2,3,\u00e9".encode()[:-1], "line 42"),
]

# Rows that are as good as the plain ones: the answer must be the same.
LIKE_GOOD = [
    ("byte order mark", "odd.csv", b"\xef\xbb\xbf" + GOOD.encode()),
    ("CRLF", "odd.csv", GOOD.replace("\n", "\r\n")),
    ("CR alone", "odd.csv", GOOD.replace("\n", "\r")),
    ("no end of the last line", "odd.csv", GOOD.rstrip("\n")),
    ("blank lines at the end", "odd.csv", GOOD + "\n\n\n"),
    ("blank lines between", "odd.csv", GOOD.replace("\n", "\n\n")),
    ("all in quotes", "odd.csv", "\n".join(",".join(f'"{c}"' for c in l.split(",")) for l in GOOD.split()) + "\n"),
    ("spaces around", "odd.csv", GOOD.replace(",", " , ")),
    ("tabs around", "odd.csv", GOOD.replace(",", "\t,\t")),
    ("semicolons", "odd.csv", GOOD.replace(",", ";")),
    ("semicolons and a byte order mark", "odd.csv", b"\xef\xbb\xbf" + GOOD.replace(",", ";").encode()),
    ("tabs", "odd.tsv", GOOD.replace(",", "\t")),
    ("tabs, gzip", "odd.tsv.gz", packed(GOOD.replace(",", "\t"))),
    ("tabs, CRLF, another ending", "odd.txt", GOOD.replace(",", "\t").replace("\n", "\r\n")),
    ("another ending", "odd.txt", GOOD),
    ("no ending", "odd", GOOD),
    ("name in capitals", "ODD.CSV", GOOD),
    ("name of 250 bytes", "o" * 246 + ".csv", GOOD),
    ("name with a newline", "o\nd.csv", GOOD),
    ("name with quotes", "o'\"$(x).csv", GOOD),
    ("name with a leading minus in a folder", "-o/-d.csv", GOOD),
    ("link", "odd.csv", Link("plain.csv")),
    ("gzip", "odd.csv.gz", packed(GOOD)),
    ("gzip without its ending", "odd.csv", packed(GOOD)),
    ("gzip of two members", "odd.csv.gz", packed(GOOD[:100]) + packed(GOOD[100:])),
    ("gzip of an empty member first", "odd.csv.gz", packed("") + packed(GOOD)),
    ("gzip with a name and a comment", "odd.csv.gz",
     b"\x1f\x8b\x08\x18" + bytes(6) + b"name\0comment\0" + packed(GOOD)[10:]),
    ("LIBSVM", "odd.libsvm", LIBSVM),
    ("LIBSVM with comments and tabs", "odd.libsvm", "# c\n" + LIBSVM.replace(" ", "\t").replace("\n", " # c\n")),
    ("LIBSVM, CRLF", "odd.libsvm", LIBSVM.replace("\n", "\r\n")),
    ("LIBSVM by its content", "odd.data", LIBSVM),
]  # fmt: skip

# A row after two good ones.
ENTRIES = [
    ("yes 0:1", "1"), ("yes -1:1", "index|count"), ("yes 2:1 1:1", "ascend"), ("yes 1:1 1:1", "ascend"),
    ("yes 1", "index:value"), ("yes 1:", "index 1|missing"), ("yes :1", "index:value"), ("yes 1:abc", "not a number"),
    ("yes 1:nan", ""), ("yes 1:inf", "finite"), ("yes 1:1e400", "range"), ("yes 1:0x10", "not a number"),
    ("yes 1.5:1", "index:value"), ("yes 1e2:1", "index:value"), ("yes 99999999999:1", "index"),
    ("yes 4294967296:1", "index"), ("yes 18446744073709551617:1", "index"), ("yes 4294967295:1", "GiB|memory"),
    ("yes 1:1:1", "not a number"), ("yes 1:1,2:2", "not a number"), ("yes qid:1 1:1", "index:value"),
    ("1:1 2:1", "label"), ("nan 1:1", "label"), ("? 1:1", "label"), ("maybe 1:1", "two"), ("yes,no 1:1", "two"),
    ("yes 1:" + "1" * 1001, "long"), ("yes " + "1" * 1001 + ":1", "long"), ("y" * 1001 + " 1:1", "long"),
    ("yes 1 :1", "index:value"), ("yes 1: 1", ""), ("yes +1:1", "index:value"), ("yes 1:1\0", "not a number"),
]  # fmt: skip

SPARSE = [
    ("empty", b"", "empty"),
    ("comments alone", b"# nothing\n# here\n", "empty"),
    ("no features", b"yes\nno\n", "feature"),
    ("one class", b"yes 1:1\nyes 1:2\n", "two"),
    ("label that is not UTF-8", b"\xff 1:1\nno 1:2\n", "UTF-8"),
    ("zeros", bytes(500), ""),
    ("a table after all", GOOD.encode(), ""),
]


def cases(_sanitized=False):
    for k, cell in enumerate(CELLS):
        files = {"bad.csv": with_cell(cell)}
        yield Case(f"csv cell {cell!r}", FIT + ["bad.csv"], r"bad\.csv, line [34]", files, short=k % 4 == 0)
    for cell in BYTES:
        yield Case(f"csv cell {cell!r}", FIT + ["bad.csv"], r"bad\.csv, line 3", {"bad.csv": with_cell(cell)})
    for name, content, says in TABLES:
        yield Case(f"csv {name}", FIT + ["bad.csv"], rf"bad\.csv.*({says})", {"bad.csv": content})
    plain = ["fit", "logistic", "--iterations", "5", "--json", "--quiet", "--data"]
    for name, file, content in LIKE_GOOD:
        files = {"plain.csv": GOOD, file: content}
        yield Case(f"good: {name}", plain + ["{}/" + file], "objective", files, (0,), same_as=plain + ["plain.csv"])
    for k, (row, says) in enumerate(ENTRIES):
        content = f"no 1:1 3:2\nyes 1:2\n{row}\nno 2:1\n"
        where = r"bad\.libsvm" if says in ("two", "GiB|memory") else r"bad\.libsvm, line 3"
        yield Case(f"libsvm {row[:20]!r}", FIT + ["bad.libsvm"], f"{where}.*({says})", {"bad.libsvm": content},
                   short=k % 2 == 0)  # fmt: skip
    for name, content, says in SPARSE:
        yield Case(f"libsvm {name}", FIT + ["bad.libsvm"], rf"bad\.libsvm.*({says})", {"bad.libsvm": content})
    few = {"bad.libsvm": LIBSVM}
    yield Case("libsvm index beyond --columns", FIT + ["bad.libsvm", "--columns", "2"], r"bad\.libsvm.*column", few)
    yield Case("libsvm with --label", FIT + ["bad.libsvm", "--label", "x"], r"bad\.libsvm.*'x'", few)
    good = {"data.csv": GOOD}
    yield Case("csv --columns", FIT + ["data.csv", "--columns", "7"], r"data\.csv.*7", good)
    yield Case("csv label that is not there", FIT + ["data.csv", "--label", "y"], r"data\.csv.*'y'", good)
    yield Case("csv label in other capitals", FIT + ["data.csv", "--label", "LABEL"], r"data\.csv.*'LABEL'", good)
    large = csv([([s * (-1) ** k * 1.7e308 for s in (1, -1, 1)], y) for k, (_, y) in enumerate(ROWS)])
    for name, content in (("values", large), ("a value", with_cell("1e308")), ("a smaller value", with_cell("-1e160"))):
        for model in ("logistic", "reduced-rank", "flow"):
            command = ["fit", model, *RANK.get(model, []), *FIT[2:], "bad.csv"]
            yield Case(f"{model}: {name} near the largest number", command, "x1", {"bad.csv": content})
    for model in ("reduced-rank", "flow"):
        for name, content, says in TABLES[:4] + TABLES[12:14] + TABLES[17:18]:
            command = ["fit", model, *RANK.get(model, []), *FIT[2:], "bad.csv"]
            yield Case(f"{model}: csv {name}", command, rf"bad\.csv.*({says})", {"bad.csv": content})
