/// In place of Swift's runtime: functions of its names.

#include <stddef.h>
#include <stdint.h>

/// Swift 6.3 has it so on AArch64.
#if defined(__aarch64__) && defined(__clang__)
#define PRESERVE_MOST __attribute__((preserve_most))
#else
#define PRESERVE_MOST
#endif

PRESERVE_MOST void *swift_retain(void *object) {
  if (object != NULL) ++*(int *)object;
  return object;
}

PRESERVE_MOST void *swift_retain_n(void *object, uint32_t count) {
  *(int *)object += (int)count;
  return object;
}

PRESERVE_MOST void swift_release(void *object) { --*(int *)object; }

void *swift_allocObject(void *metadata, size_t size, size_t alignment_mask) {
  *(size_t *)metadata = size + alignment_mask;
  return metadata;
}

void swift_beginAccess(void *pointer, void *buffer, uintptr_t flags, void *caller) {
  *(uintptr_t *)pointer = (uintptr_t)buffer + flags + (uintptr_t)caller;
}
