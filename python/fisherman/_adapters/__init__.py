"""Models of other libraries as log densities. Each library has a file here, which imports it when it is used."""

import os

from ._model import Model, installed

__all__ = ["Model", "adapted", "installed"]

BACKENDS = ("numpy", "jax", "torch", "numpyro")


def adapted(model, dim, names, *, data, backend, model_args, model_kwargs, seed):
    """The Model that the user means."""
    kind = kind_of(model, backend, model_args, model_kwargs)
    if data is not None and kind not in ("stan", "cmdstanpy"):
        raise ValueError(f"data is for Stan files, but the model is {words(kind)}")
    if kind != "numpyro" and (model_args or model_kwargs):
        raise ValueError(
            f"model_args and model_kwargs are for NumPyro's models, but the model is {words(kind)}"
        )
    if kind in ("function", "jax", "torch"):
        return of_function(kind, model, dim, names)
    if names is not None:
        raise ValueError(f"names are for functions; {words(kind)} has its own")
    if kind == "numpyro":
        from .numpyro import numpyro_model

        out = numpyro_model(model, model_args, model_kwargs, seed)
    elif kind == "pymc":
        from .pymc import pymc_model

        out = pymc_model(model)
    elif kind == "bridgestan":
        from .bridgestan import bridgestan_model

        out = bridgestan_model(model, seed)
    else:
        from .stan import stan_file_of, stan_model

        out = stan_model(model if kind == "stan" else stan_file_of(model), data, seed)
    if dim is not None and dim != out.dim:
        raise ValueError(f"dim is {dim!r}, but the model has {out.dim} unconstrained parameters")
    return out


def of_function(kind, function, dim, names):
    from .function import function_model, named, positive

    if dim is None:
        raise TypeError("dim is missing: of a function it must be known how many numbers a point has")
    dim = positive(dim)
    names = named(names, dim)
    if kind == "torch":
        from .torch import torch_function

        return torch_function(function, dim, names)
    if kind == "jax":
        from .jax import jax_function

        return jax_function(function, dim, names)
    if is_jitted(function):
        from .jax import jax_function, takes_one_point

        if takes_one_point(function, dim):
            return jax_function(function, dim, names)
    return function_model(function, dim, names)


def kind_of(model, backend, model_args, model_kwargs):
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f"backend is {backend!r}, but must be one of {', '.join(map(repr, BACKENDS))}")
    if isinstance(model, (str, os.PathLike)):
        return "stan"
    for library, name in (("pymc", "Model"), ("bridgestan", "StanModel"), ("cmdstanpy", "CmdStanModel")):
        if is_a(model, library, name):
            return library
    if not callable(model):
        raise TypeError(
            f"the model is a {type(model).__name__}, but must be a function, a Stan file, or a model of "
            "PyMC, NumPyro, BridgeStan or CmdStanPy"
        )
    if backend is None:
        return "numpyro" if model_args or model_kwargs else "function"
    return "function" if backend == "numpy" else backend


def is_a(thing, library, name):
    """Whether it is of a class of a library, which need not be imported for that."""
    return any(c.__name__ == name and c.__module__.split(".")[0] == library for c in type(thing).__mro__)


def is_jitted(function):
    return type(function).__module__.split(".")[0] in ("jax", "jaxlib") and hasattr(function, "lower")


def words(kind):
    return {
        "stan": "a Stan file",
        "cmdstanpy": "a CmdStanPy model",
        "bridgestan": "a BridgeStan model",
        "pymc": "a PyMC model",
        "numpyro": "a NumPyro model",
    }.get(kind, "a function")
