// y is class k with probability proportional to exp(eta_k), where eta_1 = 0.
data {
  int<lower=1> N, P;
  matrix[N, P] X;  // standardised columns
  int<lower=2> K;
  array[N] int<lower=1, upper=K> y;
}
parameters {
  vector[K - 1] alpha;
  matrix[P, K - 1] beta;
}
model {
  alpha ~ normal(0, 10);
  to_vector(beta) ~ normal(0, sqrt(10));
  y ~ categorical_logit_glm(X, append_row(0, alpha), append_col(rep_vector(0, P), beta));
}
