/// The slots of a batch before it is applied, for callers inside of the core.

#if defined(__linux__)
#pragma once

#include "binding/batch.h"

#pragma GCC visibility push(hidden)

/// The same as `crebind_plan`.
///
/// \param exact See `crebind_batch_make`.
crebind_status crebind_plan_exact(const crebind_rebinding *rebindings,
                                  const struct crebind_exact_definition *exact, size_t count,
                                  const crebind_options *options, crebind_slot_visitor *visit,
                                  void *context, crebind_error *error);

#pragma GCC visibility pop
#endif
