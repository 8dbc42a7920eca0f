#!/usr/bin/env python3
"""Holds the programs in models/ against posteriordb's reference draws: are they the same models?

    bench/posteriordb/build && bench/posteriordb/check_models.py [POSTERIOR…]

At every reference draw the log density must be finite; at some of them, constraining must undo unconstraining and the
gradient must be that of finite differences. Over all of them Stein's identities must hold, E g = 0 and E (u - E u) g = -1
for each unconstrained parameter u and its derivative g of the log density, up to their standard errors (10,000 draws,
hardly correlated). They fail if a prior, a constant in a sum or a Jacobian is wrong. The library is called through
BridgeStan's C interface, with Python's own library alone.
"""
import csv
import ctypes
import gzip
import json
import math
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "posteriordb"
DATA = ROOT.parent / "shared" / "data" / "posteriordb"
LOOSE = {"lotka_volterra"}  # its solver's tolerance makes the density rough


class Model:
    def __init__(self, library, data):
        self.library = ctypes.CDLL(str(library))
        for name in ("bs_model_construct", "bs_param_names"):
            getattr(self.library, name).restype = ctypes.c_void_p
        self.library.bs_param_names.restype = ctypes.c_char_p
        error = ctypes.c_char_p()
        made = self.library.bs_model_construct(str(data).encode(), ctypes.c_uint(1), ctypes.byref(error))
        if not made:
            raise SystemExit(f"{library}: {error.value.decode()}")
        self.model = ctypes.c_void_p(made)
        self.dimension = self.library.bs_param_unc_num(self.model)
        self.names = self.library.bs_param_names(self.model, True, False).decode().split(",")
        self.parameters = self.library.bs_param_num(self.model, False, False)

    def call(self, name, *arguments):
        error = ctypes.c_char_p()
        if getattr(self.library, name)(self.model, *arguments, ctypes.byref(error)):
            raise ValueError(error.value.decode())

    def unconstrained(self, values):
        out = (ctypes.c_double * self.dimension)()
        self.call("bs_param_unconstrain", (ctypes.c_double * self.parameters)(*values), out)
        return out

    def constrained(self, u):
        out = (ctypes.c_double * len(self.names))()
        self.call("bs_param_constrain", ctypes.c_bool(True), ctypes.c_bool(False), u, out, None)
        return dict(zip(self.names, out))

    def density(self, u):
        value = ctypes.c_double()
        self.call("bs_log_density", ctypes.c_bool(False), ctypes.c_bool(True), u, ctypes.byref(value))
        return value.value

    def gradient(self, u):
        value, gradient = ctypes.c_double(), (ctypes.c_double * self.dimension)()
        self.call("bs_log_density_gradient", ctypes.c_bool(False), ctypes.c_bool(True), u, ctypes.byref(value), gradient)
        return value.value, gradient


def whitened(values, x, f):
    """z of f = chol(K + 1e-10) z, for the process of gp_pois_regr."""
    rows, z = [], []
    for i, x_i in enumerate(x):
        row = []
        for j in range(i + 1):
            k = values["alpha"] ** 2 * math.exp(-0.5 * ((x_i - x[j]) / values["rho"]) ** 2) + 1e-10 * (i == j)
            rest = k - sum(a * b for a, b in zip(row, row if i == j else rows[j]))
            row.append(math.sqrt(rest) if i == j else rest / rows[j][j])
        rows.append(row)
        z.append((f[i] - sum(a * b for a, b in zip(row, z))) / row[i])
    return z


def parameters_of(name, values, model, data):
    """The reference has transformed parameters of two models in place of parameters."""
    if name == "eight_schools_noncentered":
        theta = [values[f"theta.{j}"] for j in range(1, 9)]
        return [(t - values["mu"]) / values["tau"] for t in theta] + [values["mu"], values["tau"]]
    if name == "gp_pois_regr":
        f = [values[f"f.{i}"] for i in range(1, 12)]
        return [values["rho"], values["alpha"], *whitened(values, json.loads(data.read_text())["x"], f)]
    return [values[column] for column in model.names[:model.parameters]]


def finite_difference_error(model, u, gradient):
    """The worst of all parameters, each with the better of two steps: rounding spoils the short one where a density is
    ill-conditioned (gp_pois_regr), and curvature the long one where it is narrow."""
    worst, scale = 0.0, 1 + 0.01 * max(map(abs, gradient))
    for j in range(model.dimension):
        kept, differences = u[j], []
        for relative in (1e-5, 1e-7):
            step = relative * max(abs(kept), 0.1)
            u[j] = kept + step
            above = model.density(u)
            u[j] = kept - step
            below = model.density(u)
            differences.append(abs((above - below) / (2 * step) - gradient[j]))
        u[j] = kept
        worst = max(worst, min(differences) / (abs(gradient[j]) + scale))
    return worst


def standard_errors_off(values, expected):
    n = len(values)
    mean = math.fsum(values) / n
    error = math.sqrt(math.fsum((v - mean) ** 2 for v in values)) / n
    return abs(mean - expected) / error


def check(posterior):
    data = DATA / "data" / f"{posterior['data']}.json"
    model = Model(BUILT / f"{posterior['model']}.so", data)
    with gzip.open(DATA / posterior["draws"], "rt") as file:
        rows = list(csv.reader(file))
    columns = [name.replace("[", ".").replace(",", ".").replace("]", "") for name in rows[0]]
    points, gradients, back, slope, seconds = [], [], 0.0, 0.0, 0.0
    for i, row in enumerate(rows[1:]):
        values = dict(zip(columns, map(float, row)))
        u = model.unconstrained(parameters_of(posterior["model"], values, model, data))
        began = time.process_time()
        density, gradient = model.gradient(u)
        seconds += time.process_time() - began
        if not math.isfinite(density):
            raise ValueError(f"the log density of draw {i + 1} is {density}")
        if i % 1000 == 0:
            again = model.constrained(u)
            back = max(back, *(abs(again[c] - v) / (abs(v) + 1e-3) for c, v in values.items()))
            slope = max(slope, finite_difference_error(model, u, gradient))
        points.append(list(u))
        gradients.append(list(gradient))
    stein = 0.0
    for u, g in zip(zip(*points), zip(*gradients)):
        mean = math.fsum(u) / len(u)
        stein = max(stein, standard_errors_off(g, 0), standard_errors_off([(a - mean) * b for a, b in zip(u, g)], -1))
    well = back < 1e-6 and (slope < 1e-3 or posterior["model"] in LOOSE) and stein < 4.5
    print(f"{posterior['posterior']:45} d {model.dimension:2}  there and back {back:.0e}  gradient {slope:.0e}"
          f"  Stein {stein:.1f} standard errors  {1e6 * seconds / len(points):.0f} us{'' if well else '  WRONG'}", flush=True)
    return well


def main():
    posteriors = json.loads((DATA / "index.json").read_text())
    chosen = [p for p in posteriors if not sys.argv[1:] or p["posterior"] in sys.argv[1:]]
    sys.exit(0 if all([check(posterior) for posterior in chosen]) else 1)


if __name__ == "__main__":
    main()
