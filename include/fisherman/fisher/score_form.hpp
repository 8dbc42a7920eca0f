// Scores in another form than columns of numbers: factors, or outer products with their means. A model offers the
// forms that it has and a Fisher approximation asks for the one that it learns from; nothing between them, AnyModel
// and AnyFisher included, knows the forms that there are.
//
// A form is a struct of your own that says what to do with a model that lacks it:
//     struct Signs {
//       static constexpr const char* unavailable = "this model's scores are no signs; learn from them with Dense";
//       …
//     };
// A model lists it and has one more overload:
//     using ScoreForms = Forms<Signs>;
//     Signs scores(const Frame& frame, const Draws& draws, As<Signs>);
// An approximation takes it from the model in learn():
//     absorb(scores_as<Signs>(model, frame, draws));
#pragma once

#include <concepts>
#include <string>

#include "fisherman/core/random.hpp"

namespace fisherman {

template <class Form>
concept ScoreForm = std::copyable<Form> && requires {
  { Form::unavailable } -> std::convertible_to<std::string>;
};

/// The form that is asked for.
template <class Form>
struct As {};

/// The forms that a model offers. They are listed because a model behind AnyModel is asked at run time, and no
/// program can go through overloads that it does not know.
template <class... Form>
struct Forms {};

/// The list of a model that only finds out when it is asked: AnyModel's.
struct EveryForm {};

namespace detail {

template <class M>
struct FormsOf {
  using type = Forms<>;
};
template <class M>
requires requires { typename M::ScoreForms; }
struct FormsOf<M> {
  using type = typename M::ScoreForms;
};

template <class Form, class List>
inline constexpr bool listed = std::same_as<List, EveryForm>;
template <class Form, class... Listed>
inline constexpr bool listed<Form, Forms<Listed...>> = (std::same_as<Form, Listed> || ...);

}  // namespace detail

/// What the model lists; no forms if it has no list.
template <class M>
using ScoreFormsOf = typename detail::FormsOf<M>::type;

/// body(As<Form>{}) for each form of a list.
template <class... Form, class Body>
void each_form(Forms<Form...>, [[maybe_unused]] Body body) {
  (body(As<Form>{}), ...);
}

/// A flow's family makes scores from a sample where a model makes them from draws.
template <class M, class F, class Form, class Source = Draws>
concept HasScoresAs = detail::listed<Form, ScoreFormsOf<M>> &&
    requires(M& model, const F& frame, const Source& source) {
  { model.scores(frame, source, As<Form>{}) } -> std::same_as<Form>;
};

/// The model's scores in this form. What is no form of the model's does not compile; behind AnyModel it throws
/// Misuse, with the form's own sentence.
template <ScoreForm Form, class M, class F, class Source>
Form scores_as(M& model, const F& frame, const Source& source) {
  static_assert(
      HasScoresAs<M, F, Form, Source>,
      "this model does not offer its scores in the form that the Fisher approximation learns from: "
      "it needs an overload scores(frame, draws, As<Form>), and the form in its ScoreForms");
  return model.scores(frame, source, As<Form>{});
}

}  // namespace fisherman
