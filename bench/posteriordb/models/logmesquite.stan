// Log weight of mesquite bushes on the logs of their measurements.
data {
  int<lower=0> N;
  vector<lower=0>[N] weight;
  vector<lower=0>[N] diam1;
  vector<lower=0>[N] diam2;
  vector<lower=0>[N] canopy_height;
  vector<lower=0>[N] total_height;
  vector<lower=0>[N] density;
  vector[N] group;
}
transformed data {
  vector[N] log_weight = log(weight);
  matrix[N, 6] X;
  X[ : , 1] = log(diam1);
  X[ : , 2] = log(diam2);
  X[ : , 3] = log(canopy_height);
  X[ : , 4] = log(total_height);
  X[ : , 5] = log(density);
  X[ : , 6] = group;
}
parameters {
  vector[7] beta;
  real<lower=0> sigma;
}
model {
  log_weight ~ normal_id_glm(X, beta[1], beta[2 : 7], sigma);
}
