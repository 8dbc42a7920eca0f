"""Bayesian logistic regression, its posterior approximated by a Gaussian."""

import numpy as np

from . import _core
from ._estimator import BinaryClassifier
from ._options import with_options
from ._results import GaussianPosterior


@with_options("logistic")
class BayesianLogisticRegression(GaussianPosterior, BinaryClassifier):
    """Bayesian logistic regression: what ``fisherman fit logistic`` does.

    The coefficients have a normal prior, and their posterior is approximated by the nearest Gaussian, the
    one of the largest ELBO. By default the columns are standardised, and there is no intercept.

    Attributes
    ----------
    mean_ : ndarray of shape (n_coefficients,)
        Of the posterior, for the standardised columns; the intercept last, if there is one.
    covariance_ : ndarray of shape (n_coefficients, n_coefficients)
    names_ : list of str
        Of the coefficients.
    coef_ : ndarray of shape (1, n_features)
        The posterior mean in the units of the columns as they were given.
    intercept_ : ndarray of shape (1,)
        The same for the constant: what standardising shifted is in it.
    elbo_ : float
        The evidence lower bound in nats, all constants included.
    khat_ : float
        Pareto k of the importance ratios: below 0.7 the Gaussian stands well for the posterior.
    trace_ : dict of ndarray
        One number an iteration: iteration, seconds, objective (the negative ELBO), predicted, and more.
    status_, sentence_ : str
        How the fit ended.
    state_ : Reached
        Where the run was, for ``resume``. None if the method makes no run.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fisherman import BayesianLogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BayesianLogisticRegression().fit(X, y)
    >>> round(model.elbo_, 1)
    -58.1
    """

    _core_fit = staticmethod(_core.fit_logistic)

    def _take(self, end):
        super()._take(end)
        self.mean_ = end["mean"]
        self.covariance_ = end["covariance"]
        self.names_ = end["names"]
        slopes = self.mean_[: len(self.feature_scale_)] / self.feature_scale_
        constant = self.mean_[-1] if end["intercept"] else 0.0
        self.coef_ = slopes[np.newaxis]
        self.intercept_ = np.array([constant - slopes @ self.feature_shift_])

    def _predictive(self, X):
        return _core.predict_logistic(
            X,
            self.feature_shift_,
            self.feature_scale_,
            len(self.mean_) > len(self.feature_scale_),
            self.mean_,
            self.covariance_,
        )

    def _gaussian(self):
        return self.mean_, self.covariance_

    def draws(self, count=1000, seed=None):
        """Draws of the coefficients from the Gaussian, one a row; of the fit's seed if none is given."""
        return _core.gaussian_draws(
            self.mean_, self.covariance_, count, self.seed if seed is None else seed
        )
