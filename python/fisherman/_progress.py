"""Who watches a fit from Python."""

from contextlib import contextmanager


@contextmanager
def watching(progress, planned=None):
    """The callback for the core: None, the caller's own, or one that moves a tqdm bar."""
    if progress is False or progress is None:
        yield None
        return
    if callable(progress):
        yield progress
        return
    from tqdm.auto import tqdm

    with tqdm(total=planned, unit="it", leave=False) as bar:

        def step(record):
            bar.update(record["iteration"] - bar.n)
            if record["objective"] == record["objective"]:
                bar.set_postfix(objective=f"{record['objective']:.6g}", refresh=False)

        yield step
