/// The loader is told from the other images also where it was not the kernel that
/// loaded it: in a program that is run as `ld.so ./program`, which this one does.

#include "steps.h"

static const char *interpreter;
static unsigned images, loaders;
static pid_t hook(void) { return -1; }

static int find_interpreter(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_INTERP)
      interpreter = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  return 1;
}

static bool look(const crebind_image_info *image, void *context) {
  (void)context;
  images++;
  loaders += strcmp(file_name(image->path), file_name(interpreter)) == 0;
  return true;
}

int main(int argc, char *argv[]) {
  dl_iterate_phdr(find_interpreter, NULL);
  CHECK(interpreter != NULL);
  crebind_options options = {.scope = CREBIND_SCOPE_MATCHING, .matches = look};
  crebind_handle *handle = REBIND("getppid", hook, NULL, &options, NULL);
  CHECK(getppid() == -1);
  RESTORE(handle);
  CHECK(images > 0);
#ifdef __GLIBC__
  CHECK(loaders == 0);
#else
  CHECK(loaders == 1);  // the C library
#endif
  CHECK(crebind_lookup("getppid") == (void *)getppid);
  if (argc == 1) {
    execl(interpreter, interpreter, argv[0], "again", NULL);
    CHECK(!"executed");
  }
  printf("the loader is known\n");
}
