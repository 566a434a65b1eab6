/// Slots that a lazy resolver has stored over. A thread that was inside of one when a batch was
/// applied has found the function without the batch, and stores it later; see patching/settle.h.
/// Whoever has waited for such threads notes that slots may be overtaken. The next attempt of any
/// call compares all lazy slots then, and each later one does until all threads have left that were
/// not waited for any longer.

#pragma once

#include "patching/commit.h"

#pragma GCC visibility push(hidden)

/// Has the next attempts compare the lazy slots; without our lock.
void crebind_lazy_slots_note(void);

/// True if a lazy resolver may have stored the word: it is what the slot would hold without the
/// chain, or with only the lower part of it.
///
/// \param top The topmost entry of the slot's chain.
bool crebind_is_of_resolver(const struct crebind_entry *top, uintptr_t word);

/// Stores again what lazy resolvers have stored over, if that was noted. It passes over words that
/// cannot be changed. Phase C.
///
/// \param commit Has no changes, before and after.
crebind_status crebind_lazy_slots_store_again(struct crebind_world *world,
                                              struct crebind_commit *commit);

#pragma GCC visibility pop
