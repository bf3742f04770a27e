// C++ errors become the Python errors of the same name, with their parts kept apart.
#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "common/error.hpp"

namespace dragoman {
namespace {

void raise(const char* name, const Error& error) {
  const nb::object type = nb::module_::import_("dragoman.errors").attr(name);
  const nb::object instance =
      type(error.problem(), nb::arg("where") = error.where(), nb::arg("remedy") = error.remedy());
  PyErr_SetObject(type.ptr(), instance.ptr());
}

}  // namespace

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const FormatError& error) {
      raise("FormatError", error);
    } catch (const InputError& error) {
      raise("InputError", error);
    } catch (const SettingError& error) {
      raise("SettingError", error);
    } catch (const FileError& error) {
      raise("FileError", error);
    } catch (const LimitReached& error) {
      raise("LimitReached", error);
    } catch (const Interrupted&) {
      // The signal's own exception is pending already, usually KeyboardInterrupt.
      if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace dragoman
