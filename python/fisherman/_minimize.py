"""A model of your own, on any manifold."""

from . import _core
from ._driving import complain, report
from ._options import takes_options


class Minimum:
    """What :func:`minimize` found: ``frame``, ``point``, ``objective``, ``status``, ``trace``, ``state``."""

    def __init__(self, end):
        self.frame = end["frame"]
        self.point = self.frame.point
        self.objective = end["objective"]
        self.status = end["status"]
        self.sentence = end["sentence"]
        self.iterations = end["iterations"]
        self.seconds = end["seconds"]
        self.trace = end["trace"]
        self.state = end["state"]

    def __repr__(self):
        return f"<Minimum: {self.status} after {self.iterations} iterations, objective {self.objective:.6g}>"


@takes_options("minimize")
def minimize(start, model, *, check=True, driving, options):
    """Minimise a model's objective on a manifold, by stochastic natural gradient.

    Parameters
    ----------
    start : frame
        Where to start: one of :mod:`fisherman.manifolds`, or an object of your own that is like one.
    model : object
        ``gradient(frame, draws)`` returns an unbiased estimate of the gradient in the frame's coordinates,
        usually ``frame.pull(E)`` of a Euclidean gradient E. ``scores(frame, draws)`` returns scores of the model,
        (b, dimension), for methods that learn from them; ``objective(frame)`` the loss itself, for the trace;
        ``fisher(frame)`` the Fisher matrix in coordinates, for ``method="ngd"``. Random numbers come from
        ``draws`` alone, by stream and size: ``draws.normals(0, 10, 3)``. Where a function raises a
        FloatingPointError the run takes a shorter step; any other exception comes out.
    check : bool, default=True
        Compare the gradient with differences of the objective at the start, along a few directions, and look
        at the retraction: a gradient of the wrong sign raises a ValueError, what is less certain is a
        RuntimeWarning. It takes some tens of calls at most, and none where a run is resumed.
    **options
        As follows.

    Returns
    -------
    Minimum
        Ctrl-C ends the run where it is and returns what was reached.
    """
    if check and driving.resume is None:
        complain(_core.check_start(start, model, options.seed))
    end = driving.run(_core.minimize, start, model, options.texts, planned=options.iterations)
    report(end)
    return Minimum(end)
