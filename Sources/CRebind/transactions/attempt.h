/// A call's work under the locks, tried until the set of images holds still. The locks and
/// the phases are described in attempt.c.

#if defined(__linux__)
#pragma once

#include "patching/commit.h"
#include "arrivals/held-images.h"
#include "planning/plan.h"

#pragma GCC visibility push(hidden)

struct crebind_attempt {
  struct crebind_world world;
  /// For the words that the call stores.
  struct crebind_commit commit;
  /// The images to hold before anything is stored: a body that adds one returns CREBIND_BUSY.
  struct crebind_held_images *held_images;
  /// The dynamic tag that is broken in the commit's failed image.
  int64_t failed_tag;
  /// The rebinding that the call fails for, or -1.
  int64_t failed_item;
  /// The body has done its work. Questions that it has put since do not lead to another attempt.
  bool is_done;
};

/// Runs phases B and C, with `body` at the end of C. It runs them again while `body` returns
/// CREBIND_BUSY, for some tenths of a second, with the errands of phase D in between.
crebind_status crebind_attempt(crebind_status (*body)(struct crebind_attempt *attempt,
                                                      void *context),
                               void *context, struct crebind_handle *new_handle,
                               crebind_error *error);

/// Makes a batch that is not active yet: see `crebind_active_make`. On failure fills in `error`.
crebind_status crebind_handle_make(struct crebind_handle **result,
                                   const crebind_rebinding *rebindings,
                                   const struct crebind_exact_definition *exact, size_t count,
                                   const crebind_options *options, bool needs_replacements,
                                   bool is_own, crebind_error *error);

/// False if a lookup came upon an image that the loader has to be asked about:
/// store nothing then, and return CREBIND_BUSY.
static inline bool crebind_attempt_is_sure(const struct crebind_attempt *attempt) {
  return crebind_scopes_are_sure(&attempt->world.scopes);
}

/// Asks for whatever has to be known before the batch is planned; a body's first step. Returns
/// CREBIND_BUSY if a resolver has to be called: otherwise the plan would come upon it and be made
/// twice.
crebind_status crebind_attempt_ask(struct crebind_attempt *attempt,
                                   const struct crebind_handle *handle);

/// Plans the batch over all images.
crebind_status crebind_attempt_plan(struct crebind_attempt *attempt, struct crebind_plan *plan,
                                    const struct crebind_handle *handle);

#pragma GCC visibility pop
#endif
