#pragma once
// How arrays and texts cross the border. Arrays come in without conversion and go out as fresh arrays that own their
// memory; texts come in as views of Python's own UTF-8, valid while the list that holds them lives.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/parallel.hpp"

namespace dragoman {

namespace nb = nanobind;

template <typename T>
using In = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using In2 = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <typename T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

template <typename T>
[[nodiscard]] std::span<const T> view(const In<T>& array) {
  return {array.data(), array.size()};
}

// Hands the vector's memory over to numpy, without a copy.
template <typename T>
[[nodiscard]] Out<T> owned(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(kept->data(), {kept->size()}, owner);
}
template <typename T>
[[nodiscard]] Out2<T> owned(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out2<T>(kept->data(), {rows, columns}, owner);
}

// Views of the strings of a list, for use without the GIL while the caller holds the list.
[[nodiscard]] std::vector<std::string_view> texts(const nb::list& strings);

// Lets Ctrl-C stop native work: polled between shards, on the thread that called from Python.
[[nodiscard]] StopCallback stop_on_signal();

void register_errors();

}  // namespace dragoman
