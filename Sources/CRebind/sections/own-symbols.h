/// The functions that an image has for itself alone: its file's symbol table has them, and the
/// loader does not.

#ifndef CREBIND_SECTIONS_OWN_SYMBOLS_H
#define CREBIND_SECTIONS_OWN_SYMBOLS_H

#include "world/portrait.h"

#pragma GCC visibility push(hidden)

/// Why no loader knows a function. The better answer has the higher value.
enum crebind_own {
  CREBIND_OWN_NONE = 0,
  /// STB_LOCAL: static, or made local by the linker.
  CREBIND_OWN_LOCAL,
  /// Hidden or internal: linkers make such symbols local, and most leave their visibility.
  CREBIND_OWN_HIDDEN,
  /// Not exported, as mostly in a program.
  CREBIND_OWN_UNEXPORTED,
};

/// Looks for a function in the symbol table of an image's file. No lock.
///
/// \param own Receives CREBIND_OWN_NONE for a table without the name.
/// \returns CREBIND_OK, CREBIND_NO_SECTION for a file that is stripped, or else why the file
///   cannot be read, as for section headers.
/// - Complexity: O(symbols of the file).
crebind_status crebind_find_own_symbol(const struct crebind_portraits *portraits,
                                       const struct crebind_portrait *portrait, const char *name,
                                       enum crebind_own *own);

#pragma GCC visibility pop

#endif
