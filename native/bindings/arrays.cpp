#include "bindings/arrays.hpp"

namespace dragoman {

std::vector<std::string_view> texts(const nb::list& strings) {
  std::vector<std::string_view> views;
  views.reserve(nb::len(strings));
  for (const nb::handle item : strings) {
    Py_ssize_t size = 0;
    const char* letters = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (letters == nullptr) {
      PyErr_Clear();
      const bool text = PyUnicode_Check(item.ptr()) != 0;
      throw InputError(text ? "a lone surrogate, which is not a character" : "not a string",
                       "item " + std::to_string(views.size()), text ? "read files with dragoman.files" : "");
    }
    views.emplace_back(letters, static_cast<std::size_t>(size));
  }
  return views;
}

StopCallback stop_on_signal() {
  return [] {
    const nb::gil_scoped_acquire locked;
    return PyErr_CheckSignals() != 0;
  };
}

}  // namespace dragoman
