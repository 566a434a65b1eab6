/// Stores words into slots and dynamic symbols of one image. It opens the pages that are not
/// writable, stores each word with one aligned atomic store, and gives the pages their protection
/// back. Pages that share their segment with code are not opened; see patching/page-copy.h.
/// patching/commit.h has the order of these steps over several images.

#if defined(__linux__)
#pragma once

#include "world/world.h"

#pragma GCC visibility push(hidden)

/// One word to change.
struct crebind_change {
  uintptr_t address, from, to;
  /// The image's index in the snapshot.
  uint32_t image;
  /// If true, stores whatever the word is by now; if false, only in place of `from`.
  bool always;
  /// If the page cannot be opened, an optional change is left out, and `is_refused` is set.
  bool is_optional, is_refused;
  /// The change was refused because the image is sealed.
  bool is_sealed;
  /// Closes its pages even if they are open already: a former call has left them so.
  bool closes;
  /// Its pages were opened by us, and have to be closed.
  bool is_open;
  /// Its pages could not be closed.
  bool is_left_open;
  /// The change could not be taken back: the word holds `to`.
  bool is_stuck;
  /// Where the change lies. This is found out when the pages are opened.
  uint8_t region;
};

/// The word that the change, or taking it back, makes of `word`.
static inline uintptr_t crebind_changed_word(const struct crebind_change *change, uintptr_t word,
                                             bool takes_back) {
  if (takes_back) return word == change->to ? change->from : word;
  return change->always || word == change->from ? change->to : word;
}

/// The part of the changes to make.
enum crebind_patch_part {
  CREBIND_PATCH_REQUIRED,
  CREBIND_PATCH_OPTIONAL,
  /// The changes of both parts that have to be taken back.
  CREBIND_PATCH_BACK,
};

/// A failure, by its place.
struct crebind_patch_failure {
  int system_error;
  uintptr_t address;
  /// The size of the pages, for CREBIND_LEFT_OPEN.
  size_t size;
};

/// True if the status says that pages could not be opened or closed, and not that memory ran
/// out.
static inline bool crebind_is_refusal(crebind_status status) {
  return status == CREBIND_PROTECTION || status == CREBIND_SEALED
         || status == CREBIND_LEFT_OPEN;
}

/// Opens the pages of one image for a part of its changes, and notes where each change lies. After
/// a failure (CREBIND_PROTECTION, CREBIND_SEALED) some pages may be open. Optional changes never
/// fail: if a page of theirs cannot be opened, all optional changes of the image are marked as
/// refused.
///
/// \param changes At least one change, all in the same image. The same holds for all functions
///   here.
///
/// The program headers say what is writable and what protection to put back, so /proc/self/maps
/// need not be read. Of the relro range, the run of pages from the first slot to the last is
/// opened, with one pair of mprotect calls. The rest is mostly data, and changing its page table
/// entries costs more than all else. When the run is closed, the kernel joins the mappings again. A
/// segment that never was writable is opened whole. A part of it would stay a mapping of its own:
/// the kernel accounts for it as writable from then on. A page of the relro range that someone has
/// left writable stays so.
crebind_status crebind_patch_open(const struct crebind_world *world,
                                  struct crebind_change *changes, size_t count,
                                  enum crebind_patch_part part,
                                  struct crebind_patch_failure *failure);

/// Makes the changes in pages beside code, which are not opened. A change that fails gives
/// CREBIND_PROTECTION, but an optional one is only marked as refused.
crebind_status crebind_patch_move(const struct crebind_world *world,
                                  struct crebind_change *changes, size_t count,
                                  struct crebind_patch_failure *failure);

/// Stores all other changes, into open pages. Returns the number of refused changes, without those
/// of sealed images.
size_t crebind_patch_store(const struct crebind_change *changes, size_t count);

/// Gives the pages that were opened their protection back, or fails with CREBIND_LEFT_OPEN.
///
/// \param gives_up If true, leaves pages open that cannot be closed, and goes on; if false, stops
///   at the first of them.
crebind_status crebind_patch_close(const struct crebind_world *world,
                                   struct crebind_change *changes, size_t count, bool gives_up,
                                   struct crebind_patch_failure *failure);

/// Takes back what was stored. Pages that have been closed are opened for it again, as far as
/// that is possible; all of them have to be closed afterwards.
///
/// \returns The number of changes that could not be taken back. They are marked.
size_t crebind_patch_take_back(const struct crebind_world *world, struct crebind_change *changes,
                               size_t count);

/// True if the word's page is not writable and shares its segment with code. In an ordinary file,
/// such a page holds slots only if the file has text relocations. A segment that is writable and
/// executable at once (`ld -N`) needs no opening, and its words are stored like all others.
bool crebind_patch_is_beside_code(const struct crebind_image *image, uintptr_t address);

/// True if the word's page is not writable and mseal(2) keeps it so.
bool crebind_patch_is_sealed(const struct crebind_image *image, uintptr_t address);

/// True if the image's relro pages are still writable.
bool crebind_patch_is_open(const struct crebind_image *image);

#pragma GCC visibility pop
#endif
