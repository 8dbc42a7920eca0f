// y is 1 with probability 1 - exp(-exp(eta)). Exact in the tails, where this rounds to 0 or 1.
data {
  int<lower=1> N, P;
  matrix[N, P] X;  // standardised columns
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real alpha;
  vector[P] beta;
}
model {
  vector[N] rate = exp(alpha + X * beta);
  alpha ~ normal(0, 10);
  beta ~ normal(0, sqrt(10));
  for (n in 1:N) {
    target += y[n] ? log1m_exp(-rate[n]) : -rate[n];
  }
}
