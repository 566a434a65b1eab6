/// Facts that follow from a slot's word or relocation, or from a definition's symbol.

#if defined(__linux__)
#pragma once

#include "binding/slot-scan.h"
#include "world/world.h"

#pragma GCC visibility push(hidden)

/// True if a jump slot's word still leads into its own image's PLT.
bool crebind_is_unresolved(const struct crebind_image *image, const struct crebind_slot *slot,
                           uintptr_t word);

/// The same as `crebind_bypass_of`, for a slot whose addend marks its PLT entry.
uintptr_t crebind_bypass_of_marked(const struct crebind_image *image,
                                   const struct crebind_slot *slot);

/// The address that calls jump to if they bypass the slot, because the PLT has been rewritten; 0 if
/// they read the slot.
static inline uintptr_t crebind_bypass_of(const struct crebind_image *image,
                                          const struct crebind_slot *slot) {
  // The addend marks the PLT entry, and is not added. Without the mark nobody rewrites it.
  bool is_marked = slot->kind == CREBIND_JUMP_SLOT && slot->addend != 0 && slot->added == 0;
  return is_marked ? crebind_bypass_of_marked(image, slot) : 0;
}

/// True if the word may be a local entry point, which only its own image can call.
bool crebind_is_local_entry(const struct crebind_image *image, uintptr_t word);

/// Puts a function's address in the place of a bound slot's word, if the word is an entry point of
/// the image's own definition of the name. False if it may be a local entry point of another
/// function: then a lookup has to tell which one it is.
bool crebind_find_own_function(const struct crebind_image *image,
                               const struct crebind_dynamic *dynamic,
                               const struct crebind_name *name, uintptr_t *word);

/// The address of a non-PIE executable's canonical PLT entry for the name, which
/// stands for the function wherever its address is taken; 0 for none.
uintptr_t crebind_canonical_plt_entry(const struct crebind_world *world,
                                      const struct crebind_name *name);

/// True if a definition is visible to other images and is a function's.
bool crebind_is_exported_function(const ElfW(Sym) * symbol);

#pragma GCC visibility pop
#endif
