// Frames on either side of the border.
#pragma once

#include "callbacks.hpp"
#include "fisherman/manifold/any_frame.hpp"

namespace fisherman::python {

/// A frame of the library's, as Python holds it: the shape of its points goes along.
struct ShapedFrame {
  AnyFrame frame;
  Shape shape;
};

/// A frame written in Python, as the library holds it: an object with dimension, point, pull, push and
/// retract, and maybe reach.
class PythonFrame {
 public:
  static std::string type_name() { return "python"; }
  explicit PythonFrame(nb::object self);
  Index dimension() const { return dimension_; }
  Vector point() const { return point_; }
  Matrix pull(const Matrix& E) const;
  Vector push(const Vector& v) const;
  PythonFrame retract(const Vector& v) const;
  double reach(const Vector& v) const;

  const Shape& shape() const { return shape_; }
  const SharedObject& self() const { return self_; }

 protected:
  SharedObject self_;
  Index dimension_;
  Shape shape_;
  Vector point_;
};

/// One with state() and restored(state) besides, so that its runs can be saved.
class SavedPythonFrame : public PythonFrame {
 public:
  static std::string type_name() { return "python with state"; }
  using PythonFrame::PythonFrame;
  SavedPythonFrame retract(const Vector& v) const;
  Vector state() const;
  SavedPythonFrame restored(const Vector& state) const;
};

/// From a Frame of the module or from an object that is like one.
ShapedFrame frame_of(nb::handle object);
/// What a function of Python's is handed: the object that it wrote itself, or a Frame.
nb::object for_python(const AnyFrame& frame, const Shape& shape);

}  // namespace fisherman::python
