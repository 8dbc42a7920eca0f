// Log weight of mesquite bushes on the log volume of their canopies.
data {
  int<lower=0> N;
  vector<lower=0>[N] weight;
  vector<lower=0>[N] diam1;
  vector<lower=0>[N] diam2;
  vector<lower=0>[N] canopy_height;
}
transformed data {
  vector[N] log_weight = log(weight);
  matrix[N, 1] X = to_matrix(log(diam1 .* diam2 .* canopy_height));
}
parameters {
  vector[2] beta;
  real<lower=0> sigma;
}
model {
  log_weight ~ normal_id_glm(X, beta[1], beta[2 : 2], sigma);
}
