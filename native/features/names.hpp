#pragma once
// Feature names, interned once. Threads decode at the same time and sparse features make up names as they go, so this
// table is shared and locked; a template keeps a table of its own from what it saw (word ids, say) to feature ids, and
// comes here only for what is new to it. Ids depend on who came first; names, and so results, never do.
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "common/vocabulary.hpp"
#include "features/feature.hpp"

namespace dragoman::features {

class FeatureNames {
 public:
  FeatureId intern(std::string_view name) {
    {
      const std::shared_lock reading(lock_);
      if (const auto found = names_.view().find(name)) return *found;
    }
    const std::unique_lock writing(lock_);
    return names_.intern(name);  // id 0, a vocabulary's <unk>, never fires
  }
  [[nodiscard]] std::string name(FeatureId id) const {
    const std::shared_lock reading(lock_);
    return std::string(names_.word(id));
  }
  [[nodiscard]] std::size_t size() const {
    const std::shared_lock reading(lock_);
    return names_.size();
  }
  // Adds to `others`, a vocabulary that this table filled before, the names that are new since then.
  void append_to(Vocabulary& others) const {
    const std::shared_lock reading(lock_);
    for (std::size_t id = others.size(); id < names_.size(); ++id) others.intern(names_.word(static_cast<WordId>(id)));
  }

 private:
  mutable std::shared_mutex lock_;
  Vocabulary names_;
};

}  // namespace dragoman::features
