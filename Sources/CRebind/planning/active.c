#if defined(__linux__)
#define _GNU_SOURCE
#include "planning/active.h"

/// The size of the memory that has a batch and the first elements of its vectors.
enum { SIZE = 4096 };

/// The states of each item, in the memory of the batch.
struct kept {
  struct crebind_planned_item item;
  struct crebind_planned_name name;
  struct crebind_original summary;
  struct crebind_name_state state;
};

crebind_status crebind_active_make(struct crebind_handle **result,
                                   const crebind_rebinding *rebindings,
                                   const struct crebind_exact_definition *exact, size_t count,
                                   const crebind_options *options, bool needs_replacements,
                                   bool is_own, int64_t *bad_item) {
  *bad_item = -1;
  struct crebind_active *active = crebind_memory(SIZE);
  if (active == NULL) return CREBIND_OUT_OF_MEMORY;
  struct crebind_handle *handle = &active->handle;
  // The vectors by known image begin in the rest of the memory.
  _Static_assert(sizeof *active <= SIZE / 2, "the rest has room");
  crebind_handle_begin(handle, active + 1, SIZE - sizeof *active, is_own);
  active->postponed = CREBIND_VECTOR(struct crebind_entry);
  crebind_status status = crebind_batch_make(&handle->batch, rebindings, exact, count, options,
                                             needs_replacements, sizeof(struct kept), bad_item);
  if (status != CREBIND_OK) {
    crebind_active_free(handle);
    return status;
  }
  // The arrays follow each other by falling alignment.
  active->planned_items = handle->batch.room;
  active->planned_names = (struct crebind_planned_name *)(active->planned_items + count);
  active->summaries = (struct crebind_original *)(active->planned_names + count);
  active->name_states = (struct crebind_name_state *)(active->summaries + count);
  *result = handle;
  return CREBIND_OK;
}

void crebind_active_free(struct crebind_handle *handle) {
  crebind_handle_end(handle);
  crebind_vector_free(&crebind_active_of(handle)->postponed);
  crebind_memory_free(handle, SIZE);
}

void crebind_judge_name_of(struct crebind_handle *handle, const struct crebind_entry *entry) {
  const struct crebind_item *item = crebind_batch_item(&handle->batch, entry->item);
  int64_t name = crebind_names_find_equal(&handle->batch.names, &item->name);
  crebind_active_of(handle)->name_states[name].is_due = true;
}

void crebind_judge_contested_names(struct crebind_handle *handle) {
  for (size_t n = 0; n < handle->batch.names.count; n++) {
    struct crebind_name_state *state = &crebind_active_of(handle)->name_states[n];
    state->is_due |= state->is_contested;
    state->is_contested = false;
  }
}

void crebind_forget_due_names(struct crebind_handle *handle) {
  for (size_t n = 0; n < handle->batch.names.count; n++)
    crebind_active_of(handle)->name_states[n].is_due = false;
}
#endif
