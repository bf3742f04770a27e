#pragma once
// The grammar room's binding is in three files: extraction, the table itself, and what is done to tables.
#include <nanobind/nanobind.h>

namespace dragoman {

void bind_table(nanobind::module_& m);
void bind_table_tools(nanobind::module_& m);

}  // namespace dragoman
