/// Counters of Swift's runtime: they count, pass arguments and results on, and keep the registers that
/// callers of the convention preserve_most rely on.

#include "steps.h"
#include "CRebindCounting.h"
#include "no-tasks.h"

#if defined(__aarch64__) && defined(__clang__)
#define PRESERVE_MOST __attribute__((preserve_most))
#else
#define PRESERVE_MOST
#endif

PRESERVE_MOST void *swift_retain(void *object);
PRESERVE_MOST void *swift_retain_n(void *object, uint32_t count);
PRESERVE_MOST void swift_release(void *object);
void *swift_allocObject(void *metadata, size_t size, size_t alignment_mask);
void swift_beginAccess(void *pointer, void *buffer, uintptr_t flags, void *caller);

/// The counters' own call of the runtime, which is C and may change what C may.
void *swift_task_localValueGet(const void *key) {
  (void)key;
#if defined(__aarch64__)
  __asm__ volatile("mov x9, #0\n\tmov x10, #0\n\tmov x11, #0\n\tmov x12, #0\n\t"
                   "mov x13, #0\n\tmov x14, #0\n\tmov x15, #0" ::
                       : "x9", "x10", "x11", "x12", "x13", "x14", "x15");
#endif
  return NULL;
}

/// Calls `swift_retain` with numbers in the registers that it has to keep; returns their sum after the
/// call.
static uint64_t sum_of_kept(int *object) {
#if defined(__aarch64__)
  register int *x0 __asm__("x0") = object;
  uint64_t sum;
  __asm__ volatile("mov x9, #1\n\tmov x10, #20\n\tmov x11, #300\n\tmov x12, #4000\n\t"
                   "mov x13, #50000\n\tmov x14, #6\n\tmov x15, #70\n\t"
                   "bl swift_retain\n\t"
                   "add x9, x9, x10\n\tadd x9, x9, x11\n\tadd x9, x9, x12\n\t"
                   "add x9, x9, x13\n\tadd x9, x9, x14\n\tadd x9, x9, x15\n\tmov %0, x9"
                   : "=r"(sum), "+r"(x0)
                   :
                   : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                     "x13", "x14", "x15", "x16", "x17", "x30", "cc", "memory", "v0", "v1", "v2",
                     "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
                     "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
  CHECK(x0 == object);
  return sum;
#else
  CHECK(swift_retain(object) == object);
  return 54397;
#endif
}

int main(void) {
  char reason[CREBIND_COUNTING_REASON_SIZE];
  for (int group = 0; group < CREBIND_COUNTING_GROUP_COUNT; group++)
    CHECK(crebind_counting_install((crebind_counting_group)group) == 0);
  CHECK(!crebind_counting_absence(CREBIND_COUNTING_RETAIN, reason));
  CHECK(!crebind_counting_absence(CREBIND_COUNTING_RELEASE, reason));
  CHECK(!crebind_counting_absence(CREBIND_COUNTING_ALLOC_OBJECT, reason));
  // Nothing defines this function, so that it has no calls.
  CHECK(crebind_counting_absence(CREBIND_COUNTING_UNKNOWN_OBJECT_RETAIN, reason));
  CHECK(!crebind_counting_is_known(CREBIND_COUNTING_UNKNOWN_OBJECT_RETAIN));

  // So that counters look for a task.
  crebind_counting_scope *of_task = crebind_counting_make(CREBIND_COUNTING_TASK);
  crebind_counting_begin(of_task, NULL, false);
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_THREAD);
  crebind_counting_begin(scope, NULL, false);
  int object = 0;
  CHECK(sum_of_kept(&object) == 54397);
  CHECK(swift_retain(NULL) == NULL);
  CHECK(swift_retain_n(&object, 5) == &object && object == 6);
  for (int i = 0; i < 3; i++) swift_release(&object);
  size_t metadata = 0;
  CHECK(swift_allocObject(&metadata, 40, 7) == &metadata && metadata == 47);
  uintptr_t access = 0;
  swift_beginAccess(&access, (void *)100, 20, (void *)3);
  crebind_counting_end(scope);
  CHECK(object == 3 && access == 123);

  crebind_counting_counts counts;
  crebind_counting_read(scope, &counts);
  CHECK(counts.calls[CREBIND_COUNTING_RETAIN] == 2 && counts.calls[CREBIND_COUNTING_RETAIN_N] == 1);
  CHECK(counts.calls[CREBIND_COUNTING_RELEASE] == 3);
  CHECK(counts.calls[CREBIND_COUNTING_ALLOC_OBJECT] == 1);
  CHECK(counts.calls[CREBIND_COUNTING_BEGIN_ACCESS] == 1);
  CHECK(counts.calls[CREBIND_COUNTING_MALLOC] == 0);
  crebind_counting_free(scope);
  crebind_counting_end(of_task);
  crebind_counting_free(of_task);
  for (int group = 0; group < CREBIND_COUNTING_GROUP_COUNT; group++)
    crebind_counting_uninstall((crebind_counting_group)group);
  printf("references were counted\n");
  return 0;
}
