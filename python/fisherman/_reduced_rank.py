"""Multinomial regression with a coefficient matrix of low rank."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from . import _core
from ._estimator import Classifier
from ._options import with_options


@with_options("reduced-rank")
class ReducedRankLogisticRegression(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Classifier):
    """Multinomial regression of low rank: what ``fisherman fit reduced-rank`` does.

    ``rank`` is a whole number, or several: ``rank=(1, 2, 5)`` fits one after the other, and the one that
    does best on the held-out rows (``holdout``) is kept.

    The columns are standardised unless ``scale`` says otherwise: ``scale="auto"`` never takes an array for
    pixels, whatever its numbers or type. For images say ``scale="pixel"``.

    Attributes
    ----------
    rank_ : int
        The rank that was kept.
    scaling_ : str
        What was done to the columns: "pixel", "standardize" or "none".
    coef_ : ndarray of shape (n_classes, n_features)
        In the units of the columns as they were given, against the last class, whose row is zero.
    intercept_ : ndarray of shape (n_classes,)
    components_ : ndarray of shape (rank, n_features)
        Orthonormal directions of the scaled features that tell the classes apart, strongest first.
    singular_values_ : ndarray of shape (rank,)
        Their strengths.
    class_components_ : ndarray of shape (n_classes - 1, rank)
        What each class but the last makes of them.
    standard_errors_ : ndarray of shape (n_classes, n_features) or None
        Of ``coef_``, from the Fisher information; None if it is singular or was too much work.
    covariance_ : ndarray or None
        Of the coordinates in the frame of the fit: what ``predict_proba`` has its errors from.
    loss_ : float
        Mean negative log-likelihood of a row.
    path_ : list of dict
        Each rank and start that was fitted.
    trace_ : dict of ndarray
        One number an iteration of the kept fit.
    status_, sentence_ : str
        How it ended. "settled" stands for a run that did its iterations and estimates that little is left to
        gain; the likelihood may still be larger elsewhere.
    state_ : Reached
        Where the run was, for ``resume``. None if the method makes no run.
    """

    _core_fit = staticmethod(_core.fit_reduced_rank)

    def _take(self, end):
        super()._take(end)
        self._n_features_out = self.rank_ = end["rank"]
        self.scaling_ = end["scaling"]
        self.loss_ = end["objective"]
        self.gain_ = end["gain"]
        self.path_ = end["path"]
        self.components_ = end["components"].T
        self.singular_values_ = end["singular_values"]
        self.class_components_ = end["class_components"]
        self.covariance_ = end["covariance"]
        self.intercept_standard_errors_ = end["intercept_errors"]
        self._map = tuple(end[name] for name in ("kept", "shift", "scale"))
        self._point = tuple(end[name] for name in ("U", "S", "V", "intercepts"))
        kept, shift, scale = self._map
        self.coef_ = self._by_class(end["B"])
        self.intercept_ = np.append(end["intercepts"], 0.0) - self.coef_[:, kept] @ shift
        errors = end["B_errors"]
        self.standard_errors_ = None if errors is None else self._by_class(errors)

    def _by_class(self, of_scaled):
        """p×(K−1) numbers of the scaled features as K×p of the features, zero for the last class."""
        kept, _, scale = self._map
        out = np.zeros((len(self.classes_), len(of_scaled)))
        out[:-1, kept] = of_scaled[kept].T / scale
        return out

    def predict_proba(self, X, *, return_std=False):
        """Probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Return standard errors of the probabilities as well.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
        std : ndarray of shape (n_samples, n_classes)
            Only if ``return_std``.
        """
        X = self._rows(X)
        if return_std and self.covariance_ is None:
            raise ValueError(
                "this fit has no standard errors: the Fisher information was singular, or "
                "standard_errors was 'off' or too much work for 'auto'"
            )
        covariance = self.covariance_ if return_std else None
        p, errors = _core.predict_reduced_rank(X, *self._map, *self._point, covariance)
        return (p, errors) if return_std else p

    def transform(self, X):
        """The components of rows, scaled as for the fit: one column each."""
        X = self._rows(X)
        kept, shift, scale = self._map
        return ((X[:, kept] - shift) / scale) @ self.components_[:, kept].T

    def to_dataframe(self):
        """``coef_`` and its standard errors as a pandas data frame, a row for each class and feature."""
        import pandas

        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{j}" for j in range(self.coef_.shape[1])]
        errors = np.full_like(self.coef_, np.nan)
        if self.standard_errors_ is not None:
            errors[:] = self.standard_errors_
        index = pandas.MultiIndex.from_product([self.classes_, names], names=["class", "feature"])
        return pandas.DataFrame(
            {"coefficient": self.coef_.ravel(), "standard_error": errors.ravel()}, index=index
        )
