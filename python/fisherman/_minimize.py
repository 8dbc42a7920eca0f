"""A model of your own, on any manifold."""

from . import _core
from ._driving import complain, report, saving, watching
from ._options import filled, options_of, takes_options, texts

_OPTIONS = options_of("minimize")


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


@takes_options(_OPTIONS)
def minimize(
    start,
    model,
    *,
    check=True,
    resume=None,
    checkpoint=None,
    checkpoint_every=2.0,
    progress=False,
    **options,
):
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
    resume, checkpoint, checkpoint_every, progress
        As in the ``fit`` of the estimators.
    **options
        As follows.

    Returns
    -------
    Minimum
        Ctrl-C ends the run where it is and returns what was reached.
    """
    values = filled(_OPTIONS, options)
    if check and resume is None:
        complain(_core.check_start(start, model, values["seed"]))
    with watching(progress, values["iterations"] or None) as callback:
        end = _core.minimize(
            start,
            model,
            texts(_OPTIONS, values),
            callback,
            *saving(resume, checkpoint, checkpoint_every),
        )
    report(end)
    return Minimum(end)
