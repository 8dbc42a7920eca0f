"""PyMC's models, version 5."""

import numpy as np

from ._model import Model, indexed


def pymc_model(model):
    from pymc.logprob.utils import ParameterValueError
    from pymc.util import is_transformed_name

    inputs = model.continuous_value_vars
    discrete = [v.name for v in model.discrete_value_vars]
    if discrete:
        raise ValueError(
            f"the PyMC model has discrete variables ({', '.join(discrete)}), which have no gradient: "
            "marginalise them first"
        )
    if not inputs:
        raise ValueError("the PyMC model has no free variables")
    start = model.initial_point(0)
    shapes = [np.shape(start[v.name]) for v in inputs]
    names = [n for v, shape in zip(inputs, shapes) for n in indexed(v.name, shape, 0)]
    ends = np.cumsum([int(np.prod(shape, dtype=int)) for shape in shapes])
    both = model.logp_dlogp_function(ravel_inputs=True)
    both.set_extra_values({})
    impossible = (ParameterValueError, np.linalg.LinAlgError, FloatingPointError)

    def density(draws):
        values, gradients = np.full(len(draws), -np.inf), np.zeros(np.shape(draws))
        for k, point in enumerate(np.ascontiguousarray(draws)):
            try:
                values[k], gradients[k] = both(point)
            except impossible:
                pass
        return values, gradients

    own = [v for v in model.unobserved_value_vars if not is_transformed_name(v.name)]
    function = model.compile_fn(own, inputs=inputs, point_fn=False, on_unused_input="ignore")

    def constrained(draws):
        rows = []
        for point in np.ascontiguousarray(draws):
            parts = np.split(point, ends[:-1])
            rows.append(function(*(part.reshape(shape) for part, shape in zip(parts, shapes))))
        return {v.name: np.array([row[k] for row in rows]) for k, v in enumerate(own)}

    out = Model(
        density,
        len(names),
        names,
        variables=constrained,
        parameters=[v.name for v in model.free_RVs],
    )
    out.checked = False
    named = {v.name for v in own}
    out.dims = {n: list(d) for n, d in model.named_vars_to_dims.items() if n in named}
    out.coords = {n: list(c) for n, c in model.coords.items() if c is not None}
    return out
