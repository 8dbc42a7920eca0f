"""NumPyro's models: functions with sample statements, and their arguments."""

import numpy as np

from ._model import Model, indexed, installed
from .jax import Batched, warn_of_single_precision


def numpyro_model(function, arguments, keywords, seed):
    installed("numpyro", "a NumPyro model")
    import jax
    from jax.flatten_util import ravel_pytree
    from numpyro.infer.util import initialize_model

    warn_of_single_precision(jax, 6)
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
    _, unravel = ravel_pytree(start)
    sites = jax.eval_shape(found.postprocess_fn, start)
    constrain = jax.jit(jax.vmap(lambda x: found.postprocess_fn(unravel(x))))

    def constrained(draws):
        out = constrain(draws.astype(number))
        return {name: np.array(out[name]) for name in sorted(sites, key=order)}

    number = np.float64 if jax.config.jax_enable_x64 else np.float32
    latent = list(start)

    def order(name):
        return (latent.index(name), "") if name in latent else (len(latent), name)

    # ravel_pytree sorts the names of a dict.
    names = [n for name in sorted(start) for n in indexed(name, np.shape(start[name]), 0)]
    density = Batched(jax, lambda x: -found.potential_fn(unravel(x)))
    out = Model(density, len(names), names, variables=constrained, parameters=latent)
    out.checked = False
    return out
