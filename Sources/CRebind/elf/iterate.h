/// The C library's own dl_iterate_phdr, whoever has hooked it.
///
/// Before main nothing is hooked. A copy of this core in a library that is loaded later may find
/// its slot bound to another one's replacement, and the definition pointing there too. It must not
/// keep that hook for life. So the definition is read in the C library itself, and where it has
/// been redirected, in its file.
///
/// The slot's function has to serve instead
/// - in a static executable;
/// - in a program whose dynamic table does not lead debuggers to the loader (`-z rodynamic`, or run
///   as `ld-musl.so ./program`);
/// - where the definition has been redirected and the C library's file has gone from its path, or
///   is another one by now.

#pragma once

#include <link.h>

#pragma GCC visibility push(hidden)

/// Calls the callback for each loaded image, under the list's lock, until one call does not
/// return 0. Our lock is held.
int crebind_iterate(int (*callback)(struct dl_phdr_info *, size_t, void *), void *context);

#pragma GCC visibility pop
