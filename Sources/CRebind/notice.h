/// The wrappers around dlopen and dlclose that give notice of images that come and
/// go: in place only while someone needs them.

#ifndef CREBIND_NOTICE_H
#define CREBIND_NOTICE_H

#include "CRebind.h"

#pragma GCC visibility push(hidden)

/// Puts the wrappers in place if an active batch has come to need them, and takes them away
/// after the last batch and the last observer. Without any lock. Another thread may still be
/// at it when this returns.
void crebind_notice_update(void);

/// Counts one observer more or less, who needs them, too.
void crebind_notice_install(void);
void crebind_notice_remove(void);

/// In a child process: the thread that changed the wrappers is not there.
void crebind_notice_forked(void);

/// The path by which the image that holds `caller` would find `file`, if it is
/// one that this image would not find by itself: by the caller's RPATH, RUNPATH
/// or $ORIGIN. Returns false if `file` can be passed on as it is.
bool crebind_caller_path(const char *file, uintptr_t caller, char *path, size_t size);

#pragma GCC visibility pop

#endif
