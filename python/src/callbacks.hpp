// Functions and objects of Python's inside the core, which copies, calls and drops them without the
// interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "fisherman/core/error.hpp"
#include "watch.hpp"

namespace fisherman::python {

class SharedObject {
 public:
  explicit SharedObject(nb::object object)
      : object_(new nb::object(std::move(object)), [](nb::object* p) {
          const nb::gil_scoped_acquire lock;
          delete p;
        }) {}
  const nb::object& operator*() const { return *object_; }
  const nb::object* operator->() const { return object_.get(); }

 private:
  std::shared_ptr<nb::object> object_;
};

/// call() with the interpreter's lock. What it raises comes out of the run, with two exceptions: an
/// ArithmeticError (a FloatingPointError, say) is numerical trouble, from which a run backs off; and the
/// first KeyboardInterrupt ends the run after this iteration, for which the call is made again.
template <class Call>
auto in_python(Watch* watch, Call call) {
  const nb::gil_scoped_acquire lock;
  for (;;) {
    try {
      return call();
    } catch (nb::python_error& e) {
      if (e.matches(PyExc_ArithmeticError)) throw NotFinite(nb::str(e.value()).c_str());
      const bool again =
          e.matches(PyExc_KeyboardInterrupt) && watch != nullptr && watch->interrupt_once();
      if (!again) throw;
    }
  }
}

using Shape = std::vector<std::size_t>;

std::string text(const Shape& shape);
/// The ambient numbers of an array of this shape, column by column. `what` is what errors name.
Vector flat(nb::handle array, const Shape& shape, const char* what);
/// The same of an array (b, *shape): one column each.
Matrix flat_rows(nb::handle array, const Shape& shape, const char* what);
/// Back again, without a copy of the numbers.
nb::object shaped(Vector numbers, const Shape& shape);
nb::object shaped_rows(Matrix columns, const Shape& shape);

}  // namespace fisherman::python
