/// $ORIGIN in a dlopen of the program, which dlinfo(RTLD_DI_ORIGIN) cannot be asked for: it copies from
/// NULL until the loader itself has expanded one. Of a program that runs as `ld.so ./program`, as this one does
/// where a second argument is given, the kernel cannot be asked either: what it opens is seen later.

#include "steps.h"

#ifdef LIBRARY

static void added(const crebind_image_info *image, void *count) {
  (void)image;
  ++*(int *)count;
}
int watch(int *count) {
  crebind_image_observer observer = {added, NULL, count};
  crebind_observation *observation;
  return crebind_observe(&observer, &observation, NULL);
}

#else

static int find_interpreter(struct dl_phdr_info *info, size_t size, void *interpreter) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_INTERP)
      *(const char **)interpreter = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  return 1;
}

int main(int argc, char *argv[]) {
  const char *interpreter = NULL;
  dl_iterate_phdr(find_interpreter, &interpreter);
  if (argc == 3) execl(interpreter, interpreter, argv[0], argv[1], argv[2], "again", NULL);
  bool is_again = argc == 4;
  CHECK(argc == 2 || is_again);
  int count = 0;
  int (*watch)(int *) = FIND(OPEN(argv[1], RTLD_NOW), "watch");
  CHECK(watch(&count) == CREBIND_OK);
  int before = count;
  void *late = OPEN("$ORIGIN/late.so", RTLD_NOW);
  CHECK((is_again || count == before + 1) && dlclose(late) == 0);
  CHECK(dlopen("$ORIGIN/none.so", RTLD_NOW) == NULL);
  CHECK(strstr(dlerror(), "none.so: cannot open shared object file") != NULL);
  OPEN("${ORIGIN}/late.so", RTLD_NOW);
  CHECK(is_again || count == before + 2);
  printf("found\n");
}

#endif
