// y is 1 with probability Phi(eta). Exact in the tails, where Phi(eta) rounds to 0 or 1.
data {
  int<lower=1> N, P;
  matrix[N, P] X;  // standardised columns
  array[N] int<lower=0, upper=1> y;
}
transformed data {
  vector[N] side = 2 * to_vector(y) - 1;
}
parameters {
  real alpha;
  vector[P] beta;
}
model {
  alpha ~ normal(0, 10);
  beta ~ normal(0, sqrt(10));
  target += std_normal_lcdf(side .* (alpha + X * beta));
}
