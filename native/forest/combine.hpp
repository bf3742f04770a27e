#pragma once
// Forests put together: union, and translation of ids from one vocabulary to another.
#include <span>
#include <vector>

#include "common/vocabulary.hpp"
#include "forest/forest.hpp"

namespace dragoman::forest {

// All derivations of all forests under one goal; a derivation that several have stays as often as they have it. The ids
// of words and features must mean the same in all of them.
[[nodiscard]] Forest unite(std::span<const Forest* const> forests);

// The same forest with ids of other vocabularies; words and features that those lack are added to them.
[[nodiscard]] Forest renamed(const Forest& forest, VocabularyView words, Vocabulary& into_words,
                             VocabularyView features, Vocabulary& into_features);

}  // namespace dragoman::forest
