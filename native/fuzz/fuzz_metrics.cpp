// Any bytes at all, as hypothesis and reference, must be tokenized and scored by every metric without harm.
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "metrics/bleu.hpp"
#include "metrics/chrf.hpp"
#include "metrics/edits.hpp"
#include "metrics/meteor.hpp"
#include "metrics/nist.hpp"
#include "metrics/pairs.hpp"
#include "metrics/ter.hpp"
#include "metrics/terp.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  using namespace dragoman::metrics;
  const std::string_view text(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 2000));
  const std::size_t half = text.size() / 2;
  const std::vector<std::string_view> here{text.substr(0, half), text}, there{text.substr(half), text.substr(half / 2)};
  const std::vector<std::int64_t> groups{1, 2};
  for (const std::string_view name : {"none", "13a", "intl", "char", "zh", "tercom", "chrf"}) {
    const Tokenizer tokenizer(name, {true, true, true});
    Vocabulary words;
    const EncodedLines references = intern(tokenizer, there, words, 1);
    const EncodedLines known = lookup(tokenizer, here, words, 1);
    if (name == "char") continue;  // long for the quadratic metrics
    const EncodedLines hypotheses = intern(tokenizer, here, words, 1);
    const References refs{references, groups};
    WordRelations relations;
    for (std::size_t word = 0; word < words.size(); ++word) {
      relations.stems.push_back(static_cast<std::uint32_t>(word % 7));
      relations.synsets.push_back(static_cast<std::uint32_t>(word % 5));
      relations.synset_ends.push_back(static_cast<std::int64_t>(relations.synsets.size()));
    }
    PhrasePairs phrases;
    if (!references.line(0).empty() && !hypotheses.line(0).empty()) {
      phrases.add(hypotheses.line(0).first(1), references.line(0).first(1), 0.5);
    }
    MeteorOptions meteor_options;
    meteor_options.matching.stages = {true, true, true, true};
    TerpOptions terp_options;
    terp_options.relaxed = true;
    const NgramInformation information(references, 5);
    for (const std::vector<double>& rows :
         {bleu_statistics(known, refs, 4, ReferenceLength::kClosest, true, 1, {}),
          chrf_statistics(known, refs, known, references, {6, 2, 2, false}, 1, {}),
          nist_statistics(known, refs, information, 1, {}), ter_statistics(known, refs, 1, {}),
          edit_statistics(known, refs, EditKind::kWer, 1, {}), edit_statistics(known, refs, EditKind::kCder, 1, {}),
          meteor_statistics(hypotheses, refs, relations, phrases, meteor_options, 1, {}),
          terp_statistics(hypotheses, refs, relations, phrases, terp_options, 1, {}),
          bleu_matrix(known, references, {}, 1, {})}) {
      for (const double value : rows) {
        if (!std::isfinite(value)) std::abort();
      }
    }
  }
  return 0;
}
