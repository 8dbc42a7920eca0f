// Two hidden states of a basketball player's drive, with exponential measurements in each.
data {
  int<lower=1> N;
  int<lower=2, upper=2> K;
  vector<lower=0>[N] u;
  vector<lower=0>[N] v;
  array[K] vector<lower=0>[K] alpha;
}
parameters {
  simplex[K] theta1;
  simplex[K] theta2;
  positive_ordered[K] phi;
  positive_ordered[K] lambda;
}
model {
  matrix[K, N] log_f = rep_matrix(log(phi) + log(lambda), N) - phi * u' - lambda * v';
  matrix[K, K] log_p = log(append_row(theta1', theta2')); // from the row's state to the column's
  vector[K] gamma = log_f[ : , 1];
  theta1 ~ dirichlet(alpha[1]);
  theta2 ~ dirichlet(alpha[2]);
  phi[1] ~ normal(0, 1);
  phi[2] ~ normal(3, 1);
  lambda[1] ~ normal(0, 1);
  lambda[2] ~ normal(3, 1);
  // The forward algorithm. The state at the start has weight one, not a probability.
  for (n in 2 : N) {
    gamma = [log_sum_exp(gamma + log_p[ : , 1]), log_sum_exp(gamma + log_p[ : , 2])]' + log_f[ : , n];
  }
  target += log_sum_exp(gamma);
}
