/// Slots that a lazy resolver has stored over. If a thread was inside a lazy resolver when a batch
/// was applied, it has found the function without the batch, and stores it later; see
/// patching/settle.h. A call that has waited for such threads notes that slots may be overtaken.
/// Then the next attempt of any call compares all lazy slots. So does each later attempt, until all
/// threads have left that calls stopped waiting for.

#if defined(__linux__)
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

/// If it was noted that slots may be overtaken, stores our words again where lazy resolvers have
/// stored over them. It passes over words that cannot be changed. Phase C.
///
/// \param commit Has no changes, before and after.
crebind_status crebind_lazy_slots_store_again(struct crebind_world *world,
                                              struct crebind_commit *commit);

#pragma GCC visibility pop
#endif
