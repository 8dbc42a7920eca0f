"""Small good files, and the means to make bad ones of them."""

import gzip
import random
import struct
import zlib


def rows(count=40, columns=3, seed=1):
    """Numbers and a class for each row; the classes overlap."""
    numbers = random.Random(seed)
    out = []
    for _ in range(count):
        x = [round(numbers.gauss(0, 1), 3) for _ in range(columns)]
        out.append((x, "yes" if x[0] + numbers.gauss(0, 1) > 0 else "no"))
    return out


def csv(table, end="\n"):
    width = len(table[0][0])
    lines = [",".join([f"x{j + 1}" for j in range(width)] + ["label"])]
    lines += [",".join([*map(str, x), y]) for x, y in table]
    return end.join(lines) + end


ROWS = rows()
GOOD = csv(ROWS)
LIBSVM = "".join(f"{y} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) + "\n" for x, y in ROWS)
LABELS = "label\n" + "".join(y + "\n" for _, y in ROWS)
UNLABELLED = "".join(line.rsplit(",", 1)[0] + "\n" for line in GOOD.splitlines())


def with_cell(text, line=3):
    """The good table with one cell, the first of a line, replaced."""
    lines = (GOOD.encode() if isinstance(text, bytes) else GOOD).splitlines()
    comma = b"," if isinstance(text, bytes) else ","
    lines[line - 1] = text + comma + lines[line - 1].split(comma, 1)[1]
    return (b"\n" if isinstance(text, bytes) else "\n").join(lines) + (b"\n" if isinstance(text, bytes) else "\n")


def npy(header=None, data=None, version=(1, 0), magic=b"\x93NUMPY", length=None):
    if header is None:
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (40, 3), }"
    if data is None:
        data = b"".join(struct.pack("<3d", *x) for x, _ in ROWS)
    text = header.encode() if isinstance(header, str) else header
    text += b" " * (63 - (len(text) + 10) % 64) + b"\n"
    size = struct.pack("<H" if version[0] == 1 else "<I", len(text) if length is None else length)
    return magic + bytes(version) + size + text + data


def npy_of(descr, shape="(40, 3)", order="False", data=None):
    return npy(f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {shape}, }}", data)


def idx(dimensions=(40, 3), data=None, kind=8, count=None, zeros=b"\0\0"):
    size = 1
    for n in dimensions:
        size *= n
    if data is None:
        data = bytes((i * 37) % 256 for i in range(size))
    count = len(dimensions) if count is None else count
    return zeros + bytes([kind, count]) + b"".join(struct.pack(">I", n) for n in dimensions) + data


IDX_LABELS = idx((40,), bytes(i % 3 for i in range(40)))


def packed(content):
    return gzip.compress(content if isinstance(content, bytes) else content.encode(), mtime=0)


def bomb(part, gigabytes):
    """A small gzip file of many members, each 16 MB of the same bytes."""
    size = 16 << 20
    member = gzip.compress(part * (size // len(part)), 9, mtime=0)
    return member * (gigabytes * (1 << 30) // size)


def checkpoint(body, magic=b"FISHERMN", version=1, checksum=None, size=None):
    """As the program writes them, with a valid sum unless told otherwise."""
    checksum = zlib.crc32(body) if checksum is None else checksum
    return magic + struct.pack("<IIQ", version, checksum, len(body) if size is None else size) + body
