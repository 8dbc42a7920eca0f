// Log earnings on height.
data {
  int<lower=0> N;
  vector<lower=0>[N] earn;
  vector[N] height;
}
transformed data {
  vector[N] log_earn = log(earn);
  matrix[N, 1] X = to_matrix(height);
}
parameters {
  vector[2] beta;
  real<lower=0> sigma;
}
model {
  log_earn ~ normal_id_glm(X, beta[1], beta[2 : 2], sigma);
}
