#include "fisherman/app/run_settings.hpp"

namespace fisherman {

void RunSettings::describe_run(Options& o, const Words& words) {
  using Rule = Options::Rule;
  o.add("iterations", iterations, "do just so many; 0: until converged");
  if (!words.batch.empty()) o.add("batch", batch, words.batch, Rule::positive);
  if (!words.scores.empty()) o.add("scores", scores, words.scores);
  o.add("epsilon", epsilon, "the Fisher estimate starts at epsilon I; 0: the mean squared score",
        Rule::not_negative);
  o.add("step-size", step_size, "the first step; 0: by method", Rule::not_negative);
  o.add("delay", delay, "iterations before steps begin to shrink; 0: by method",
        Rule::not_negative);
  o.add("decay", decay, "steps shrink like (delay/(delay+s))^decay; -1: by method",
        Rule::fraction_or_auto);
  o.add("kl-radius", kl_radius,
        "nats that a step may move the distribution; 0: no limit, -1: by method",
        Rule::not_negative_or_auto);
  o.add("norm-cap", norm_cap, "length of a step; 0: no limit", Rule::not_negative);
  o.add("no-guard", no_guard, "let steps leave the region where the geometry can be trusted");
  o.add("average", average, "average the iterates; auto: by method", {"auto", "on", "off"});
  o.add("tolerance", tolerance, words.tolerance + "; 0: by method", Rule::not_negative);
  o.add("eval-every", eval_every,
        "iterations between evaluations of the objective; 0: never" +
            (words.evaluations.empty() ? "" : ", " + words.evaluations),
        words.evaluations.empty() ? Rule::not_negative : Rule::not_negative_or_auto);
  o.add("seed", seed, "of all random numbers", Rule::seed);
  o.add("threads", threads, "0: all cores");
}

StepRule RunSettings::rule(const StepRule& by_method) const {
  StepRule rule = by_method;
  if (step_size > 0.0) rule.step_size = step_size;
  if (decay >= 0.0) rule.decay = decay;
  if (kl_radius >= 0.0) rule.kl_radius = kl_radius;
  if (delay > 0.0) rule.delay = delay;
  rule.norm_cap = norm_cap;
  rule.guard = by_method.guard && !no_guard;
  return rule;
}

}  // namespace fisherman
