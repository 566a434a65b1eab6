/// The C library's own dl_iterate_phdr, whoever has hooked it.
///
/// Before main nothing is hooked. A copy of this core in a library that is loaded later may find
/// its slot bound to another copy's replacement, and the definition pointing there too. It must not
/// use that hook for ever. So the definition is read in the C library itself, and in the C
/// library's file if it has been redirected.
///
/// In these cases, the function that the slot leads to has to serve instead:
/// - in a static executable;
/// - in a program whose dynamic table does not lead debuggers to the loader (`-z rodynamic`, or run
///   as `ld-musl.so ./program`);
/// - if the definition has been redirected, and the C library's file has gone from its path or is
///   another file by now.

#if defined(__linux__)
#pragma once

#include <link.h>

#pragma GCC visibility push(hidden)

/// Calls the callback for each loaded image, under the list's lock, until one call does not
/// return 0. Our lock is held.
int crebind_iterate(int (*callback)(struct dl_phdr_info *, size_t, void *), void *context);

#pragma GCC visibility pop
#endif
