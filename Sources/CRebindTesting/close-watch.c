/// Scopes that notice when a sweep's body closes a descriptor twice.
///
/// Only one that it has closed itself counts: programs close a range of numbers, open or not.

#if defined(__linux__)
#include "process.h"
#include "scope.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Greater numbers are not looked at.
#define DESCRIPTORS 65536

/// A bit for each descriptor that was open when it was closed.
static unsigned char closed[DESCRIPTORS / 8];

static void *decide(crebind_testing_scope *scope, const crebind_testing_call *call) {
  (void)scope;
  int descriptor = (int)call->registers[0];
  if (!crebind_testing_is_child() || descriptor < 0 || descriptor >= DESCRIPTORS) return NULL;
  int error = errno;
  unsigned char bit = (unsigned char)(1 << descriptor % 8);
  if (syscall(SYS_fcntl, descriptor, F_GETFD) >= 0)
    closed[descriptor / 8] |= bit;
  else if ((closed[descriptor / 8] & bit) != 0)
    crebind_testing_note_closed_twice(descriptor);
  errno = error;
  return NULL;
}

crebind_testing_scope *crebind_testing_close_watch(crebind_testing_hook *hook) {
  return crebind_testing_scope_make(sizeof(crebind_testing_scope), &hook, 1, decide);
}
#endif
