#include "search/gappy_decoder.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <unordered_map>

#include "search/gappy_view.hpp"
#include "search/pieces.hpp"
#include "search/search_forest.hpp"
#include "search/shared_decoding.hpp"
#include "search/workspace.hpp"

namespace dragoman::search {
namespace {

// The best translation of a piece that begins at word `offset`: a step for each phrase, whatever it wrote later.
void append_best(const GappyView& view, std::uint32_t offset, Decoded& decoded) {
  const NodeId best = view.goal_nodes()[0];
  decoded.score += view.node(best).priority;
  std::vector<NodeId> path;
  for (NodeId id = best; !view.is_start(id); id = view.node(id).previous) path.push_back(id);
  std::vector<forest::Link> links;
  std::unordered_map<std::uint32_t, std::size_t> unfinished;  // steps by the option that they write next
  for (auto id = path.rbegin(); id != path.rend(); ++id) {
    const GappySentence& sentence = view.sentence();
    const std::uint32_t option = view.option(*id);
    const GappyGroup& group = sentence.group_of(option);
    std::size_t at = decoded.steps.size();
    if (const auto found = unfinished.find(option); view.is_later(*id) && found != unfinished.end()) {
      at = found->second;
      unfinished.erase(found);
    } else {
      Step& made = decoded.steps.emplace_back();
      sentence.own_positions(option, made.positions);
      for (std::uint32_t& position : made.positions) position += offset;
      made.source_start = made.span_start = offset + group.span.start;
      made.source_end = made.span_end = offset + group.span.end;
      made.target_start = static_cast<std::uint32_t>(decoded.target.size());
      made.unknown = sentence.is_unknown(view.step(*id));
      made.score = 0;
    }
    Step& step = decoded.steps[at];
    const std::uint32_t next = view.is_later(*id) ? option + 1 : group.first_later;
    if (group.later > 0 && next < group.first_later + group.later) unfinished[next] = at;
    const auto first = static_cast<std::uint32_t>(decoded.target.size());
    for (const WordId word : view.target(*id)) {
      step.target_positions.push_back(static_cast<std::uint32_t>(decoded.target.size()));
      decoded.target.emplace_back(view.spell(word));
    }
    step.target_end = static_cast<std::uint32_t>(decoded.target.size());
    step.score += view.node(*id).score - view.node(view.node(*id).previous).score;
    view.links(*id, links);
    for (const forest::Link link : links)
      step.links.emplace_back(offset + group.span.start + link.source, first + link.target);
    view.option_values(*id, step.values);
    view.place_values(*id, step.values);
  }
  view.final_values(best, decoded.final_values);
}

}  // namespace

struct GappyDecoder::GappyWorkspace : Workspace {
  GappyWorkspace(const GappyModel& model, std::span<const double> weights)
      : Workspace(model, weights), sentence(model, weights, extender) {}

  GappySentence sentence;
  GappySearch search;
};

struct GappyDecoder::Shared : SharedDecoding<GappyModel, GappyWorkspace> {
  using SharedDecoding::SharedDecoding;
};

GappyDecoder::GappyDecoder(std::shared_ptr<const GappyModel> model, std::vector<double> weights, GappySettings settings)
    : GappyDecoder(std::make_shared<Shared>(std::move(model), std::move(weights)), settings) {}

std::vector<Decoded> GappyDecoder::decode(std::span<const Request> requests, int threads, bool keep_forests,
                                          const StopCallback& stop) const {
  return shared_->decode(requests.size(), threads, stop,
                         [&](GappyWorkspace& workspace, std::size_t number, const auto& table) {
                           return decode_one(workspace, number, requests[number], table, keep_forests);
                         });
}

Decoded GappyDecoder::decode_one(GappyWorkspace& workspace, std::size_t number, const Request& request,
                                 const std::shared_ptr<const grammar::LayeredView>& table, bool keep_forest) const {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string_view> words;
  for_each_token(request.line, [&](std::string_view token) { words.push_back(token); });
  Decoded decoded;
  for (const std::string_view word : words) decoded.source.emplace_back(word);
  std::optional<ForestWriter<GappyView>> writer;
  if (keep_forest) writer.emplace(workspace.builder, words.size());
  const bool unlimited = settings_.distortion.limit < 0;
  const LengthLimit limit{unlimited ? std::min<std::uint32_t>(settings_.max_sentence_length, Coverage::kWindow)
                                    : settings_.max_sentence_length,
                          settings_.split, unlimited ? " without a distortion limit" : ""};
  const auto ends = limited_pieces(number, words, request, limit, keep_forest);
  for_each_piece(request, words.size(), ends, [&](std::uint32_t begin, std::uint32_t end, const Request& part) {
    workspace.sentence.prepare(settings_, number, std::span(words).subspan(begin, end - begin), part, table,
                               workspace.rule_features);
    const features::LanguageModelCost before = workspace.cost();
    workspace.search.run(settings_, *shared_->model, shared_->weights, workspace.sentence, workspace.extender);
    decoded.language_models += workspace.cost() - before;
    decoded.statistics += workspace.search.statistics();
    decoded.statistics.rules_matched += workspace.sentence.options();
    if (workspace.search.goal_nodes().empty())
      throw InputError("no sequence of options covers all words", "sentence " + std::to_string(number + 1),
                       "raise the distortion limit, or leave out options that allow no others");
    const GappyView view(*shared_->model, workspace.sentence, workspace.extender, workspace.search);
    append_best(view, begin, decoded);
    if (writer) writer->add_piece(view, begin);
  });
  decoded.pieces = ends.size();
  if (writer) {
    decoded.forest = std::make_shared<forest::Forest>(writer->finish());
    decoded.words = writer->words();
  }
  decoded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return decoded;
}

}  // namespace dragoman::search
