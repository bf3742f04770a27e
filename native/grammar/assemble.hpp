#pragma once
// The last step of extraction: scored blocks, in order, into one table.
#include <filesystem>
#include <vector>

#include "grammar/merge.hpp"
#include "grammar/table_writer.hpp"

namespace dragoman::grammar {

void assemble(const Merged& merged, const std::vector<std::filesystem::path>& blocks, const TableSchema& schema,
              const std::filesystem::path& path);

}  // namespace dragoman::grammar
