"""Multinomial regression with a coefficient matrix of low rank."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._estimator import Classifier
from ._options import with_options


@with_options("reduced-rank")
class ReducedRankLogisticRegression(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Classifier):
    """Multinomial regression of low rank: what ``fisherman fit reduced-rank`` does.

    ``rank`` is a whole number, or several: ``rank=(1, 2, 5)`` fits one after the other, and the one that
    does best on the held-out rows (``holdout``) is kept. ``cv=5`` chooses the rank and the ridge by
    cross-validation.

    A SciPy sparse matrix is never made dense, and is taken as it is unless ``scale`` says otherwise.

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
        Of ``coef_``, from the Fisher information; None if the fit has not converged, if the information is
        singular, or if it was too much work.
    covariance_ : ndarray or None
        Of the coordinates in the frame of the fit: what ``predict_proba`` has its errors from.
    ridge_ : float
        The strength of the penalty, as it was chosen.
    loss_ : float
        Mean negative log-likelihood of a row, without the penalty.
    gain_ : float
        Nats per row still to be gained, by the run's own estimate.
    cross_validation_ : list of dict
        Each rank and ridge that was tried on folds of the rows.
    path_ : list of dict
        Each rank and start that was fitted.
    trace_ : dict of ndarray
        One number per iteration of the kept fit.
    status_, sentence_ : str
        How it ended. "settled" stands for a stochastic run that did its iterations and estimates that little
        is left to gain; the likelihood may still be larger elsewhere.
    state_ : Reached
        Where the run was, for ``resume``. None if the method makes no run.
    """

    _sparse = True

    @property
    def _n_features_out(self):
        return self.rank_

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
        check_is_fitted(self)
        if return_std and self.covariance_ is None:
            raise ValueError(
                "this fit has no standard errors: it has not converged, the Fisher information was "
                "singular, or standard_errors was 'off' or too much work for 'auto'"
            )
        found = self._predicted(X, return_std)
        classes = len(self.classes_)
        return (found[:, :classes], found[:, classes:]) if return_std else found

    def transform(self, X):
        """The components of rows, scaled as for the fit: one column each."""
        rows = self._rows(X)
        return self._fitted.transform(rows)

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
