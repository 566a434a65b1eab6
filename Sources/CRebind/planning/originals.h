/// The one original that a rebinding gives its replacement, though each slot has its own. If the
/// slots agree, it is theirs. Otherwise it is the result that dlsym(RTLD_DEFAULT) would give
/// without us, or the first slot's original if that result is NULL. Slots that lead to one function
/// through different batches do not differ.
///
/// A rebinding without a slot takes the original from its definitions. A rebinding that has neither
/// takes the function that the program would be bound to. The original never stays in an image that
/// has gone.

#if defined(__linux__)
#pragma once

#include "planning/active.h"
#include "world/world.h"

#pragma GCC visibility push(hidden)

/// Gives each rebinding of the batch its original; phase C. If the loader has to be asked first,
/// the question is put.
crebind_status crebind_originals_update(struct crebind_handle *handle, struct crebind_world *world);

/// Finds the entry that each summary comes from. A summary that came from a slot stays with that
/// slot. A summary that came from a definition gives way to the first slot that comes. When the
/// last slot has gone, its original stays if it is another batch's replacement.
void crebind_originals_find_sources(struct crebind_handle *handle);

/// Gives a rebinding the original of an entry, before the word is stored that leads to its
/// replacement. It does so if the rebinding has no original, or if that has gone. It also does so
/// for the first slot: that slot may lie on top of other batches' entries, which a call would
/// otherwise bypass.
void crebind_originals_offer(struct crebind_handle *handle, const struct crebind_entry *entry);

/// Forgets the originals of a batch that could not be applied. They stay published.
void crebind_originals_forget(struct crebind_handle *handle);

/// If newer batches led to this batch, which is leaving, leads them to the function behind it. For
/// a newer batch that has no slot by now, nothing else does that.
void crebind_originals_inherit(const struct crebind_handle *leaving);

/// Puts the questions that come up once the batch has left.
crebind_status crebind_originals_ask(const struct crebind_handle *leaving,
                                     struct crebind_world *world);

/// Some slots may have led to an image that has gone: the loader had not bound them, so nothing
/// kept the image. Looks up anew where these slots lead. Phase C.
crebind_status crebind_originals_revise(struct crebind_handle *handle, struct crebind_world *world);

#pragma GCC visibility pop
#endif
