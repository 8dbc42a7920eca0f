// Log earnings on standardised height, sex and their product.
data {
  int<lower=0> N;
  vector<lower=0>[N] earn;
  vector[N] height;
  vector[N] male;
}
transformed data {
  vector[N] z = (height - mean(height)) / sd(height);
  vector[N] log_earn = log(earn);
  matrix[N, 3] X;
  X[ : , 1] = z;
  X[ : , 2] = male;
  X[ : , 3] = z .* male;
}
parameters {
  vector[4] beta;
  real<lower=0> sigma;
}
model {
  log_earn ~ normal_id_glm(X, beta[1], beta[2 : 4], sigma);
}
