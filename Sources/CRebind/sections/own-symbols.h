/// The functions that an image has for itself alone: its file's symbol table has them, and the
/// loader does not.

#if defined(__linux__)
#pragma once

#include "elf/file.h"
#include "runtime/reasons.h"
#include "world/portrait.h"

#pragma GCC visibility push(hidden)

/// Looks for a function in the symbol table of a file.
///
/// \param own Receives CREBIND_OWN_NONE for a table without the name, and on failure.
/// \returns CREBIND_OK, CREBIND_NO_SECTION for a file that is stripped, CREBIND_BROKEN_FILE for
///   tables that contradict themselves, or CREBIND_OUT_OF_MEMORY.
/// - Complexity: O(symbols of the file), a chunk at a time.
crebind_status crebind_read_own_symbol(struct crebind_file *file, const char *name,
                                       enum crebind_own *own);

/// Looks for a function in the symbol table of an image's file. No lock.
///
/// \returns The same, or why the file cannot be read, as for section headers.
crebind_status crebind_find_own_symbol(const struct crebind_portraits *portraits,
                                       const struct crebind_portrait *portrait, const char *name,
                                       enum crebind_own *own);

#pragma GCC visibility pop
#endif
