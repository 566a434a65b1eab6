/// A copy of CRebind that is loaded while `syscall` and `dl_iterate_phdr` are hooked
/// by another one does not call the hooks.
///
/// Usage: hooked-before PLUGIN

#include "steps.h"
#include "two-copies.h"

#include <stdarg.h>

static int runs;

static long (*original_syscall)(long, ...);
static long hook_syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long values[6];
  for (int i = 0; i < 6; i++) values[i] = va_arg(arguments, long);
  va_end(arguments);
  runs++;
  return original_syscall(number, values[0], values[1], values[2], values[3], values[4],
                          values[5]);
}

typedef int visitor(struct dl_phdr_info *, size_t, void *);
static int (*original_iterate)(visitor *, void *);
static int hook_iterate(visitor *visit, void *context) {
  runs++;
  return original_iterate(visit, context);
}

static int stop(struct dl_phdr_info *info, size_t size, void *context) {
  (void)info, (void)size, (void)context;
  return 1;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  const crebind_rebinding rebindings[] = {
      {.name = "syscall", .replacement = (void *)hook_syscall,
       .original = (void **)&original_syscall},
      {.name = "dl_iterate_phdr", .replacement = (void *)hook_iterate,
       .original = (void **)&original_iterate},
  };
  crebind_handle *handle = APPLY(rebindings, 2, NULL, NULL);
  CHECK(syscall(SYS_getppid, 0, 0, 0, 0, 0, 0) == getppid());
  CHECK(dl_iterate_phdr(stop, NULL) == 1 && runs == 2);

  const struct other_copy *other = FIND(OPEN(argv[1], RTLD_NOW), "other_copy");
  CHECK(other->address != (void *)crebind_apply);
  runs = 0;
  other->apply();
  pid_t parent = getppid();
  CHECK(other->hooked() == 1);
  other->refresh();
  CHECK(other->restore());
  CHECK(runs == 0);

  RESTORE(handle);
  other->apply();
  CHECK(getppid() == parent && other->hooked() == 1);
  CHECK(other->restore() && runs == 0);
  printf("not called\n");
}
