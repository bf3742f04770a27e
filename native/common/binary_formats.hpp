#pragma once
// The kinds of binary file that people and caches keep, each with the version of its layout: all in one table, so that
// whoever keeps such files can tell when one was written by another version. A change of layout raises a number here; a
// change of `common/hash.hpp`, which checksums and look-up tables rest on, raises all.
#include <array>
#include <cstdint>
#include <string_view>

namespace dragoman {

struct BinaryFormat {
  std::string_view kind;  // four letters in the header of the file
  std::uint16_t version;
  std::string_view what = {};  // for people; empty for the scratch files of a running job
};

inline constexpr BinaryFormat kAlignmentFormat{"ALGN", 2, "word alignment tables"};
inline constexpr BinaryFormat kChoiceModelFormat{"CHCE", 1, "models of choices"};
inline constexpr BinaryFormat kCorpusIndexFormat{"CIDX", 2, "corpus index"};
inline constexpr BinaryFormat kForestFormat{"FRST", 2, "forests"};
inline constexpr BinaryFormat kBoundsFormat{"LMBD", 2, "language model bounds"};
inline constexpr BinaryFormat kJointModelFormat{"JNTM", 1, "joint model"};
inline constexpr BinaryFormat kLanguageModelFormat{"LMNG", 3, "language model"};
inline constexpr BinaryFormat kMutualInformationFormat{"MUTI", 1, "mutual information of words"};
inline constexpr BinaryFormat kPhraseVectorsFormat{"WVEC", 1, "word vectors of two languages"};
inline constexpr BinaryFormat kTableFormat{"RULE", 2, "translation table"};
inline constexpr BinaryFormat kVocabularyFormat{"VOCB", 2, "vocabulary"};

inline constexpr std::array kBinaryFormats{
    kAlignmentFormat,     kChoiceModelFormat, kCorpusIndexFormat,   kForestFormat,
    kBoundsFormat,        kJointModelFormat,  kLanguageModelFormat, kMutualInformationFormat,
    kPhraseVectorsFormat, kTableFormat,       kVocabularyFormat};

}  // namespace dragoman
