#include "search/left_to_right_decoder.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "search/first_bound.hpp"
#include "search/left_to_right.hpp"
#include "search/left_to_right_sentence.hpp"
#include "search/left_to_right_space.hpp"
#include "search/left_to_right_view.hpp"
#include "search/pieces.hpp"
#include "search/search_forest.hpp"
#include "search/shared_decoding.hpp"
#include "search/state_bounds.hpp"
#include "search/unreached.hpp"
#include "search/workspace.hpp"

namespace dragoman::search {

struct LeftToRightDecoder::LeftToRightWorkspace : Workspace {
  LeftToRightWorkspace(const LeftToRightModel& model, std::span<const double> weights)
      : Workspace(model, weights), sentence(model, weights, extender) {}

  LeftToRightSentence sentence;
  LeftToRightSearch search;
};

struct LeftToRightDecoder::Shared : SharedDecoding<LeftToRightModel, LeftToRightWorkspace> {
  using SharedDecoding::SharedDecoding;
};

LeftToRightDecoder::LeftToRightDecoder(std::shared_ptr<const LeftToRightModel> model, std::vector<double> weights,
                                       LeftToRightSettings settings)
    : LeftToRightDecoder(std::make_shared<Shared>(std::move(model), std::move(weights)), settings) {}

LeftToRightDecoder::LeftToRightDecoder(std::shared_ptr<Shared> shared, LeftToRightSettings settings)
    : shared_(std::move(shared)), model_(shared_->model.get()), settings_(settings) {}

std::vector<Decoded> LeftToRightDecoder::decode(std::span<const Request> requests, int threads, bool keep_forests,
                                                const StopCallback& stop) const {
  return shared_->decode(requests.size(), threads, stop,
                         [&](LeftToRightWorkspace& workspace, std::size_t number, const auto& table) {
                           return decode_one(workspace, number, requests[number], table, keep_forests);
                         });
}

Decoded LeftToRightDecoder::decode_one(LeftToRightWorkspace& workspace, std::size_t number, const Request& request,
                                       const std::shared_ptr<const grammar::LayeredView>& table,
                                       bool keep_forest) const {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string_view> words;
  for_each_token(request.line, [&](std::string_view token) { words.push_back(token); });
  Decoded decoded;
  for (const std::string_view word : words) decoded.source.emplace_back(word);
  if (keep_forest && settings_.space.whole && is_free(workspace, request)) {
    write_space(workspace, number, request, words, decoded);
    decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return decoded;
  }
  std::optional<ForestWriter<LeftToRightView>> writer;
  if (keep_forest) writer.emplace(workspace.builder, words.size());
  const bool forced = !request.constraints.references.empty();
  const LengthLimit limit{settings_.max_sentence_length, settings_.split && !forced, ""};
  const auto ends = limited_pieces(number, words, request, limit, keep_forest);
  for_each_piece(request, words.size(), ends, [&](std::uint32_t begin, std::uint32_t end, const Request& part) {
    const features::LanguageModelCost before = workspace.cost();
    const auto run = [&](bool make_up) {
      workspace.sentence.prepare(settings_, number, std::span(words).subspan(begin, end - begin), part, table,
                                 workspace.rule_features, make_up);
      workspace.search.run(settings_, height_weight(), workspace.sentence, workspace.extender);
      return !workspace.search.goal_nodes().empty();
    };
    decoded.reached = run(false) || (!part.constraints.prefix.empty() && run(true));
    decoded.language_models += workspace.cost() - before;
    decoded.statistics += workspace.search.statistics();
    decoded.statistics.rules_matched += workspace.sentence.matched();
    ++decoded.pieces;
    if (!decoded.reached && forced) {
      const LeftToRightSentence& sentence = workspace.sentence;
      return diagnose(
          sentence.references().references(), sentence.options().all(), end - begin,
          [&](const Option& option) { return sentence.target(option); },
          [](const Option& option, const auto& use) {  // nonterminals may cover some of them
            for (std::uint32_t position = option.span.start; position < option.span.end; ++position) use(position);
          },
          decoded);
    }
    if (!decoded.reached)
      throw InputError("no derivation covers all words", "sentence " + std::to_string(number + 1),
                       "raise the beam, or leave out exclusive options");
    const LeftToRightView view(*model_, workspace.sentence, workspace.extender, workspace.search);
    append_best(view, workspace, begin, decoded);
    if (writer) writer->add_piece(view, begin);
  });
  if (writer && decoded.reached) {
    decoded.forest = std::make_shared<forest::Forest>(writer->finish());
    decoded.words = writer->words();
  }
  decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return decoded;
}

bool LeftToRightDecoder::is_free(const LeftToRightWorkspace& workspace, const Request& request) {
  return workspace.extender.states() == 0 && request.constraints.references.empty() &&
         request.constraints.prefix.empty();
}

void LeftToRightDecoder::write_space(LeftToRightWorkspace& workspace, std::size_t number, const Request& request,
                                     std::span<const std::string_view> words, Decoded& decoded) const {
  LeftToRightSpaceWriter writer(workspace.builder, words.size());
  const auto ends = limited_pieces(number, words, request, {settings_.max_sentence_length, settings_.split, ""}, true);
  for_each_piece(request, words.size(), ends, [&](std::uint32_t begin, std::uint32_t end, const Request& part) {
    workspace.sentence.prepare(settings_, number, words.subspan(begin, end - begin), part, model_->table->view(),
                               workspace.rule_features, false);
    const FeatureId height = settings_.reordering_features ? model_->height : kNoFeature;
    if (!writer.add_piece(workspace.sentence, begin, height, height_weight(), settings_.space))
      throw InputError("no derivation covers all words", "sentence " + std::to_string(number + 1),
                       "leave out exclusive options");
    decoded.statistics.rules_matched += workspace.sentence.matched();
    ++decoded.pieces;
  });
  decoded.forest = std::make_shared<forest::Forest>(writer.finish());
  decoded.words = writer.words();
}

double LeftToRightDecoder::bound(const Request& request, std::span<const BoundedModel> models,
                                 const StopCallback& stop) const {
  return shared_->once(stop, [&](LeftToRightWorkspace& workspace) { return bound_one(workspace, request, models); });
}

double LeftToRightDecoder::bound_one(LeftToRightWorkspace& workspace, const Request& request,
                                     std::span<const BoundedModel> models) const {
  std::vector<std::string_view> words;
  for_each_token(request.line, [&](std::string_view token) { words.push_back(token); });
  const double height = settings_.reordering_features ? height_weight() : 0;
  LeftToRightSentence& sentence = workspace.sentence;
  double sum = OptionBounds(models).end();
  const auto ends = limited_pieces(0, words, request, {settings_.max_sentence_length, settings_.split, ""}, false);
  for_each_piece(request, words.size(), ends, [&](std::uint32_t begin, std::uint32_t end, const Request& part) {
    sentence.prepare(settings_, 0, std::span(words).subspan(begin, end - begin), part, model_->table->view(),
                     workspace.rule_features, !part.constraints.prefix.empty());
    OptionBounds options(models);
    options.begin(
        sentence.options(), [&](const Option& option) { return sentence.target(option); },
        [&](WordId word) { return sentence.spell_target(word); });
    const StateBounds others = state_bounds(workspace.extender, sentence.options().all());
    options.add(others.most);
    sum += others.at_end + first_bound(sentence, options, height);
  });
  return sum;
}

double LeftToRightDecoder::height_weight() const noexcept {
  return model_->height < shared_->weights.size() ? shared_->weights[model_->height] : 0;
}

// The best translation of the piece that was searched last, which begins at word `offset`.
void LeftToRightDecoder::append_best(const LeftToRightView& view, const LeftToRightWorkspace& workspace,
                                     std::uint32_t offset, Decoded& decoded) const {
  const NodeId best = view.goal_nodes()[0];
  decoded.score += view.node(best).priority;
  std::vector<NodeId> path;
  for (NodeId id = best; !view.is_start(id); id = view.node(id).previous) path.push_back(id);
  std::vector<forest::Link> links;
  for (auto id = path.rbegin(); id != path.rend(); ++id) {
    const Application& application = view.application(*id);
    Step step;
    step.span_start = offset + application.span.start;
    step.span_end = offset + application.span.end;
    workspace.sentence.own_positions(application, step.positions);
    for (std::uint32_t& position : step.positions) position += offset;
    step.source_start = step.positions.front();
    step.source_end = step.positions.back() + 1;
    step.target_start = static_cast<std::uint32_t>(decoded.target.size());
    for (const WordId word : view.target(*id)) decoded.target.emplace_back(view.spell(word));
    step.target_end = static_cast<std::uint32_t>(decoded.target.size());
    step.unknown = workspace.sentence.is_unknown(view.chosen(*id));
    step.score = view.node(*id).score - view.node(view.node(*id).previous).score;
    view.links(*id, links);
    for (const forest::Link link : links)
      step.links.emplace_back(step.span_start + link.source, step.target_start + link.target);
    view.option_values(*id, step.values);
    view.place_values(*id, step.values);
    decoded.steps.push_back(std::move(step));
  }
  view.final_values(best, decoded.final_values);
}

}  // namespace dragoman::search
