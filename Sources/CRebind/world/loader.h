/// The loader's own functions, for calling them: looked up rather than imported, so that a
/// call goes past any hook.

#if defined(__linux__)
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Each is NULL where the C library does not have it.
struct crebind_loader {
  /// False where memory was lacking: nothing has been found then.
  bool is_known;
  void *(*open)(const char *path, int mode);
  int (*close)(void *image);
  void *(*find)(void *image, const char *name);
  void *(*find_version)(void *image, const char *name, const char *version);
  int (*information)(void *image, int request, void *result);
  int (*address_information)(const void *address, void *result, void **extra, int flags);
  char *(*last_error)(void);
  int (*at_exit)(void (*function)(void *), void *context, void *image);
};

/// The functions that the names lead to in the global scope, as far as that can be said
/// without asking the loader; without any lock. Found once, where they are in images that
/// are never unloaded.
struct crebind_loader crebind_loader(void);

/// This thread begins and ends a call of the loader through a wrapper of ours. They nest.
void crebind_loader_begin_call(void);
/// \returns True if it was the outermost.
bool crebind_loader_end_call(void);

/// True if the thread is in such a call.
bool crebind_loader_is_called(void);

#pragma GCC visibility pop
#endif
