"""A Bayesian neural network, its posterior approximated by a Gaussian or a normalising flow."""

from . import _core
from ._estimator import BinaryClassifier
from ._options import texts, with_options
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
        One number an iteration: iteration, seconds, objective (the negative ELBO), predicted, and more.
    status_, sentence_ : str
        How the fit ended.
    state_ : Reached
        Where the run was, for ``resume``.
    """

    _core_fit = staticmethod(_core.fit_flow)

    def _take(self, end):
        super()._take(end)
        self._hidden = end["hidden"]
        self._intercept = end["intercept"]
        self.n_weights_ = end["weights"]
        self.flow_state_ = end["flow_state"]
        self.elbo_error_ = end["objective_error"]
        # What the flow was made with must not change with the parameters.
        self._fitted_options = texts(self._options, {n: getattr(self, n) for n in self._options})

    def _predictive(self, X):
        return _core.predict_flow(
            X,
            self.feature_shift_,
            self.feature_scale_,
            self._fitted_options,
            self.n_weights_,
            self.flow_state_,
        )

    def draws(self, count=1000, seed=None, units="own"):
        """Draws of the weights from the flow, one a row; of the fit's seed if none is given.

        ``units`` is 'own', of the columns as they were given (columns as in ``own_names_``), or 'standardized'.
        """
        seed = int(self._fitted_options["seed"]) if seed is None else seed
        draws = _core.flow_draws(
            self._fitted_options, self.n_weights_, self.flow_state_, count, seed
        )[0]
        if checked_units(units) == "standardized":
            return draws
        return _core.in_own_units(
            draws, self.feature_shift_, self.feature_scale_, self._intercept, self._hidden
        )
