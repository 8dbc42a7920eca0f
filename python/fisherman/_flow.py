"""A Bayesian neural network, its posterior approximated by a Gaussian or a normalising flow."""

from sklearn.utils.validation import check_is_fitted

from ._estimator import BinaryClassifier
from ._options import with_options
from ._results import InUnits, checked_units


@with_options("flow")
class FlowClassifier(InUnits, BinaryClassifier):
    """A Bayesian neural network or logistic regression by a Gaussian or a flow: what ``fisherman fit flow`` does.

    By default the posterior is approximated by a Gaussian with full covariance, because none of the flows has
    reached a larger ELBO on the data that were tried; ``family`` chooses a flow.

    Attributes
    ----------
    names_ : list of str
        Of the weights: "unit3.age", "unit3.bias", "out.unit3", "out.bias".
    own_names_ : list of str
        The same in the columns' own units; for ``target="logistic"`` without an intercept there is one more,
        "(constant)", for what standardising has shifted.
    n_weights_ : int
    flow_state_ : ndarray
        The parameters of the fitted flow.
    elbo_ : float
        The evidence lower bound in nats, all constants included, from draws of its own.
    elbo_error_ : float
        One standard error of it.
    khat_ : float
        Pareto k of the importance ratios: below 0.7 the flow stands well for the posterior.
    trace_ : dict of ndarray
        One number per iteration: iteration, seconds, objective (the negative ELBO), predicted, and more.
    status_, sentence_ : str
        How the fit ended.
    state_ : Reached
        Where the run was, for ``resume``.
    """

    def draws(self, count=1000, seed=None, units="own"):
        """Draws of the weights from the flow, one per row; of the fit's seed if none is given.

        ``units`` is 'own', of the columns as they were given (columns as in ``own_names_``), or 'standardized'.
        """
        check_is_fitted(self)
        return self._fitted.draws(count, seed, checked_units(units) == "standardized")
