#include "search/hiero_decoder.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "features/height.hpp"
#include "search/chart_growth.hpp"
#include "search/chart_search.hpp"
#include "search/first_bound.hpp"
#include "search/hiero_forest.hpp"
#include "search/pieces.hpp"
#include "search/shared_decoding.hpp"
#include "search/state_bounds.hpp"
#include "search/unreached.hpp"

namespace dragoman::search {
namespace {

// The best translation of a piece, read off from the goal down: its words, and where every rule put its own.
class Reading {
 public:
  Reading(const ChartView& view, std::uint32_t offset, Decoded& decoded)
      : view_(view), offset_(offset), decoded_(decoded) {}

  void read(NodeId best) {
    const auto first = decoded_.steps.size();
    walk(best);
    view_.final_values(best, decoded_.final_values);
    // Steps are in the order of the tree; those that wrote something go by what they wrote first.
    std::stable_sort(decoded_.steps.begin() + static_cast<std::ptrdiff_t>(first), decoded_.steps.end(),
                     [](const Step& a, const Step& b) { return a.target_start < b.target_start; });
  }

 private:
  void walk(NodeId id) {
    const HieroSentence& sentence = view_.sentence();
    const ChartNode& node = view_.search().node(id);
    const Option& option = sentence.options()[node.option];
    const auto tails = view_.search().tails(node);
    std::vector<std::uint32_t> own, places;
    sentence.own_positions(node.option, own);
    for (const WordId symbol : sentence.target(option)) {
      places.push_back(static_cast<std::uint32_t>(decoded_.target.size()));
      if (grammar::is_nonterminal(symbol))
        walk(tails[grammar::index_of(symbol)]);
      else
        decoded_.target.emplace_back(sentence.spell_target(symbol));
    }
    FeatureVector values;
    view_.step_values(id, values);
    if (own.empty()) {  // no word of its own: what it fired belongs to the sentence as a whole
      decoded_.final_values.insert(decoded_.final_values.end(), values.begin(), values.end());
      return;
    }
    Step step;
    step.target_start = step.target_end = static_cast<std::uint32_t>(decoded_.target.size());
    std::vector<std::uint32_t> written;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (!grammar::is_nonterminal(sentence.target(option)[i])) written.push_back(places[i]);
    if (!written.empty()) {
      step.target_start = written.front();
      step.target_end = written.back() + 1;
    }
    step.source_start = offset_ + own.front();
    step.source_end = offset_ + own.back() + 1;
    step.span_start = offset_ + option.span.start;
    step.span_end = offset_ + option.span.end;
    for (const std::uint32_t position : own) step.positions.push_back(offset_ + position);
    step.target_positions = std::move(written);
    step.unknown = sentence.is_unknown(option);
    step.score = view_.step_score(id);
    std::vector<forest::Link> links;
    sentence.option_links(node.option, links);
    for (const forest::Link link : links)
      if (link.target < places.size())
        step.links.emplace_back(offset_ + option.span.start + link.source, places[link.target]);
    step.values = std::move(values);
    decoded_.steps.push_back(std::move(step));
  }

  const ChartView& view_;
  std::uint32_t offset_;
  Decoded& decoded_;
};

}  // namespace

// What one thread needs; features keep per-sentence tables, so every thread has its own.
struct HieroDecoder::Workspace {
  Workspace(const HieroModel& model, std::span<const double> weights) : sentence(model, weights, extender) {
    for (const auto& use : model.language_models) extender.language_models.emplace_back(use);
    for (const auto& make : model.chart_features) extender.others.push_back(make());
    if (model.with_reordering) {
      extender.with_reordering = true;
      extender.others.push_back(std::make_unique<features::HeightFeature>(model.reordering.height));
    }
    for (const auto& make : model.rule_features) rule_features.push_back(make());
  }

  ChartExtender extender;
  std::vector<std::unique_ptr<features::RuleFeature>> rule_features;
  HieroSentence sentence;
  ChartSearch<ChartExtender> pruning;
  ChartGrowth<ChartExtender> growing;
  forest::ForestBuilder builder;
};

struct HieroDecoder::Shared : SharedDecoding<HieroModel, Workspace> {
  using SharedDecoding::SharedDecoding;
};

HieroDecoder::HieroDecoder(std::shared_ptr<const HieroModel> model, std::vector<double> weights, HieroSettings settings)
    : HieroDecoder(std::make_shared<Shared>(std::move(model), std::move(weights)), settings) {}

HieroDecoder::HieroDecoder(std::shared_ptr<Shared> shared, HieroSettings settings)
    : shared_(std::move(shared)), model_(shared_->model.get()), settings_(settings) {}

std::vector<Decoded> HieroDecoder::decode(std::span<const Request> requests, int threads, bool keep_forests,
                                          const StopCallback& stop) const {
  return shared_->decode(requests.size(), threads, stop,
                         [&](Workspace& workspace, std::size_t number, const auto& table) {
                           return decode_one(workspace, number, requests[number], table, keep_forests);
                         });
}

Decoded HieroDecoder::decode_one(Workspace& workspace, std::size_t number, const Request& request,
                                 const std::shared_ptr<const grammar::LayeredView>& table, bool keep_forest) const {
  const auto start = std::chrono::steady_clock::now();
  const std::string place = "sentence " + std::to_string(number + 1);
  std::vector<std::string_view> words;
  for_each_token(request.line, [&](std::string_view token) { words.push_back(token); });
  Decoded decoded;
  for (const std::string_view word : words) decoded.source.emplace_back(word);
  std::optional<HieroForestWriter> writer;
  if (keep_forest) writer.emplace(workspace.builder, words.size());
  const LengthLimit limit{settings_.max_sentence_length, settings_.split, ""};
  const auto ends = limited_pieces(number, words, request, limit, keep_forest);
  const auto& references = request.constraints.references;
  if (ends.size() > 1 && !references.empty())
    throw InputError("a reference for a sentence of " + std::to_string(words.size()) + " tokens, which is too long",
                     place, "raise max_sentence_length");
  for_each_piece(request, words.size(), ends, [&](std::uint32_t begin, std::uint32_t end, const Request& part) {
    workspace.sentence.prepare(settings_, number, std::span(words).subspan(begin, end - begin), part.extra, part.marks,
                               table, workspace.rule_features, references);
    const bool grow = settings_.algorithm == HieroSettings::Algorithm::kGrowing;
    const HieroNodes& search =
        grow ? static_cast<const HieroNodes&>(workspace.growing) : static_cast<const HieroNodes&>(workspace.pruning);
    const ChartView view(workspace.sentence, workspace.extender, search);
    ++decoded.pieces;
    if (begin < end) {
      if (workspace.sentence.goal() == HieroSentence::kNoCell)
        throw InputError("no sequence of rules covers all words", place,
                         "see whether exclusive options overlap each other");
      const features::LanguageModelCost before = workspace.extender.cost();
      const HieroSentence& sentence = workspace.sentence;
      if (grow)
        workspace.growing.run(settings_, sentence.chart(), sentence.options(), sentence.goal(), workspace.extender);
      else
        workspace.pruning.run(settings_, sentence.chart(), sentence.options(), sentence.goal(), workspace.extender);
      decoded.language_models += workspace.extender.cost() - before;
      decoded.statistics += search.statistics();
      decoded.statistics.rules_matched += workspace.sentence.matched();
      if (search.goal_nodes().empty()) {
        decoded.reached = false;
        if (references.empty()) return;
        return diagnose(
            workspace.extender.constraint.references(), sentence.options().all(), end - begin,
            [&](const Option& option) { return sentence.target(option); },
            [](const Option& option, const auto& use) {  // nonterminals may cover some of them
              for (std::uint32_t position = option.span.start; position < option.span.end; ++position) use(position);
            },
            decoded);
      }
      const NodeId best = search.goal_nodes()[0];
      decoded.score += search.node(best).priority;
      Reading(view, begin, decoded).read(best);
    } else if (!references.empty()) {
      decoded.reached = std::ranges::any_of(references, [](std::string_view reference) {
        return reference.find_first_not_of(' ') == std::string_view::npos;
      });
    }
    if (writer) writer->add_piece(view, begin);
  });
  if (writer && decoded.reached) {
    decoded.forest = std::make_shared<forest::Forest>(writer->finish());
    decoded.words = writer->words();
  }
  decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return decoded;
}

double HieroDecoder::bound(const Request& request, std::span<const BoundedModel> models,
                           const StopCallback& stop) const {
  return shared_->once(stop, [&](Workspace& workspace) { return bound_one(workspace, request, models); });
}

double HieroDecoder::bound_one(Workspace& workspace, const Request& request,
                               std::span<const BoundedModel> models) const {
  std::vector<std::string_view> words;
  for_each_token(request.line, [&](std::string_view token) { words.push_back(token); });
  const FeatureId height = model_->reordering.height;
  const double weight = model_->with_reordering && height < shared_->weights.size() ? shared_->weights[height] : 0;
  HieroSentence& sentence = workspace.sentence;
  double sum = OptionBounds(models).end();
  const auto ends = limited_pieces(0, words, request, {settings_.max_sentence_length, settings_.split, ""}, false);
  for_each_piece(request, words.size(), ends, [&](std::uint32_t begin, std::uint32_t end, const Request& part) {
    if (begin == end) return;
    sentence.prepare(settings_, 0, std::span(words).subspan(begin, end - begin), part.extra, part.marks,
                     model_->table->view(), workspace.rule_features, request.constraints.references);
    if (sentence.goal() == HieroSentence::kNoCell) {
      sum = OptionBounds::kNever;
      return;
    }
    OptionBounds options(models);
    options.begin(
        sentence.options(), [&](const Option& option) { return sentence.target(option); },
        [&](WordId word) { return sentence.spell_target(word); });
    const StateBounds others = state_bounds(workspace.extender, model_->chart_features.size(), sentence.chart(),
                                            sentence.goal(), sentence.options().all());
    options.add(others.most);
    sum += others.at_end + first_bound(sentence.chart(), sentence.goal(), options, weight);
  });
  return sum;
}

}  // namespace dragoman::search
