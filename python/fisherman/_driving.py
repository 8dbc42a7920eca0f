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


class Driving:
    """How a fit is watched, saved and resumed: the keywords that all fits share."""

    documented = """\
resume : Reached or path, optional
    Go on with a run: the state of a fit with the same data and options, or a checkpoint file.
checkpoint : path, optional
    A file that holds the state of the run, replaced as it goes.
checkpoint_every : float, default=2.0
    Seconds between checkpoints.
progress : bool or callable, default=False
    True: a progress bar (tqdm). A function is called with a dict for each iteration, and the run
    ends where it returns something true."""

    def __init__(self, *, resume=None, checkpoint=None, checkpoint_every=2.0, progress=False):
        if isinstance(resume, (str, os.PathLike)):
            resume = _core.Reached.from_checkpoint(os.fspath(resume))
        if resume is not None and not isinstance(resume, _core.Reached):
            raise TypeError(
                f"resume is a {type(resume).__name__}, but must be the state that a fit reached, or a "
                "checkpoint file"
            )
        self.resume = resume
        self.checkpoint = "" if checkpoint is None else os.fspath(checkpoint)
        self.every = float(checkpoint_every)
        self.progress = progress

    def run(self, core, *arguments, planned):
        """A function of the core, with what it needs to be driven behind its own arguments."""
        with watching(self.progress, planned or None) as callback:
            return core(*arguments, callback, self.resume, self.checkpoint, self.every)


def complain(found, stacklevel=4):
    """What the checks at the start found: raise errors, and warn at the line that called the fit, three calls up."""
    errors, doubts = found
    if errors:
        raise ValueError(" ".join(errors) + " (check=False skips this check.)")
    for said in doubts:
        warnings.warn(
            said + " (check=False skips this check.)", RuntimeWarning, stacklevel=stacklevel
        )


def doubt(sentences):
    """Warn, at the line that called the fit, four calls up, of what a user should know of the result."""
    for said in sentences:
        if said:
            warnings.warn(said[:1].upper() + said[1:] + ".", RuntimeWarning, stacklevel=5)


def report(end, stacklevel=4):
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
    warnings.warn(sentence, ConvergenceWarning, stacklevel=stacklevel)
