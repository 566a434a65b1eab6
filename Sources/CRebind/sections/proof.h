/// Is a file the one that an image was loaded from? A path proves nothing: another file
/// may be there by now.

#if defined(__linux__)
#pragma once

#include "elf/file.h"
#include "world/portrait.h"

#pragma GCC visibility push(hidden)

/// CREBIND_OK if the file has the image's build ID. An image without one has to have
/// the file's ELF header, program headers and read-only segments, but for the dynamic
/// symbols, which a rebinding changes.
///
/// These are not proven, so CREBIND_OTHER_FILE:
/// - an image whose headers or build ID have changed;
/// - one without a build ID that has no read-only segment, whose code has been patched, or whose
///   relocations are in its code (DT_TEXTREL).
crebind_status crebind_proof(struct crebind_file *file,
                             const struct crebind_portraits *portraits,
                             const struct crebind_portrait *portrait);

#pragma GCC visibility pop
#endif
