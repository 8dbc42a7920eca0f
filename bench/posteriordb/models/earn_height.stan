// Earnings on height.
data {
  int<lower=0> N;
  vector[N] earn;
  vector[N] height;
}
transformed data {
  matrix[N, 1] X = to_matrix(height);
}
parameters {
  vector[2] beta;
  real<lower=0> sigma;
}
model {
  earn ~ normal_id_glm(X, beta[1], beta[2 : 2], sigma);
}
