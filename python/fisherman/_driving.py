"""How a fit is driven from Python: watched, resumed, saved, reported."""

import os
import warnings
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning

from . import _core


@contextmanager
def watching(progress, planned=None):
    """The callback for the core: None, the caller's own, or one that moves a tqdm bar."""
    if progress is False or progress is None:
        yield None
        return
    if callable(progress):
        yield progress
        return
    if progress is not True:
        raise TypeError(
            f"progress is a {type(progress).__name__}, but must be True, False or a function"
        )
    from tqdm.auto import tqdm

    with tqdm(total=planned, unit="it", leave=False) as bar:

        def step(record):
            bar.update(record["iteration"] - bar.n)
            if record["objective"] == record["objective"]:
                bar.set_postfix(objective=f"{record['objective']:.6g}", refresh=False)

        yield step


def saving(resume, checkpoint, checkpoint_every):
    """What the core is told: a state to go on from or None, the checkpoint file, seconds between."""
    if isinstance(resume, (str, os.PathLike)):
        resume = _core.Reached.from_checkpoint(os.fspath(resume))
    if resume is not None and not isinstance(resume, _core.Reached):
        raise TypeError(
            f"resume is a {type(resume).__name__}, but must be the state that a fit reached, or a "
            "checkpoint file"
        )
    return resume, "" if checkpoint is None else os.fspath(checkpoint), float(checkpoint_every)


def complain(found):
    """What the checks at the start found: raise errors, and warn at the line that called the fit."""
    errors, doubts = found
    if errors:
        raise ValueError(" ".join(errors) + " (check=False skips this check.)")
    for doubt in doubts:
        warnings.warn(doubt + " (check=False skips this check.)", RuntimeWarning, stacklevel=3)


def report(end):
    """Warn, at the line that called the fit, if a run did not end the way it was asked to."""
    if end["status"] == "interrupted":
        sentence = (
            f"the fit was interrupted after {end['iterations']} iterations; what was reached is kept, "
            "and resume= goes on from it"
        )
    elif not end["as_asked"]:
        sentence = end["sentence"]
    else:
        return
    warnings.warn(sentence, ConvergenceWarning, stacklevel=3)
