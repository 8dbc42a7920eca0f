"""Models of the Python package bridgestan, by their own methods."""

import numpy as np

from ._model import Model
from .stan import heads, shaped


def with_brackets(name):
    """beta.2.1 as people write it, beta[2,1]; parts of tuples are left as they are."""
    head, *at = name.split(".")
    return f"{head}[{','.join(at)}]" if at and all(i.isdigit() for i in at) else name


def bridgestan_model(model, seed):
    names = [with_brackets(n) for n in model.param_names(include_tp=True, include_gq=True)]
    parameters = [with_brackets(n) for n in model.param_names()]

    def density(draws):
        values, gradients = np.full(len(draws), -np.inf), np.zeros(np.shape(draws))
        for k, point in enumerate(np.ascontiguousarray(draws)):
            try:
                values[k], gradients[k] = model.log_density_gradient(point, propto=False, jacobian=True)
            except RuntimeError as error:  # Stan rejects the point
                out.reject(str(error))
        return values, gradients

    def constrained(draws):
        rng = model.new_rng(seed)
        rows = [
            model.param_constrain(point, include_tp=True, include_gq=True, rng=rng)
            for point in np.ascontiguousarray(draws)
        ]
        return shaped(names, np.array(rows))

    coordinates = [with_brackets(n) for n in model.param_unc_names()]
    out = BridgeStanModel(
        density,
        model.param_unc_num(),
        coordinates,
        variables=constrained,
        parameters=heads(parameters),
        first=1,
    )
    return out


class BridgeStanModel(Model):
    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.checked = False
        self.rejected, self.said = 0, ""

    def reject(self, words):
        self.rejected += 1
        self.said = self.said or words.strip()

    def complaint(self):
        if not self.rejected:
            return ""
        return (
            f"the density could not be computed at {self.rejected} points, which counted as "
            f"impossible; the first time Stan said: {self.said}"
        )
