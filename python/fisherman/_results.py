"""What a posterior can be turned into: a data frame, ArviZ data, a figure, a page of a notebook."""

import html
import textwrap

import numpy as np
from sklearn.utils.validation import check_is_fitted


class Posterior:
    """Mixin. A class says what is in it: ``_labels``, ``_history`` and ``_heading`` give the names, the trace
    and a line of text, ``draws`` gives draws, and ``_moments`` mean and standard deviation. Where there are
    units to choose from, each but the trace and the heading takes ``units``."""

    def _moments(self, **units):
        draws = self.draws(4000, **units)
        return draws.mean(axis=0), draws.std(axis=0)

    def _limits(self, **units):
        low, high = np.quantile(self.draws(4000, **units), [0.05, 0.95], axis=0)
        return low, high

    def _frame(self, **units):
        import pandas

        mean, sd = self._moments(**units)
        low, high = self._limits(**units)
        names = pandas.Index(self._labels(**units), name="name")
        return pandas.DataFrame({"mean": mean, "sd": sd, "q5": low, "q95": high}, index=names)

    def _inference_data(self, count, seed, **units):
        import arviz

        draws = self.draws(count, seed, **units)
        names = self._labels(**units)
        posterior = {"beta": draws[np.newaxis, :, : len(names)]}
        for k, name in enumerate(self._further_labels()):
            posterior[name] = draws[np.newaxis, :, len(names) + k]
        return arviz.from_dict(posterior=posterior, coords={"name": names}, dims={"beta": ["name"]})

    def _further_labels(self):
        """Of what is drawn besides coefficients: the last columns of ``draws``."""
        return []

    def to_dataframe(self):
        """Mean, standard deviation, 5% and 95% quantiles of each coefficient, as a pandas data frame."""
        return self._frame()

    def to_arviz(self, count=1000, seed=None):
        """Draws as ArviZ's InferenceData, one chain, with the names as a coordinate."""
        return self._inference_data(count, seed)

    def plot(self, figure=None):
        """The ELBO over the iterations, and the coefficients with their 90% intervals.

        Returns the matplotlib figure, which may be given.
        """
        import matplotlib.pyplot as plt

        names, (mean, _), (low, high) = self._drawn()
        shown = min(len(names), 40)
        largest = np.sort(np.argsort(-np.abs(mean), kind="stable")[:shown])[::-1]
        if figure is None:
            figure = plt.figure(figsize=(9, max(3, 0.22 * shown)), layout="constrained")
        left, right = figure.subplots(1, 2)
        trace = self._history()
        known = np.isfinite(trace["objective"])
        left.plot(trace["iteration"][known], -trace["objective"][known])
        left.set(xlabel="iteration", ylabel="ELBO (nats)")
        # Above both charts, in lines that fit: letters of this size are some 13 to the inch, on average.
        letters = int(12 * figure.bbox.width / figure.dpi)
        figure.suptitle(textwrap.fill(self._heading(), max(letters, 20)), fontsize="medium")
        at = np.arange(shown)
        right.errorbar(
            mean[largest],
            at,
            xerr=[(mean - low)[largest], (high - mean)[largest]],
            fmt="o",
            markersize=3,
        )
        right.axvline(0.0, color="0.7", zorder=0)
        right.set_yticks(at, [names[k] for k in largest], fontsize="small")
        what = "mean and 90% interval" + (", largest" if shown < len(names) else "")
        right.set_title(textwrap.fill(what, max(letters // 3, 10)), fontsize="medium")
        right.set_xlabel(self._drawn_units)
        return figure

    _told_units = _drawn_units = ""  # where there are units to tell

    def _drawn(self):
        """What a plot shows of the coefficients."""
        return self._labels(), self._moments(), self._limits()

    def _table(self, most=30):
        """The summary as HTML."""
        names, (mean, sd), (low, high) = self._labels(), self._moments(), self._limits()
        head = "".join(f"<th>{h}</th>" for h in ("name", "mean", "sd", "5%", "95%"))
        rows = "".join(
            f"<tr><td>{html.escape(str(names[k]))}</td>"
            + "".join(f"<td>{x:.4g}</td>" for x in (mean[k], sd[k], low[k], high[k]))
            + "</tr>"
            for k in range(min(len(names), most))
        )
        more = f"<p>… and {len(names) - most} more</p>" if len(names) > most else ""
        heading = html.escape(self._heading())
        units = f"<p>{self._told_units}</p>" if self._told_units else ""
        return f"<p><b>{heading}</b></p>{units}<table><tr>{head}</tr>{rows}</table>{more}"


class GaussianPosterior(Posterior):
    """The same for a Gaussian, where nothing needs drawing: ``_gaussian`` gives mean and covariance."""

    def _moments(self, **units):
        mean, covariance = self._gaussian(**units)
        return mean, np.sqrt(np.maximum(np.diag(covariance), 0.0))

    def _limits(self, **units):
        low, high = self._interval(0.9, **units).T
        return low, high

    def interval(self, level=0.9):
        """Central posterior intervals of the coefficients: one row (lower, upper) each."""
        return self._interval(level)

    def _interval(self, level, **units):
        from scipy.special import ndtri

        if not 0.0 < level < 1.0:
            raise ValueError(f"level is {level}, but must lie between 0 and 1")
        mean, sd = self._moments(**units)
        reach = ndtri(0.5 + 0.5 * level) * sd
        return np.column_stack([mean - reach, mean + reach])


class InUnits:
    """Mixin for fits to columns that were standardised: results in the columns' own units, or in those of the
    standardised columns. A class gives ``_labels``, ``_moments``, ``_limits`` and ``draws`` with ``units``."""

    _told_units = "In the columns' own units."
    # One axis for all coefficients: they can be compared only in these.
    _drawn_units = "for one standard deviation of the column"

    def _drawn(self):
        how = {"units": "standardized"}
        return self._labels(**how), self._moments(**how), self._limits(**how)

    def to_dataframe(self, units="own"):
        """Mean, standard deviation, 5% and 95% quantiles of each coefficient, as a pandas data frame.

        Parameters
        ----------
        units : {'own', 'standardized'}, default='own'
            Of the columns as they were given, or of the standardised columns. The frame says which: it is the
            name of its columns, and in its ``attrs``.
        """
        frame = self._frame(units=checked_units(units))
        frame.columns.name = f"{units} units"
        frame.attrs["units"] = units
        return frame

    def to_arviz(self, count=1000, seed=None, units="own"):
        """Draws as ArviZ's InferenceData, one chain, with the names of the coefficients as a coordinate.

        ``units`` is as for ``to_dataframe``; the posterior has it among its attributes.
        """
        data = self._inference_data(count, seed, units=checked_units(units))
        data.posterior.attrs["units"] = units
        return data


class GaussianInUnits(InUnits, GaussianPosterior):
    """Mixin for estimators that fit a Gaussian, which has a mean and a covariance in either units."""

    def _gaussian(self, units="own"):
        if units == "own":
            return self.own_mean_, self.own_covariance_
        return self.mean_, self.covariance_

    def interval(self, level=0.9, units="own"):
        """Central posterior intervals of the coefficients: one row (lower, upper) each.

        ``units`` is 'own', of the columns as they were given, or 'standardized'.
        """
        check_is_fitted(self)
        return self._interval(level, units=checked_units(units))

    def draws(self, count=1000, seed=None, units="own"):
        """Draws of the coefficients from the Gaussian, one per row; of the fit's seed if none is given.

        ``units`` is 'own', of the columns as they were given (columns as in ``own_names_``), or 'standardized'.
        Standard deviations of groups and parameters of the likelihood, if there are any, are the last columns.
        """
        check_is_fitted(self)
        return self._fitted.draws(count, seed, checked_units(units) == "standardized")


def checked_units(units):
    if units not in ("own", "standardized"):
        raise ValueError(f"units is {units!r}, but must be 'own' or 'standardized'")
    return units
