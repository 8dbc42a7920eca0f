// Party identification in an election survey on ideology, race, age group, education, gender and income.
data {
  int<lower=0> N;
  vector[N] partyid7;
  vector[N] real_ideo;
  vector[N] race_adj;
  array[N] int<lower=1, upper=4> age_discrete;
  vector[N] educ1;
  vector[N] gender;
  vector[N] income;
}
transformed data {
  matrix[N, 8] X;
  X[ : , 1] = real_ideo;
  X[ : , 2] = race_adj;
  for (n in 1 : N) {
    for (k in 1 : 3) {
      X[n, 2 + k] = age_discrete[n] == k + 1;
    }
  }
  X[ : , 6] = educ1;
  X[ : , 7] = gender;
  X[ : , 8] = income;
}
parameters {
  vector[9] beta;
  real<lower=0> sigma;
}
model {
  partyid7 ~ normal_id_glm(X, beta[1], beta[2 : 9], sigma);
}
