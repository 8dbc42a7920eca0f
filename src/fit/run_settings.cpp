#include "fisherman/fit/run_settings.hpp"

#include "fisherman/core/error.hpp"

namespace fisherman {

Words<Automatic> automatic_words() {
  return {{Automatic::automatic, "auto"}, {Automatic::on, "on"}, {Automatic::off, "off"}};
}

Words<Carry> carry_words() {
  return {{Carry::frame, "frame", "by the moving frame, at no cost"},
          {Carry::paper, "paper", "by the paper's vector transport"}};
}

void RunSettings::describe_run(Options& o, const Help& help) {
  using Rule = Options::Rule;
  o.add("iterations", iterations, "number of iterations (0: " + help.iterations + ")");
  if (!help.batch.empty())  // where 0 is the default, it is explained
    o.add("batch", batch, help.batch, batch == 0 ? Rule::not_negative : Rule::positive);
  if (!help.scores.empty()) o.add("scores", scores, help.scores);
  if (!help.fisher.empty())
    o.add("fisher", fisher, "approximation of the Fisher matrix (auto: " + help.fisher + ")",
          fisher_words());
  o.add("epsilon", epsilon,
        "multiple of the identity that the Fisher estimate of " + help.epsilon + ")",
        Rule::not_negative);
  o.add("step-size", step_size, "size of the first step (0: " + help.step_size + ")",
        Rule::not_negative);
  o.add("delay", delay,
        "delay of the shrinking of the steps, in iterations (0: " + help.delay + ")",
        Rule::not_negative);
  o.add(
      "decay", decay,
      "exponent of the shrinking: the step of iteration s is (delay/(delay+s))^decay of the first "
      "(-1: chosen by the method)",
      Rule::fraction_or_auto);
  o.add("kl-radius", kl_radius,
        "largest change of the distribution per iteration, in nats (0: no limit; -1: chosen by the "
        "method)",
        Rule::not_negative_or_auto);
  o.add("norm-cap", norm_cap, "largest length of a step (0: " + help.norm_cap + ")",
        Rule::not_negative);
  o.add("no-guard", no_guard, "allow steps to leave the region where the geometry can be trusted");
  o.add("average", average,
        "whether the result is an average of the iterates (auto: " + help.average + ")",
        automatic_words());
  o.add("tolerance", tolerance, help.tolerance, Rule::not_negative);
  o.add("eval-every", eval_every,
        "number of iterations between evaluations of the objective (" + help.evaluations + ")",
        help.evaluates_by_itself ? Rule::not_negative_or_auto : Rule::not_negative);
  o.add("seed", seed, "seed of the random numbers", Rule::seed);
  o.add("threads", threads, "number of threads (0: all cores)");
}

void RunSettings::require_no_fisher(const std::string& method) const {
  require(fisher == FisherChoice::automatic, "--method ", method,
          " uses no Fisher matrix: leave --fisher out");
}

std::string RunSettings::usual_delay() { return sentence(StepRule().delay); }

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
