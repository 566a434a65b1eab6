/// The notice of images that come and go: observers with replay, a symbol that nothing defined yet,
/// and a predicate's scope. The wrapper around dlopen must not lose the caller's RUNPATH and
/// $ORIGIN.

#include "steps.h"

static char log[8192];
static void added(const crebind_image_info *image, void *context) {
  snprintf(log + strlen(log), sizeof log - strlen(log), "+%s%s ", (const char *)context,
           file_name(image->path));
  CHECK(image->header != NULL && memcmp(image->header, "\x7f" "ELF", 4) == 0);
}
static void removed(const crebind_image_info *image, void *context) {
  snprintf(log + strlen(log), sizeof log - strlen(log), "-%s%s ", (const char *)context,
           file_name(image->path));
}

static int (*original)(void);
static int hook(void) { return 100 + original(); }
static bool is_late(const crebind_image_info *image, void *context) {
  (void)context;
  return strstr(image->path, "liblate") != NULL;
}

/// The opener's first folder has what the loader passes over.
static void write_decoy(const char *program) {
  char path[4096];
  snprintf(path, sizeof path, "%s", program);
  char *name = strrchr(path, '/');
  snprintf(name, 64, "/decoys");
  CHECK(mkdir(path, 0777) == 0 || errno == EEXIST);
  snprintf(name, 64, "/decoys/liblate.so");
  FILE *decoy = fopen(path, "w");
  CHECK(decoy != NULL);
  ElfW(Ehdr) header = {.e_ident = ELFMAG, .e_machine = EM_NONE};
  fwrite(&header, sizeof header, 1, decoy);
  CHECK(fclose(decoy) == 0);
}

static pid_t (*original_parent)(void);
static pid_t hook_parent(void) { return original_parent() + 1000000; }

int main(int argc, char *argv[]) {
  (void)argc;
  write_decoy(argv[0]);
  void *opener = OPEN("libopener.so", RTLD_NOW);
  void *(*open_through)(const char *) = FIND(opener, "open_through");
  void *(*find_through)(void *, const char *) = FIND(opener, "find_through");

  crebind_image_observer first = {added, removed, ""}, second = {NULL, removed, "second:"};
  crebind_observation *observations[2];
  CHECK(crebind_observe(&first, &observations[0], NULL) == CREBIND_OK);
  CHECK(strstr(log, "+libopener.so ") != NULL && strstr(log, "libc.so") != NULL);
  CHECK(crebind_observe(&second, &observations[1], NULL) == CREBIND_OK);
  CHECK(strstr(log, "second:") == NULL);

  // Nothing defines `late` yet; getppid is rebound in images that match only.
  crebind_handle *handles[2];
  crebind_report report;
  handles[0] = REBIND("late", hook, &original, NULL, &report);
  CHECK(report.pending == 1 && report.changed == 0 && original == NULL);
  crebind_options matching = {.scope = CREBIND_SCOPE_MATCHING, .matches = is_late};
  handles[1] = REBIND("getppid", hook_parent, &original_parent, &matching, &report);
  CHECK(report.changed == 0);

  log[0] = 0;
  CHECK(dlopen("liblate.so", RTLD_NOW) == NULL);  // not by our own search path
  void *image = open_through("liblate.so");       // by the opener's RUNPATH
  CHECK(image != NULL && dlerror() == NULL);
  CHECK(strstr(log, "+liblate.so ") != NULL && strstr(log, "+liblatecaller.so ") != NULL);
  int (*call_late)(void) = FIND(image, "call_late");
  pid_t (*late_parent)(void) = FIND(image, "late_parent");
  CHECK(call_late() == 142 && original() == 42);
  CHECK(((int (*)(void))find_through(image, "late"))() == 142);
  CHECK(late_parent() == getppid() + 1000000);
  void *again = open_through("$ORIGIN/deep/liblate.so");
  CHECK(again == image && dlclose(again) == 0 && dlerror() == NULL);

  // An image that is loaded by that name is not searched for, nor loaded again.
  void *named = OPEN("$ORIGIN/deep/real.so", RTLD_NOW);
  CHECK(open_through("libnamed.so") == named);
  errno = 0;
  CHECK(open_through("libc.so.6") != NULL && errno == 0 && dlerror() == NULL);
  // The loader says what is wrong with the file that the caller finds.
  CHECK(open_through("libbroken.so") == NULL);
  CHECK(strstr(dlerror(), "deep/libbroken.so: undefined symbol") != NULL);

  log[0] = 0;
  CHECK(dlclose(image) == 0);
  CHECK(strstr(log, "-liblate.so ") != NULL && strstr(log, "-second:liblate.so ") != NULL);

  // An image that a refresh finds was not announced: a load past the wrapper.
  crebind_unobserve(observations[1]);
  RESTORE(handles[1]);
  RESTORE(handles[0]);
  crebind_unobserve(observations[0]);
  log[0] = 0;
  image = open_through("liblate.so");
  CHECK(image != NULL && log[0] == 0);
  call_late = FIND(image, "call_late");
  CHECK(call_late() == 42);
  printf("noticed\n");
}
