#!/usr/bin/env python3
"""`fisherman fit regression` beside Stan's NUTS and full-rank ADVI, for every likelihood: do they agree, and what do they cost?

    scripts/setup --for stan
    bench/peers/regression_stan.py [LIKELIHOOD…]

For each likelihood a data set of 400 rows (--rows) and 5 columns is simulated. Our side is the command line as it comes.
Stan's are the programs in regression_models/, which state the same model and the same priors a second time.
bench/posteriordb/build compiles them, and stan_peers runs Stan's own algorithms with CmdStan's defaults. Prints two tables in
Markdown, and ends with 1 if a posterior differs by more than its error. Needs NumPy.

Is it the same posterior? With 20,000 draws of our Gaussian q, the mean of log q minus Stan's normalised log density is a
second estimate of our NELBO.

Means and standard deviations are compared with those of four chains of 10,000 draws after 1,000 of warmup. Further
parameters are compared on the log scale, in which they are coordinates of the Gaussian. Two things make a difference.

- Noise of the chains: standard errors by effective sample size, Geyer's initial monotone sequence over all four chains.
  Those of standard deviations are those of the mean of (x - mean)².
- The posterior is not a Gaussian, and the Gaussian of least NELBO does not have its moments. By how much is known from
  importance weights, posterior/q, of the same draws of q: the expectations of (w-1)z and (w-1)z². Where the weights hardly
  vary, this is far more exact than any chain.

So chain minus Gaussian minus the shift by weights, divided by the standard error of all this, is nearly a standard normal,
and the largest of some 140 is expected near 3. Beyond 4 the script fails.

Seconds are of the processor. Ours: the median of three runs of the whole command, with reading the data, Pareto k,
leave-one-out, checks by drawn outcomes and the page; and `seconds` of result.json, by the clock, of the descent alone. NUTS:
one chain of 1,000 draws after 1,000 of warmup, the median of four seeds. ADVI: the median of five seeds; its draws are no part
of its cost. Both without the process' start and without reading the data. ADVI's errors are those of 10,000 draws.
"""

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

for name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{name}_NUM_THREADS"] = "1"

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILT = ROOT / "build" / "posteriordb"
KEPT = ROOT / "build" / "regression_stan"
CLASSES, CHAINS, DRAWS, WEIGHTED = 3, 4, 10_000, 20_000
BETA = np.array([0.5, -0.4, 0.3, 0.2, 0.0])
EXTRA = {"negative-binomial": ["shape"], "gamma": ["shape"], "gaussian": ["sigma"], "student-t": ["sigma", "nu"]}


def outcomes(likelihood, eta, rng):
    n = len(eta)
    if likelihood == "logistic":
        return (rng.uniform(size=n) < 1 / (1 + np.exp(-eta))).astype(int)
    if likelihood == "probit":
        return (rng.normal(size=n) < eta).astype(int)
    if likelihood == "cloglog":
        return (rng.uniform(size=n) < 1 - np.exp(-np.exp(eta))).astype(int)
    if likelihood == "poisson":
        return rng.poisson(np.exp(eta))
    if likelihood == "negative-binomial":
        return rng.poisson(np.exp(1 + eta) * rng.gamma(2.0, size=n) / 2.0)
    if likelihood == "gamma":
        return np.exp(2 + eta) * rng.gamma(3.0, size=n) / 3.0
    if likelihood == "exponential":
        return np.exp(2 + eta) * rng.exponential(size=n)
    if likelihood == "gaussian":
        return 10 + 4 * (eta + rng.normal(size=n))
    if likelihood == "student-t":
        return 10 + 4 * (eta + rng.standard_t(4, size=n))
    utility = np.c_[np.zeros(n), eta, -eta] + rng.gumbel(size=(n, CLASSES))
    return 1 + utility.argmax(axis=1)


LIKELIHOODS = ["logistic", "probit", "cloglog", "poisson", "negative-binomial", "gamma", "exponential", "gaussian",
               "student-t", "multinomial"]


def simulated(likelihood, rows, folder):
    """Writes the data for us, as they are, and for Stan, standardised."""
    rng = np.random.default_rng([17, LIKELIHOODS.index(likelihood)])
    z = rng.normal(size=(rows, len(BETA)))
    y = outcomes(likelihood, 0.2 + z @ BETA, rng)
    X = [0.0, 5.0, -3.0, 100.0, 1.0] + z * [1.0, 2.0, 0.1, 30.0, 1.0]
    with open(folder / "data.csv", "w") as file:
        file.write("x1,x2,x3,x4,x5,y\n")
        for row, outcome in zip(X.tolist(), y.tolist()):
            file.write(",".join(map(repr, row)) + f",{outcome!r}\n")
    data = {"N": rows, "P": len(BETA), "X": ((X - X.mean(0)) / X.std(0)).tolist(), "y": y.tolist()}
    if likelihood == "multinomial":
        data["K"] = CLASSES
    (folder / "data.json").write_text(json.dumps(data))


def stan_names(likelihood):
    """Stan's names of our coordinates, in our order: columns, intercept, further parameters; class by class."""
    columns = range(1, len(BETA) + 1)
    if likelihood == "multinomial":
        return [name for k in range(1, CLASSES) for name in [f"beta.{j}.{k}" for j in columns] + [f"alpha.{k}"]]
    return [f"beta.{j}" for j in columns] + ["alpha"] + EXTRA.get(likelihood, [])


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def our_fit(likelihood, folder, binary):
    seconds, results = [], []
    for _ in range(3):
        began = used()
        subprocess.run([binary, "fit", "regression", "--data", folder / "data.csv", "--label", "y", "--likelihood",
                        likelihood, "--out", folder / "run", "--overwrite", "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        seconds.append(used() - began)
        results.append(json.loads((folder / "run" / "result.json").read_text()))
    result = results[0]
    if result["status"] != "converged":
        sys.exit(f"regression_stan: {likelihood}: {result['sentence']}")
    model = json.loads((folder / "run" / "model.json").read_text())
    mean = np.array(model["mean"])
    return {"mean": mean, "covariance": np.array(model["covariance"]).reshape(len(mean), len(mean)),
            "nelbo": result["objective"], "iterations": result["iterations"], "cpu": np.median(seconds),
            "seconds": np.median([r["seconds"] for r in results])}


def stan_run(likelihood, folder, method, seed, draws=None):
    """What stan_peers says, and the draws in our coordinates."""
    library, file = BUILT / f"{likelihood.replace('-', '_')}.so", folder / f"{method}-{seed}.csv"
    command = [BUILT / "stan_peers", library, folder / "data.json", method, str(seed), file]
    done = subprocess.run(command + ([str(draws)] if draws else []), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"regression_stan: {likelihood}, {method}: {done.stderr.strip()}")
    line = json.loads(done.stdout)
    if line["status"] != "ok":
        if method == "nuts":
            sys.exit(f"regression_stan: {likelihood}, NUTS: {line['status']}")
        return line, None
    with open(file) as opened:
        header = opened.readline().strip().split(",")
    table = np.loadtxt(file, delimiter=",", skiprows=1)
    out = table[:, [header.index(name) for name in stan_names(likelihood)]]
    extra = len(EXTRA.get(likelihood, []))
    out[:, out.shape[1] - extra :] = np.log(out[:, out.shape[1] - extra :])
    return line, out


def effective_size(x):
    """Of the mean of all chains, x being chains × draws: Geyer's initial monotone sequence."""
    chains, n = x.shape
    centred = x - x.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2
    covariance = np.fft.irfft(power, axis=1)[:, :n].mean(axis=0) / n
    variance = covariance[0] + x.mean(axis=1).var(ddof=1)
    rho = 1 - (covariance[0] - covariance) / variance
    pairs = rho[0 : n - n % 2 : 2] + rho[1 : n : 2]
    negative = np.flatnonzero(pairs <= 0)
    pairs = np.minimum.accumulate(pairs[: negative[0]] if len(negative) else pairs)
    return chains * n / max(2 * pairs.sum() - 1, 1 / np.log10(chains * n))


class Reference:
    """Moments of the chains and their standard errors, all in the chains' own standard deviations."""

    def __init__(self, chains):
        all_draws = np.concatenate(chains)
        self.mean, self.sd = all_draws.mean(axis=0), all_draws.std(axis=0, ddof=1)
        z = (np.stack(chains) - self.mean) / self.sd  # chains × draws × parameters
        sizes = [effective_size(z[:, :, j]) for j in range(z.shape[2])]
        of_squares = [effective_size(z[:, :, j] ** 2) for j in range(z.shape[2])]
        self.smallest_size = min(sizes + of_squares)
        self.mean_error = 1 / np.sqrt(sizes)
        self.sd_error = (z**2).std(axis=(0, 1)) / np.sqrt(of_squares) / 2
        self.skewness = (z**3).mean(axis=(0, 1))


class Density:
    """Stan's normalised log density of unconstrained parameters, with the Jacobian."""

    def __init__(self, library, data):
        self.library = ctypes.CDLL(str(library))
        self.library.bs_model_construct.restype = ctypes.c_void_p
        message = ctypes.c_char_p()
        self.model = self.library.bs_model_construct(str(data).encode(), 1, ctypes.byref(message))
        if not self.model:
            sys.exit(f"regression_stan: {message.value.decode()}")
        self.library.bs_param_names.restype = ctypes.c_char_p
        names = self.library.bs_param_names(ctypes.c_void_p(self.model), False, False)
        self.names = names.decode().split(",")

    def __call__(self, u):
        value, message = ctypes.c_double(), ctypes.c_char_p()
        u = np.ascontiguousarray(u)
        at = u.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        model = ctypes.c_void_p(self.model)
        if self.library.bs_log_density(model, False, True, at, ctypes.byref(value), ctypes.byref(message)):
            sys.exit(f"regression_stan: {message.value.decode()}")
        return value.value


def weighted(ours, density, names):
    """Our NELBO by Stan's density, and how far the posterior's moments are from our Gaussian's, in its standard deviations;
    each with its standard error."""
    d = len(ours["mean"])
    factor = np.linalg.cholesky(ours["covariance"])
    e = np.random.default_rng(1).normal(size=(WEIGHTED, d))
    x = ours["mean"] + e @ factor.T
    log_q = -0.5 * (e**2).sum(axis=1) - np.log(np.diag(factor)).sum() - 0.5 * d * np.log(2 * np.pi)
    order = [names.index(name) for name in density.names]
    log_ratio = np.array([density(row) for row in x[:, order]]) - log_q
    w = np.exp(log_ratio - log_ratio.max())
    w /= w.mean()
    z = (x - ours["mean"]) / np.sqrt(np.diag(ours["covariance"]))
    root = np.sqrt(WEIGHTED)

    def moment(f):
        terms = (w - 1)[:, None] * (f - f.mean(axis=0))
        return terms.mean(axis=0), terms.std(axis=0) / root

    shift, shift_error = moment(z)
    square, square_error = moment(z**2)
    return {"nelbo": -log_ratio.mean(), "nelbo_error": log_ratio.std() / root, "variation": w.std(), "mean": shift,
            "mean_error": shift_error, "sd": np.sqrt(1 + square - shift**2) - 1, "sd_error": square_error / 2}


def median(values):
    return np.median(values) if values else np.nan  # no run of ADVI may have ended well


def largest(values):
    return np.abs(values).max()


def compared(likelihood, rows, binary):
    folder = KEPT / f"{likelihood}-{rows}"
    folder.mkdir(parents=True, exist_ok=True)
    simulated(likelihood, rows, folder)
    ours = our_fit(likelihood, folder, binary)
    names = stan_names(likelihood)
    short = [stan_run(likelihood, folder, "nuts", seed)[0] for seed in range(1, 5)]
    advi = [stan_run(likelihood, folder, "fullrank", seed) for seed in range(1, 6)]
    chains = [stan_run(likelihood, folder, "nuts", seed, DRAWS)[1] for seed in range(11, 11 + CHAINS)]
    reference = Reference(chains)
    density = Density(BUILT / f"{likelihood.replace('-', '_')}.so", folder / "data.json")
    by_weights = weighted(ours, density, names)

    sd = np.sqrt(np.diag(ours["covariance"]))
    mean_gap, sd_gap = (ours["mean"] - reference.mean) / reference.sd, sd / reference.sd - 1
    mean_z = (mean_gap + by_weights["mean"]) / np.hypot(reference.mean_error, by_weights["mean_error"])
    sd_z = (sd_gap + by_weights["sd"]) / np.hypot(reference.sd_error, by_weights["sd_error"])
    nelbo_gap = ours["nelbo"] - by_weights["nelbo"]
    well = [(run, draws) for run, draws in advi if draws is not None]
    advi_mean = [largest((draws.mean(axis=0) - reference.mean) / reference.sd) for _, draws in well]
    advi_sd = [largest(draws.std(axis=0, ddof=1) / reference.sd - 1) for _, draws in well]
    line = {
        "likelihood": likelihood, "d": len(names), "ours": ours, "skewness": largest(reference.skewness),
        "mean_gap": largest(mean_gap), "mean_error": largest(reference.mean_error),
        "mean_shift": largest(by_weights["mean"]), "sd_gap": largest(sd_gap), "sd_error": largest(reference.sd_error),
        "sd_shift": largest(by_weights["sd"]), "z": max(largest(mean_z), largest(sd_z)), "nelbo_gap": nelbo_gap,
        "nelbo_error": by_weights["nelbo_error"], "nelbo_z": abs(nelbo_gap) / by_weights["nelbo_error"],
        "advi_ran": len(well), "advi_mean": median(advi_mean), "advi_sd": median(advi_sd),
        "nuts_gradients": np.median([run["gradients"] for run in short]),
        "nuts_cpu": np.median([run["cpu_seconds"] for run in short]),
        "advi_gradients": median([run["gradients"] for run, _ in well]),
        "advi_cpu": median([run["cpu_seconds"] for run, _ in well]),
    }
    worst = names[int(np.argmax(np.maximum(np.abs(mean_z), np.abs(sd_z))))]
    print(f"{likelihood}: largest z {line['z']:.1f} ({worst}), NELBO's {line['nelbo_z']:.1f}, smallest effective size "
          f"{reference.smallest_size:.0f}, weights vary by {by_weights['variation']:.3f}", file=sys.stderr, flush=True)
    return line


def row(*fields):
    print("| " + " | ".join(fields) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("likelihood", nargs="*", help=f"of {', '.join(LIKELIHOODS)} (default: all)")
    parser.add_argument("--rows", type=int, default=400, help="of each data set")
    parser.add_argument("--fisherman", default=ROOT / "build" / "release" / "fisherman", help="the program to compare")
    arguments = parser.parse_args()
    wanted = arguments.likelihood or LIKELIHOODS
    if unknown := set(wanted) - set(LIKELIHOODS):
        parser.error(f"there is no likelihood {', '.join(sorted(unknown))}")
    programs = [HERE / "regression_models" / f"{name.replace('-', '_')}.stan" for name in wanted]
    subprocess.run([ROOT / "bench" / "posteriordb" / "build", *programs], check=True, stdout=sys.stderr)
    lines = [compared(likelihood, arguments.rows, arguments.fisherman) for likelihood in wanted]

    row("likelihood", "d", "mean: difference/sd", "by shape", "chains' error", "sd: ratio − 1", "by shape", "chains' error",
        "largest z", "skewness", "NELBO − Stan's", "ADVI: ran", "mean", "sd")
    row(*["---"] * 14)
    for l in lines:
        row(l["likelihood"], str(l["d"]), f"{l['mean_gap']:.3f}", f"{l['mean_shift']:.3f}", f"{l['mean_error']:.3f}",
            f"{l['sd_gap']:.3f}", f"{l['sd_shift']:.3f}", f"{l['sd_error']:.3f}", f"{l['z']:.1f}", f"{l['skewness']:.2f}",
            f"{l['nelbo_gap']:.4f} ± {l['nelbo_error']:.4f}", f"{l['advi_ran']}/5",
            f"{l['advi_mean']:.2f}", f"{l['advi_sd']:.2f}")
    print()
    row("likelihood", "command, CPU s", "descent, ms", "iterations", "NUTS, gradients", "CPU s", "/ command", "ADVI, gradients",
        "CPU s", "/ command")
    row(*["---"] * 10)
    for l in lines:
        ours = l["ours"]
        row(l["likelihood"], f"{ours['cpu']:.3f}", f"{1000 * ours['seconds']:.1f}", str(ours["iterations"]),
            f"{l['nuts_gradients']:.0f}", f"{l['nuts_cpu']:.3f}", f"{l['nuts_cpu'] / ours['cpu']:.1f}",
            f"{l['advi_gradients']:.0f}", f"{l['advi_cpu']:.3f}", f"{l['advi_cpu'] / ours['cpu']:.1f}")
    beyond = [l["likelihood"] for l in lines if max(l["z"], l["nelbo_z"]) > 4]
    if beyond:
        sys.exit(f"regression_stan: beyond four standard errors: {', '.join(beyond)}")


if __name__ == "__main__":
    main()
