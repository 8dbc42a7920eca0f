"""NumPyro's models: functions with sample statements, and their arguments."""

import numpy as np

from ._model import Model, indexed, installed
from .jax import Batched, double_precision


def numpyro_model(function, arguments, keywords, seed):
    installed("numpyro", "a NumPyro model")
    import jax
    from jax.flatten_util import ravel_pytree
    from numpyro.infer.util import initialize_model

    with double_precision(jax):
        try:
            found = initialize_model(
                jax.random.PRNGKey(seed),
                function,
                model_args=tuple(arguments or ()),
                model_kwargs=dict(keywords or {}),
                dynamic_args=False,
            )
        except RuntimeError as error:
            if "valid initial" not in str(error):
                raise
            raise ValueError(
                "the NumPyro model has no point to start from: a density that is never finite cannot be "
                f"fitted ({error})"
            ) from error
        start = found.param_info.z
        if not start:
            raise ValueError("the NumPyro model has no continuous latent variables")
        flat, unravel = ravel_pytree(start)
        flat = flat.astype(np.float64)
        sites = jax.eval_shape(found.postprocess_fn, start)

    def constrained(draws):
        with double_precision(jax):
            out = jax.jit(jax.vmap(lambda x: found.postprocess_fn(unravel(x))))(draws)
            return {name: np.asarray(out[name]) for name in sorted(sites, key=order)}

    latent = list(start)

    def order(name):
        return (latent.index(name), "") if name in latent else (len(latent), name)

    # ravel_pytree sorts the names of a dict.
    names = [n for name in sorted(start) for n in indexed(name, np.shape(start[name]), 0)]
    density = Batched(jax, lambda x: -found.potential_fn(unravel(x)))
    out = Model(density, len(names), names, variables=constrained, parameters=latent)
    out.checked = False
    return out
