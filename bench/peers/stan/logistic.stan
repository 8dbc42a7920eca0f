// Bayesian logistic regression without intercept, as fisherman fit logistic --no-intercept has it.
data {
  int<lower=1> n;
  int<lower=1> d;
  matrix[n, d] x;
  int<lower=0, upper=1> y[n];
  real<lower=0> prior_sd;
}
parameters {
  vector[d] beta;
}
model {
  beta ~ normal(0, prior_sd);
  y ~ bernoulli_logit_glm(x, 0, beta);
}
