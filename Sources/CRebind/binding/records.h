/// The changes of this copy of CRebind. The lock guards all of it.
///
/// Several batches may have an entry for one slot. In the order of the batches they form the slot's
/// chain. Each one's `previous` is the word of the one below it, and the slot holds the word of the
/// newest.

#if defined(__linux__)
#pragma once

#include "binding/batch.h"
#include "binding/decisions.h"
#include "binding/known-images.h"

#pragma GCC visibility push(hidden)

/// The kind of an entry that is no slot but the value of a defining symbol.
enum { CREBIND_DEFINITION = 1 << 3 };

/// The life of an entry.
enum crebind_entry_state {
  /// Our word is in place, or batches on top lead to it.
  CREBIND_STORED = 0,
  /// Planned for an image that came late, and not stored yet.
  CREBIND_DUE,
  /// A definition that is not redirected any more, and still has our word.
  CREBIND_TURNING_BACK,
  /// `crebind_handle_drop` takes it out.
  CREBIND_DROPPED,
};

/// One word that a batch has changed: a slot, or a definition's `st_value`.
struct crebind_entry {
  uintptr_t address;
  /// The word without us: a lazy slot's still points into the PLT.
  uintptr_t previous;
  /// The function that the word leads to without us.
  uintptr_t original;
  /// The word that we store.
  uintptr_t value;
  /// The indices of the rebinding in its batch, of the known image, and of the
  /// symbol in the image.
  uint32_t item, image, symbol;
  /// A `crebind_slot_kind` or CREBIND_DEFINITION.
  uint8_t kind;
  /// The loader had not bound the slot yet.
  bool is_lazy : 1;
  /// We must not store here: another copy of CRebind has stored a hook that leads to us.
  bool is_left : 1;
  /// An `enum crebind_entry_state`.
  uint8_t state : 2;
  /// The IFUNC resolver of ours that a definition leads to, plus one, or 0.
  uint16_t resolver;
};

/// The life of a batch.
enum crebind_handle_state {
  /// Only the call that makes the batch knows it.
  CREBIND_FRESH = 0,
  CREBIND_APPLIED,
  /// Being restored: the definitions lead to the originals again, the slots not yet.
  CREBIND_LEAVING,
  /// Restored, except words that are covered by somebody else's hook; see arrivals/unrestored.h.
  CREBIND_UNRESTORED,
  /// Left over from a call that failed, so nobody has the handle.
  CREBIND_ORPHAN,
};

/// An active batch. Its state besides the records is in planning/active.h.
struct crebind_handle {
  struct crebind_batch batch;
  /// One run for each known image, sorted by address.
  struct crebind_vector entries;  // struct crebind_entry
  struct crebind_vector runs;     // struct crebind_run, by known image
  struct crebind_decisions decisions;
  uint64_t serial;
  enum crebind_handle_state state;
  /// The batch consists of our own wrappers, not of a user's replacements.
  bool is_own;
  /// Batches that were applied before and after.
  struct crebind_handle *older, *newer;
};

struct crebind_run {
  uint32_t first, count;
};

struct crebind_records {
  struct crebind_handle *oldest, *newest;
  /// The newest one if that stays so, or NULL; see transactions/dlsym-slots.h.
  struct crebind_handle *topmost;
};

extern struct crebind_records crebind_records;

#define CREBIND_STEP(state) (1u << (state))

/// Takes a batch to its next state. A step that the table does not have is a mistake.
static inline void crebind_handle_step(struct crebind_handle *handle,
                                       enum crebind_handle_state state) {
  static const uint8_t steps[] = {
      [CREBIND_FRESH] = CREBIND_STEP(CREBIND_APPLIED) | CREBIND_STEP(CREBIND_UNRESTORED),
      [CREBIND_APPLIED] = CREBIND_STEP(CREBIND_LEAVING) | CREBIND_STEP(CREBIND_UNRESTORED),
      // Applied again, if it cannot be restored.
      [CREBIND_LEAVING] = CREBIND_STEP(CREBIND_APPLIED) | CREBIND_STEP(CREBIND_UNRESTORED),
      [CREBIND_UNRESTORED] = CREBIND_STEP(CREBIND_ORPHAN),
      [CREBIND_ORPHAN] = 0,
  };
  CREBIND_ASSERT(handle->state == state || (steps[handle->state] & CREBIND_STEP(state)) != 0);
  handle->state = state;
}

/// Takes an entry to its next state, in the same way.
static inline void crebind_entry_step(struct crebind_entry *entry,
                                      enum crebind_entry_state state) {
  static const uint8_t steps[] = {
      [CREBIND_STORED] = CREBIND_STEP(CREBIND_DUE) | CREBIND_STEP(CREBIND_TURNING_BACK)
                         | CREBIND_STEP(CREBIND_DROPPED),
      [CREBIND_DUE] = CREBIND_STEP(CREBIND_STORED) | CREBIND_STEP(CREBIND_DROPPED),
      // Stored still, if its word cannot be given back now.
      [CREBIND_TURNING_BACK] = CREBIND_STEP(CREBIND_STORED) | CREBIND_STEP(CREBIND_DROPPED),
      [CREBIND_DROPPED] = 0,
  };
  CREBIND_ASSERT(entry->state == state || (steps[entry->state] & CREBIND_STEP(state)) != 0);
  entry->state = (uint8_t)state & 3;
}

static inline bool crebind_is_leaving(const struct crebind_handle *handle) {
  return handle->state >= CREBIND_LEAVING;
}

static inline bool crebind_is_unrestored(const struct crebind_handle *handle) {
  return handle->state >= CREBIND_UNRESTORED;
}

/// Marks an entry to be taken out, if the condition holds.
static inline void crebind_entry_drop_if(struct crebind_entry *entry, bool is_dropped) {
  if (is_dropped) crebind_entry_step(entry, CREBIND_DROPPED);
}

/// Copies an entry, but for its IFUNC resolver.
static inline void crebind_entry_copy_without_resolver(struct crebind_entry *to,
                                                       const struct crebind_entry *from) {
  // clang calls memmove with -Os for an assignment.
  memcpy(to, from, sizeof *to);
  to->resolver = 0;
}

/// Notes that an entry lies on another word now, or on another function.
static inline void crebind_entry_lead(struct crebind_entry *entry, uintptr_t previous,
                                      uintptr_t original) {
  entry->previous = previous;
  entry->original = original;
}

/// Whether the loader has bound the slot, and whether it is for us to store, is as for the one
/// above.
static inline void crebind_entry_inherit_kind(struct crebind_entry *entry,
                                              const struct crebind_entry *above) {
  entry->is_lazy = above->is_lazy;
  entry->is_left = above->is_left;
}

/// The loader may have to bind the slot once more, as it would have had to bind the one below.
static inline void crebind_entry_inherit_lazy(struct crebind_entry *entry,
                                              const struct crebind_entry *below) {
  entry->is_lazy |= below->is_lazy;
}

/// The entries of a known image.
static inline struct crebind_run crebind_handle_run(const struct crebind_handle *handle,
                                                    size_t image) {
  if (image >= handle->runs.count) return (struct crebind_run){0, 0};
  return *(struct crebind_run *)crebind_vector_at(&handle->runs, image);
}

static inline struct crebind_entry *crebind_handle_entry(const struct crebind_handle *handle,
                                                         size_t index) {
  return crebind_vector_at(&handle->entries, index);
}

/// `for CREBIND_EACH_BATCH(handle)`: the active batches, the oldest first.
#define CREBIND_EACH_BATCH(handle) \
  (struct crebind_handle *handle = crebind_records.oldest; handle != NULL; handle = handle->newer)

/// The entry with this index, or the end; NULL without entries.
static inline struct crebind_entry *crebind_handle_place(const struct crebind_handle *handle,
                                                         size_t index) {
  return handle->entries.count == 0 ? NULL : crebind_handle_entry(handle, index);
}

/// `for CREBIND_EACH_ENTRY(entry, handle)`: the entries of a batch, which takes in none meanwhile.
#define CREBIND_EACH_ENTRY(entry, handle)                                             \
  (struct crebind_entry *entry = crebind_handle_place(handle, 0),                     \
                        *entry##_end = crebind_handle_place(handle, (handle)->entries.count); \
   entry < entry##_end; entry++)

/// The entry of a run for a word, or NULL.
struct crebind_entry *crebind_run_find(const struct crebind_handle *handle,
                                       struct crebind_run run, uintptr_t address);

/// The batch's entry for a word, or NULL. O(log(entries of the image)).
static inline struct crebind_entry *crebind_handle_find(const struct crebind_handle *handle,
                                                        size_t image, uintptr_t address) {
  struct crebind_run run = crebind_handle_run(handle, image);
  return run.count == 0 ? NULL : crebind_run_find(handle, run, address);
}

/// The next entry of the word's chain below or above `handle`'s place in it.
struct crebind_entry *crebind_find_below(const struct crebind_handle *handle, size_t image,
                                         uintptr_t address, struct crebind_handle **owner);
struct crebind_entry *crebind_find_above(const struct crebind_handle *handle, size_t image,
                                         uintptr_t address, struct crebind_handle **owner);

/// The topmost entry of a word's chain, or NULL; a definition's has left it when its
/// batch is being restored.
struct crebind_entry *crebind_find_top(size_t image, uintptr_t address);

/// The lowest entry of the word's chain: the entry itself if its batch is not active yet.
const struct crebind_entry *crebind_find_lowest(const struct crebind_entry *entry);

/// Recomputes the runs after a change of the entries, and sorts what the change has
/// brought out of order. Returns false without memory.
bool crebind_handle_index(struct crebind_handle *handle);

/// Takes out the entries that are marked.
void crebind_handle_drop(struct crebind_handle *handle);

/// Exchanges the entries of a batch that is not active for those of a plan.
void crebind_handle_exchange_entries(struct crebind_handle *handle, struct crebind_vector *entries);

/// Begins and ends a batch's records, apart from its memory.
///
/// \param room Memory for what its vectors hold at first.
void crebind_handle_begin(struct crebind_handle *handle, void *room, size_t size, bool is_own);
void crebind_handle_end(struct crebind_handle *handle);

/// Makes a batch the newest one but for the topmost, and an applied one if it was fresh.
void crebind_handle_link(struct crebind_handle *handle);
void crebind_handle_unlink(struct crebind_handle *handle);

/// Makes a batch the topmost one, which stays the newest.
void crebind_handle_link_topmost(struct crebind_handle *handle);

/// Another image has taken the index: the active batches' predicates are asked about it.
void crebind_forget_decisions(size_t known);

/// True if a batch has entries with the index of a known image.
bool crebind_has_entries(size_t known);

/// The active batch with this serial, or NULL.
struct crebind_handle *crebind_handle_with_serial(uint64_t serial);

/// True if the function is the replacement of an active rebinding of the name.
bool crebind_is_replacement(const struct crebind_name *name, uintptr_t function);

/// Counts what changes the annotations that are seen while the loader's counts stay the
/// same; with or without our lock.
uint64_t crebind_annotation_events(void);
void crebind_annotation_event(void);

/// The word that a definition's `st_value` has without any of us.
uintptr_t crebind_base_word(size_t image, const uintptr_t *address);

#pragma GCC visibility pop
#endif
