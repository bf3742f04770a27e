#include "search/phrase_decoder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "search/extender.hpp"
#include "search/phrase_forest.hpp"
#include "search/sentence.hpp"

namespace dragoman::search {

// What one thread needs; features keep per-sentence tables, so every thread has its own.
struct PhraseDecoder::Workspace {
  Workspace(const PhraseModel& model, std::span<const double> weights) : sentence(model, weights) {
    for (const auto& use : model.language_models) extender.language_models.emplace_back(use);
    if (model.orientation) extender.orientation = std::make_unique<features::OrientationFeature>(*model.orientation);
    for (const auto& make : model.state_features) extender.others.push_back(make());
    for (const auto& make : model.rule_features) rule_features.push_back(make());
  }
  [[nodiscard]] std::uint64_t queries() const {
    std::uint64_t sum = 0;
    for (const auto& model : extender.language_models) sum += model.queries();
    return sum;
  }

  Extender extender;
  std::vector<std::unique_ptr<features::RuleFeature>> rule_features;
  Sentence sentence;
  Search search;
  forest::ForestBuilder builder;
};

PhraseDecoder::PhraseDecoder(std::shared_ptr<const PhraseModel> model, SearchSettings settings,
                             std::vector<double> weights)
    : model_(std::move(model)), settings_(settings), weights_(std::move(weights)) {
  for (std::size_t id = 0; id < weights_.size(); ++id)
    if (!std::isfinite(weights_[id]))
      throw SettingError("the weight of '" + model_->names->name(static_cast<FeatureId>(id)) + "' is not finite");
  settings_.distortion = model_->distortion;
  settings_.distortion_weight = model_->distortion.feature < weights_.size() ? weights_[model_->distortion.feature] : 0;
}

PhraseDecoder::~PhraseDecoder() = default;

std::unique_ptr<PhraseDecoder::Workspace> PhraseDecoder::borrow() const {
  {
    const std::lock_guard guard(lock_);
    if (!idle_.empty()) {
      auto workspace = std::move(idle_.back());
      idle_.pop_back();
      return workspace;
    }
  }
  return std::make_unique<Workspace>(*model_, weights_);
}

void PhraseDecoder::give_back(std::unique_ptr<Workspace> workspace) const {
  const std::lock_guard guard(lock_);
  idle_.push_back(std::move(workspace));
}

std::vector<Decoded> PhraseDecoder::decode(std::span<const Request> requests, int threads, bool keep_forests,
                                           const StopCallback& stop) const {
  std::vector<Decoded> results(requests.size());
  parallel_shards(
      requests.size(), threads,
      [&](std::size_t number) {
        auto workspace = borrow();
        try {
          results[number] = decode_one(*workspace, number, requests[number], keep_forests);
        } catch (const Error&) {
          results[number].error = std::current_exception();
        }
        give_back(std::move(workspace));
      },
      stop);
  return results;
}

Decoded PhraseDecoder::decode_one(Workspace& workspace, std::size_t number, const Request& request,
                                  bool keep_forest) const {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t queries = workspace.queries();
  Sentence& sentence = workspace.sentence;
  Search& search = workspace.search;
  sentence.prepare(number, request, workspace.extender, workspace.rule_features);
  search.run(settings_, sentence.chart(), workspace.extender);
  if (search.goal_nodes().empty())
    throw InputError("no sequence of options covers all words", "sentence " + std::to_string(number + 1),
                     "raise the distortion limit");

  Decoded decoded;
  for (const std::string_view word : sentence.words()) decoded.source.emplace_back(word);
  const SearchView view(*model_, sentence, workspace.extender, search);
  const Node& best = search.node(search.goal_nodes()[0]);
  decoded.score = best.priority;
  std::vector<NodeId> path;
  for (NodeId id = search.goal_nodes()[0]; search.node(id).option != kNone; id = search.node(id).previous)
    path.push_back(id);
  for (auto id = path.rbegin(); id != path.rend(); ++id) {
    const Node& node = search.node(*id);
    const Node& previous = search.node(node.previous);
    const Option& option = sentence.chart()[node.option];
    Step step;
    step.source = option.span;
    step.target_start = static_cast<std::uint32_t>(decoded.target.size());
    for (const WordId word : sentence.target(option)) decoded.target.emplace_back(sentence.spell_target(word));
    step.target_end = static_cast<std::uint32_t>(decoded.target.size());
    step.unknown = sentence.is_unknown(option);
    step.score = node.score - previous.score;
    for (const grammar::Link link : sentence.links(option))
      step.links.emplace_back(option.span.start + link.source, step.target_start + link.target);
    view.step_values(previous, option, step.values);
    decoded.steps.push_back(std::move(step));
  }
  view.final_values(best, decoded.final_values);
  decoded.statistics = search.statistics();
  decoded.language_model_queries = workspace.queries() - queries;
  if (keep_forest) {
    PhraseForestWriter writer(view, workspace.builder);
    decoded.forest = std::make_shared<forest::Forest>(writer.write());
    decoded.words = writer.words();
  }
  decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return decoded;
}

}  // namespace dragoman::search
