"""Functions of PyTorch: the log density of one point, differentiated and called for many points."""

import numpy as np

from ._model import Model, installed


class Batched:
    """Values and gradients at draws, by a function of one point; all at once where PyTorch can do that."""

    def __init__(self, torch, function):
        self.torch, self.function = torch, function
        self.at_once = torch.func.vmap(torch.func.grad_and_value(function))
        self.can = True

    def __call__(self, draws):
        points = self.torch.tensor(draws, dtype=self.torch.float64)
        if self.can:
            try:
                gradients, values = self.at_once(points)
                return numbers(values), numbers(gradients)
            except RuntimeError:  # control flow that depends on values, say
                self.can = False
        return self.one_by_one(points)

    def one_by_one(self, points):
        values, gradients = np.empty(len(points)), np.empty(tuple(points.shape))
        for k, point in enumerate(points):
            x = point.clone().requires_grad_(True)
            value = self.function(x)
            (gradient,) = self.torch.autograd.grad(value, x)
            values[k], gradients[k] = float(value.detach()), gradient.numpy()
        return values, gradients


def numbers(tensor):
    return np.ascontiguousarray(tensor.detach().cpu().numpy(), dtype=np.float64)


def torch_function(function, dim, names):
    torch = installed("torch", "backend='torch'")
    found = function(torch.zeros(dim, dtype=torch.float64))
    if not isinstance(found, torch.Tensor) or found.shape != ():
        what = f"shape {tuple(found.shape)}" if hasattr(found, "shape") else f"a {type(found).__name__}"
        raise ValueError(
            f"the PyTorch function gives {what} for a point of shape ({dim},), but must give one number, "
            "the log density"
        )
    return Model(Batched(torch, function), dim, names)
