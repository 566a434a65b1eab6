/// The slots of an image that refer to a batch's names.

#if defined(__linux__)
#pragma once

#include "binding/names.h"

#pragma GCC visibility push(hidden)

/// A slot as its relocation describes it.
struct crebind_slot {
  uintptr_t address;
  crebind_slot_kind kind;
  /// The relocation's index in its table: what a lazy PLT entry pushes.
  uint32_t index;
  uint32_t symbol;
  /// The tag of the table: DT_RELA, DT_REL or DT_JMPREL.
  int32_t tag;
  /// 0 for REL, whose addend was in the slot before the loader filled it.
  intptr_t addend;
  /// The addend as far as the loader adds it to the function's address; a bound slot's
  /// word less this is the function.
  uintptr_t added;
  bool is_rela;
};

/// Memory that is reused from image to image.
struct crebind_slot_scan {
  struct crebind_vector matches;  // uint32_t, the symbols whose name is in the batch
  struct crebind_vector names;    // uint32_t, by symbol: a match's name plus one, or 0
};

/// The name in the batch of a symbol that was matched.
static inline uint32_t crebind_slot_scan_name(const struct crebind_slot_scan *scan,
                                              size_t symbol) {
  return ((const uint32_t *)scan->names.data)[symbol] - 1;
}

void crebind_slot_scan_begin(struct crebind_slot_scan *scan);
void crebind_slot_scan_end(struct crebind_slot_scan *scan);

/// Collects the image's symbols that `names` has.
///
/// - Complexity: O(symbols that the image imports + names). A relocation table
///   is read only in an image whose hash table counts no symbols.
crebind_status crebind_slot_scan_match(struct crebind_slot_scan *scan,
                                       const struct crebind_dynamic *dynamic,
                                       const struct crebind_names *names);

/// True if the image asks for a symbol that was matched, with slots or without. If its
/// relocations are packed for Android, it may have slots that the loader has left as the file has
/// them.
bool crebind_slot_scan_asks(const struct crebind_slot_scan *scan,
                            const struct crebind_dynamic *dynamic);

/// Calls `visit` for each slot of the kinds in `kinds` whose symbol was matched,
/// and stops at the first that does not return CREBIND_OK. With a NULL scan it
/// visits the slots of all symbols, and `name` says nothing.
///
/// - Complexity: O(relocations but the relative ones); O(1) without a match.
crebind_status crebind_slot_scan_visit(
    const struct crebind_slot_scan *scan, const struct crebind_image *image,
    const struct crebind_dynamic *dynamic, unsigned kinds,
    crebind_status (*visit)(void *context, const struct crebind_slot *slot, uint32_t name),
    void *context);

#pragma GCC visibility pop
#endif
