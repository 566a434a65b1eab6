/// The wrappers around dlopen and dlclose, which give notice of images that come and go. They are
/// in place only while someone needs them.

#if defined(__linux__)
#pragma once

#include "transactions/transaction.h"

#pragma GCC visibility push(hidden)

/// Puts the wrappers in place if a batch that has just become active needs them. This happens in
/// the same look at the images, unless the loader has to be asked. Phase C.
crebind_apply_companion crebind_notice_join;

/// Puts the wrappers in place if an active batch has come to need them, and takes them away after
/// the last batch and the last observer. Phase E. Another thread may still be doing so when this
/// returns.
void crebind_notice_update(void);

/// Counts one observer more, or one less. Observers need the wrappers, too.
void crebind_notice_install(void);
void crebind_notice_remove(void);

/// How a wrapper around dlopen loads what its caller asks for, so that it is what the caller
/// would get without us.
enum crebind_opening {
  /// The loader finds the same for us.
  CREBIND_OPEN_AS_IT_IS,
  /// At the path that has been found.
  CREBIND_OPEN_PATH,
  /// By a jump: the loader knows its caller by the return address. The loader then does not return
  /// to the wrapper, so the next call of the interface gives notice.
  CREBIND_OPEN_BY_CALLER,
};

/// \param path Has room for PATH_MAX bytes.
enum crebind_opening crebind_opening_for(const char *file, uintptr_t caller, char *path);

#pragma GCC visibility pop
#endif
