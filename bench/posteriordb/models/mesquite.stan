// Weight of mesquite bushes on their measurements.
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
  matrix[N, 6] X;
  X[ : , 1] = diam1;
  X[ : , 2] = diam2;
  X[ : , 3] = canopy_height;
  X[ : , 4] = total_height;
  X[ : , 5] = density;
  X[ : , 6] = group;
}
parameters {
  vector[7] beta;
  real<lower=0> sigma;
}
model {
  weight ~ normal_id_glm(X, beta[1], beta[2 : 7], sigma);
}
