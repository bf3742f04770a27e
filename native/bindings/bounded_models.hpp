#pragma once
// What the bindings of exact search share: language models with bounds, and the first bound of a sentence.
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings/bind_search.hpp"
#include "search/bounded_contexts.hpp"

namespace dragoman {

// Language models with their bounds and weights, for words that come spelt.
struct BoundedModels {
  std::vector<search::BoundedModel> models;

  void add(std::shared_ptr<lm::Model> model, std::shared_ptr<lm::Bounds> bounds, double weight,
           const std::unordered_map<std::string, std::string>* classes) {
    features::LanguageModelUse use;
    if (classes != nullptr) {
      use.over_classes = true;
      for (const auto& [word, label] : *classes) use.classes.emplace(word, model->id(label));
      if (const auto rest = use.classes.find("<unk>"); rest != use.classes.end()) use.other_class = rest->second;
    }
    use.model = std::move(model);
    models.push_back({std::make_shared<const features::LanguageModelUse>(std::move(use)), std::move(bounds), weight});
  }
};

// For decoders whose exact search looks at all derivations of a sentence.
template <typename Bound>
void bind_first_bound(nb::class_<Bound> decoder) {
  using namespace nb::literals;
  decoder.def(
      "bound",
      [](const Bound& self, const nb::list& lines, const nb::list& extra, const nb::list& marks,
         const nb::list& constraints, const BoundedModels& models) {
        const auto requests = read_requests(texts(lines), extra, marks, constraints, *self.model->names);
        const StopCallback stop = stop_on_signal();
        const nb::gil_scoped_release free;
        std::vector<double> found;
        for (const search::Request& request : requests)
          found.push_back(self.decoder.bound(request, models.models, stop));
        return found;
      },
      "lines"_a, "extra"_a, "marks"_a, "constraints"_a, "models"_a,
      nb::sig("def bound(self, lines: list[str], extra: list[list[tuple[int, int, str, list[tuple[str, float]], "
              "str]]], marks: list[tuple[str, list[str], list[int], list[tuple[str, int, int]], list[str], "
              "list[tuple[str, int, int]]] | None], "
              "constraints: list[tuple[list[str], list[int], list[tuple[int, int]], bool, bool] | None], "
              "models: BoundedModels) -> list[float]"),
      "Scores that no translation of each line passes, with language models that this decoder does not have.");
}

}  // namespace dragoman
