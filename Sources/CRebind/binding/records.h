/// The changes of this copy of CRebind, and the images that it knows. The lock guards all of
/// it.
///
/// Several batches may have an entry for one slot. In the order of the batches they form the slot's
/// chain. Each one's `previous` is the word of the one below it, and the slot holds the word of the
/// newest.

#ifndef CREBIND_BINDING_RECORDS_H
#define CREBIND_BINDING_RECORDS_H

#include "binding/batch.h"
#include "elf/snapshot.h"

#pragma GCC visibility push(hidden)

/// The kind of an entry that is no slot but the value of a defining symbol.
enum { CREBIND_DEFINITION = 1 << 3 };

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
  /// Not for us to store: another copy of CRebind has, whose hook leads to us.
  bool is_left : 1;
  /// Planned for an image that came late, and not stored yet.
  bool is_due : 1;
  /// A definition that is not redirected any more, and still has our word.
  bool is_turning_back : 1;
  /// `crebind_handle_drop` takes it out.
  bool is_dropped : 1;
  /// The IFUNC resolver of ours that a definition leads to, plus one, or 0.
  uint16_t resolver;
};

/// The answer of a batch's predicate about a known image; CREBIND_ASKED while it is being
/// asked.
enum crebind_decision { CREBIND_UNDECIDED = 0, CREBIND_ASKED, CREBIND_REFUSED, CREBIND_ACCEPTED };

/// Are a batch's definitions postponed? See storing/judge.h.
enum crebind_postponement {
  CREBIND_NOT_POSTPONED = 0,
  /// The call that applies the batch waits for threads.
  CREBIND_POSTPONED_BY_CALL,
  /// Threads are not waited for any longer.
  CREBIND_POSTPONED_BY_THREADS,
};

/// An active batch.
struct crebind_handle {
  struct crebind_batch batch;
  /// In runs, one a known image, and each by address.
  struct crebind_vector entries;  // struct crebind_entry
  struct crebind_vector runs;     // struct crebind_run, by known image
  struct crebind_vector decisions;  // uint8_t, by known image
  /// The serial number of the last image that the decisions can be about, while the batch is not
  /// active yet. Another thread may give the index of an image that has gone to a later one.
  uint64_t last_decided;
  /// How many of the decisions are CREBIND_ASKED: the predicate may be running.
  size_t asked;
  uint64_t serial;
  enum crebind_postponement postponement;
  struct crebind_vector postponed;  // struct crebind_entry: the definitions, as they were planned
  /// Later images may be bound to something that is not redirected.
  bool needs_notice;
  /// Some slots were left to another local scope, which an image that goes may change.
  bool leaves_slots;
  /// Of wrappers of ours, and of nobody's replacements.
  bool is_own;
  /// Being restored: the definitions lead to the originals again, the slots not yet.
  bool is_leaving;
  /// Restored but for words that somebody else's hook lies on; see storing/leftover.h. Then it is
  /// leaving, too.
  bool is_left_over;
  /// Left over of a call that failed, so that nobody has the handle.
  bool is_orphan;
  /// A definition was given back at the last call, and images may have been bound to it.
  bool may_be_bound;
  /// Batches that were applied before and after.
  struct crebind_handle *older, *newer;
};

/// The memory of a handle, and of what its vectors hold at first.
enum { CREBIND_HANDLE_SIZE = 4096 };

struct crebind_run {
  uint32_t first, count;
};

/// An image as the records know it.
struct crebind_known_image {
  /// No other image has had it.
  uint64_t serial;
  uintptr_t bias;
  const ElfW(Dyn) * dynamic;
  uintptr_t header;
  struct crebind_range span;
  /// Of its headers and its build ID; see elf/note.h.
  uint64_t fingerprint;
  /// The loader's count of images when this one was first seen.
  unsigned long long generation;
  /// Offsets into the records' strings.
  size_t path, soname;
  /// The index in the snapshot of the call under way, or SIZE_MAX.
  size_t index;
  /// Loaded when last looked; entries of an image that is gone are dropped.
  bool is_present;
  /// Loaded when the active batches were last brought to all images.
  bool was_present;
  /// The loader is done with it; see storing/loading.h.
  bool is_relocated;
  /// The active batches have been brought to it.
  bool is_served;
  /// Its destructor has told that it is about to be unloaded; see looking/annotation-listener.h.
  bool is_leaving;
  /// Kept loaded by us.
  bool is_pinned;
  /// The observers have been told.
  bool is_announced;
  /// It holds replacements, and its slots of dlsym and dlvsym lead to us; see transactions/cover.h.
  bool is_wanted, is_covered;
  /// The pages of these slots could not be closed, which the next call does.
  bool is_cover_open;
};

struct crebind_records {
  struct crebind_handle *oldest, *newest;
  /// The newest one if that stays so, or NULL; see transactions/cover.h.
  struct crebind_handle *topmost;
  struct crebind_vector known;    // struct crebind_known_image
  struct crebind_vector strings;  // char
  /// When the active batches were last brought to all images, if they were.
  struct crebind_counts counts;
  bool has_counts;
  uint64_t next_serial, next_image_serial;
};

extern struct crebind_records crebind_records;

static inline struct crebind_known_image *crebind_known_image_at(size_t index) {
  return crebind_vector_at(&crebind_records.known, index);
}

static inline const char *crebind_known_string(size_t offset) {
  return crebind_records.strings.data + offset;
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

/// Makes a batch the newest one but for the topmost.
void crebind_handle_link(struct crebind_handle *handle);
void crebind_handle_unlink(struct crebind_handle *handle);
void crebind_handle_free(struct crebind_handle *handle);

/// The active batch with this serial, or NULL.
struct crebind_handle *crebind_handle_with_serial(uint64_t serial);

/// True if an image has gone since the active batches were last brought to all images; and
/// if the address was in one.
bool crebind_has_gone_images(void);
bool crebind_is_gone(uintptr_t address);

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
