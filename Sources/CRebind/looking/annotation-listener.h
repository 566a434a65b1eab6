/// Is told of images that carry annotations, by their constructors and destructors: they
/// find the note of type NT_REBIND_LISTENER that this copy of CRebind carries.
///
/// They call with the loader's lock held, the one of dlopen. Taking our lock there is
/// safe, as nobody who holds it waits for that one: under it only dl_iterate_phdr is
/// called, whose lock the loader takes for moments and with none of its own callbacks
/// running, and the loader itself is asked without it.

#ifndef CREBIND_LOOKING_ANNOTATION_LISTENER_H
#define CREBIND_LOOKING_ANNOTATION_LISTENER_H

#pragma GCC visibility push(hidden)

/// Has images tell us from now on, to count and to mark those that leave.
void crebind_listen(void);

#pragma GCC visibility pop

#endif
