"""Bayesian logistic regression, its posterior approximated by a Gaussian."""

from ._estimator import BinaryClassifier
from ._options import with_options
from ._results import GaussianInUnits


@with_options("logistic")
class BayesianLogisticRegression(GaussianInUnits, BinaryClassifier):
    """Bayesian logistic regression: what ``fisherman fit logistic`` does.

    The coefficients have a normal prior, and their posterior is approximated by the nearest Gaussian, the
    one of the largest ELBO. By default the columns are standardised, and there is an intercept, whose prior
    N(0, ``intercept_variance``) is on the log odds where all standardised columns are 0.

    ``interval``, ``draws``, ``to_dataframe`` and ``to_arviz`` are in the units of the columns as they were given,
    or with ``units="standardized"`` in those of the standardised columns; ``plot`` shows the latter, which can be
    compared with each other.

    Attributes
    ----------
    mean_ : ndarray of shape (n_coefficients,)
        Of the posterior, for the standardised columns; the intercept last, if there is one.
    covariance_ : ndarray of shape (n_coefficients, n_coefficients)
    names_ : list of str
        Of the coefficients.
    own_names_ : list of str
        Of the coefficients in the columns' own units. The same, but without an intercept there is one more,
        "(constant)", for what standardising has shifted. It follows from the others.
    own_mean_ : ndarray
        Of the posterior in the columns' own units.
    own_covariance_ : ndarray
        The same; singular if there is a "(constant)".
    coef_ : ndarray of shape (1, n_features)
        The posterior mean in the units of the columns as they were given.
    intercept_ : ndarray of shape (1,)
        The same for the constant: what standardising shifted is in it.
    elbo_ : float
        The evidence lower bound in nats, all constants included.
    khat_ : float
        Pareto k of the importance ratios: below 0.7 the Gaussian stands well for the posterior, unless
        ``khat_verdict_`` says otherwise.
    khat_verdict_ : str
        The same in words. Where the ratios hardly vary it is good, and where they vary much it is not, whatever the
        shape of their tail.
    trace_ : dict of ndarray
        One number per iteration: iteration, seconds, objective (the negative ELBO), predicted, and more.
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
    -60.2
    """

    _by_column = True
