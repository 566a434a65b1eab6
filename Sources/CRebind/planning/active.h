/// A batch, with the state that is kept for it besides the words that it has changed.

#if defined(__linux__)
#pragma once

#include "binding/records.h"

#pragma GCC visibility push(hidden)

/// The original that a rebinding gives its replacement; see planning/originals.h.
struct crebind_original {
  uintptr_t original;
  /// Where it comes from: the entry at this address of the known image with this index; 0 for none.
  uintptr_t address;
  size_t image;
  /// The function that the entry at this address led to when the originals were last compared, and
  /// whether the entry was a slot.
  uintptr_t source_original;
  bool source_is_slot;
  /// The original came from a slot, which may have gone since.
  bool is_of_slot;
  /// Without us, the slots would lead to different functions.
  bool differs;
  /// Some slot or definition has another original.
  bool is_ambiguous;
};

/// Which definition of a name is redirected; see definitions/redirect.h.
struct crebind_name_state {
  /// An image that defines the name has come or gone: the name has to be judged anew.
  bool is_due;
  /// The choice may change though no image comes or goes; see `crebind_scopes_elect_outside`.
  bool is_contested;
};

/// A plan's state for a rebinding; see planning/plan.h.
struct crebind_planned_item {
  /// A slot in scope leads to the replacement already, or is about to.
  bool is_reached;
  /// The last answer of the records: is this function a replacement? Most slots of a name ask about
  /// the same function.
  bool last_is_replacement;
  uintptr_t last_function;
};

/// A plan's state for a name.
struct crebind_planned_name {
  /// The first image of the global scope that defines the name.
  size_t first_definer;
  /// The definition outside of the global scope that was last found to be the one to redirect, and
  /// its version.
  bool has_election;
  const char *elected_version;
  size_t elected_image, elected_symbol;
};

/// Are a batch's definitions postponed? See planning/postponed.h.
enum crebind_postponement {
  CREBIND_NOT_POSTPONED = 0,
  /// The call that applies the batch waits for threads.
  CREBIND_POSTPONED_BY_CALL,
  /// The call does not wait for the threads any longer.
  CREBIND_POSTPONED_BY_THREADS,
};

/// A batch with this state. Each `crebind_handle` is the first field of one.
struct crebind_active {
  struct crebind_handle handle;
  struct crebind_original *summaries;     // by item
  struct crebind_name_state *name_states;  // by name
  // The state of the plan under way.
  struct crebind_planned_item *planned_items;  // by item
  struct crebind_planned_name *planned_names;  // by name
  enum crebind_postponement postponement;
  struct crebind_vector postponed;  // struct crebind_entry: the definitions, as they were planned
  /// Later images may be bound to something that is not redirected.
  bool needs_notice;
  /// Some slots were left to another local scope. An image that goes may change that.
  bool leaves_slots;
  /// A definition was given back at the last call, and images may have been bound to it.
  bool may_be_bound;
};

static inline struct crebind_active *crebind_active_of(const struct crebind_handle *handle) {
  return (struct crebind_active *)handle;
}

static inline struct crebind_original *crebind_original_of(const struct crebind_handle *handle,
                                                           size_t item) {
  return &crebind_active_of(handle)->summaries[item];
}

/// Copies and checks a batch.
///
/// \param is_own The batch consists of our own wrappers, not of a user's replacements.
/// \param bad_item Receives the index of the rebinding that is refused, or -1.
/// \returns See `crebind_batch_make`.
crebind_status crebind_active_make(struct crebind_handle **result,
                                   const crebind_rebinding *rebindings,
                                   const struct crebind_exact_definition *exact, size_t count,
                                   const crebind_options *options, bool needs_replacements,
                                   bool is_own, int64_t *bad_item);
void crebind_active_free(struct crebind_handle *handle);

/// Notes that the batch needs notice of later images, if it does: without notice, not all of them
/// are served.
static inline void crebind_need_notice(struct crebind_handle *handle, bool is_needed) {
  crebind_active_of(handle)->needs_notice |= is_needed;
}

/// Notes whether a batch has left slots to other local scopes. An image that goes may change that.
static inline void crebind_note_left_slots(struct crebind_handle *handle, bool leaves_slots) {
  crebind_active_of(handle)->leaves_slots = leaves_slots;
}

/// Notes that the definitions of an entry's name have to be judged anew.
void crebind_judge_name_of(struct crebind_handle *handle, const struct crebind_entry *entry);

/// Has those names judged, too, whose definitions may change though no image comes or goes.
void crebind_judge_contested_names(struct crebind_handle *handle);

/// Notes that all names have been judged.
void crebind_forget_due_names(struct crebind_handle *handle);

/// Notes that images may have been bound to a definition that was given back at the last call.
static inline void crebind_note_may_be_bound(struct crebind_handle *handle, bool may_be_bound) {
  crebind_active_of(handle)->may_be_bound = may_be_bound;
}

#pragma GCC visibility pop
#endif
