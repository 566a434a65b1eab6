/// The one original that a rebinding gives its replacement, though each slot has its own. It is the
/// slots' if they agree. Else it is the result of dlsym(RTLD_DEFAULT) without us, and if that gives
/// nothing, the first slot's. Slots that lead to one function through different batches do not
/// differ.
///
/// A rebinding without a slot takes it from its definitions, and one that has neither from
/// what the program would be bound to. It never stays in an image that has gone.

#pragma once

#include "planning/active.h"
#include "world/world.h"

#pragma GCC visibility push(hidden)

/// Gives each rebinding of the batch its original; phase C. If the loader has to be asked first,
/// the question is put.
crebind_status crebind_originals_update(struct crebind_handle *handle, struct crebind_world *world);

/// Finds the entry that each summary comes from: it stays with the slot that it came from,
/// and a definition's gives way to the first slot that comes. When the last slot has gone, its
/// original stays if it is another batch's replacement.
void crebind_originals_find_sources(struct crebind_handle *handle);

/// Gives a rebinding the original of an entry, before the word is stored that leads to its
/// replacement. It does so if the rebinding's original is none or has gone. It also does so for the
/// first slot: that may lie on top of other batches' entries, which a call would go past.
void crebind_originals_offer(struct crebind_handle *handle, const struct crebind_entry *entry);

/// Forgets the originals of a batch that could not be applied, which stay published.
void crebind_originals_forget(struct crebind_handle *handle);

/// Has the newer batches that led to this one, which is not there any more, lead to what is behind
/// it. For one without a slot by now, nothing else does.
void crebind_originals_inherit(const struct crebind_handle *leaving);

/// Puts the questions that come up once the batch is not there any more.
crebind_status crebind_originals_ask(const struct crebind_handle *leaving,
                                     struct crebind_world *world);

/// Looks up anew where slots lead that led to an image that has gone: the loader had not
/// bound them, so nothing kept it. Phase C.
crebind_status crebind_originals_revise(struct crebind_handle *handle, struct crebind_world *world);

#pragma GCC visibility pop
