// Counts with mean m = exp(eta) and variance m + m^2/shape.
data {
  int<lower=1> N, P;
  matrix[N, P] X;  // standardised columns
  array[N] int<lower=0> y;
}
parameters {
  real alpha;
  vector[P] beta;
  real<lower=0> shape;
}
model {
  alpha ~ normal(0, 10);
  beta ~ normal(0, sqrt(10));
  shape ~ lognormal(0, 2);
  y ~ neg_binomial_2_log_glm(X, alpha, beta, shape);
}
