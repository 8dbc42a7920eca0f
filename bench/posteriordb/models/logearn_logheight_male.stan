// Log earnings on log height and sex.
data {
  int<lower=0> N;
  vector<lower=0>[N] earn;
  vector<lower=0>[N] height;
  vector[N] male;
}
transformed data {
  vector[N] log_earn = log(earn);
  matrix[N, 2] X;
  X[ : , 1] = log(height);
  X[ : , 2] = male;
}
parameters {
  vector[3] beta;
  real<lower=0> sigma;
}
model {
  log_earn ~ normal_id_glm(X, beta[1], beta[2 : 3], sigma);
}
