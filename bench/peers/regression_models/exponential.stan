// Positive numbers, exponential with mean exp(eta).
data {
  int<lower=1> N, P;
  matrix[N, P] X;  // standardised columns
  vector<lower=0>[N] y;
}
transformed data {
  real middle = log(mean(y));
}
parameters {
  real alpha;
  vector[P] beta;
}
model {
  alpha ~ normal(middle, 10);
  beta ~ normal(0, sqrt(10));
  y ~ exponential(exp(-(alpha + X * beta)));
}
