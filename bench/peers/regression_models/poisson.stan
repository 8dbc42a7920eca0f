// Counts with mean exp(eta).
data {
  int<lower=1> N, P;
  matrix[N, P] X;  // standardised columns
  array[N] int<lower=0> y;
}
parameters {
  real alpha;
  vector[P] beta;
}
model {
  alpha ~ normal(0, 10);
  beta ~ normal(0, sqrt(10));
  y ~ poisson_log_glm(X, alpha, beta);
}
