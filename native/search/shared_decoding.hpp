#pragma once
// What decoders of one model under the same weights share, however they search: the model, the weights, the workspaces
// of threads, and how requests are handed to these.
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "common/parallel.hpp"
#include "search/decoded.hpp"
#include "search/rule_model.hpp"
#include "search/workspace_pool.hpp"

namespace dragoman::search {

template <typename Model, typename Workspace>
class SharedDecoding {
 public:
  // Throws SettingError for weights that are not numbers.
  SharedDecoding(std::shared_ptr<const Model> of, std::vector<double> by)
      : model(std::move(of)), weights(std::move(by)) {
    require_finite(*model, weights);
  }

  const std::shared_ptr<const Model> model;
  const std::vector<double> weights;

  // Calls work(workspace, number) for all numbers below `count`; see WorkspacePool.
  template <typename Work, typename Fail>
  void run(std::size_t count, int threads, const StopCallback& stop, const Work& work, const Fail& fail) {
    workspaces_.run(count, threads, stop, [&] { return std::make_unique<Workspace>(*model, weights); }, work, fail);
  }

  // What decode_one(workspace, number, table) gives for all numbers below `count`; an error stays with its sentence.
  template <typename DecodeOne>
  std::vector<Decoded> decode(std::size_t count, int threads, const StopCallback& stop, const DecodeOne& decode_one) {
    std::vector<Decoded> results(count);
    const auto table = model->table->view();  // rules that are added meanwhile count from the next call on
    run(
        count, threads, stop,
        [&](Workspace& workspace, std::size_t number) { results[number] = decode_one(workspace, number, table); },
        [&](std::size_t number) { results[number].error = std::current_exception(); });
    return results;
  }

  // What use(workspace) gives, once.
  template <typename Use>
  double once(const StopCallback& stop, const Use& use) {
    double found = 0;
    run(1, 1, stop, [&](Workspace& workspace, std::size_t) { found = use(workspace); }, [](std::size_t) { throw; });
    return found;
  }

 private:
  WorkspacePool<Workspace> workspaces_;
};

}  // namespace dragoman::search
