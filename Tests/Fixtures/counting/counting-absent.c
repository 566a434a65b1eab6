/// Where malloc cannot be counted, counters say so: they never give 0 for what they do not see.

#include "steps.h"

#include "CRebindCounting.h"
#include "no-tasks.h"

void *swift_task_localValueGet(const void *key) {
  (void)key;
  return NULL;
}

#if defined(OWN)
/// The program's own allocator. Its blocks are never freed.
void *malloc(size_t size) {
  static _Alignas(16) char memory[1 << 20];
  static size_t used;
  size_t start = used;
  used += (size + 15) & ~(size_t)15;
  CHECK(used <= sizeof memory);
  return memory + start;
}

void free(void *block) { (void)block; }
#endif

int main(void) {
  char reason[CREBIND_COUNTING_REASON_SIZE], of_size[CREBIND_COUNTING_REASON_SIZE];
  CHECK(crebind_counting_install(CREBIND_COUNTING_MEMORY) == 0);
  CHECK(crebind_counting_absence(CREBIND_COUNTING_MALLOC, reason));
  CHECK(crebind_counting_size_absence(of_size) && strcmp(reason, of_size) == 0);
  crebind_counting_uninstall(CREBIND_COUNTING_MEMORY);
  printf("%s\n", reason);
  return 0;
}
