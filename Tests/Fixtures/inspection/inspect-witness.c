// A process that has rebound open and malloc, prints the core's own findings, and waits for the end
// of its input.

#define _GNU_SOURCE
#include "CRebind.h"
#include "looked-at.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static int (*original_open)(const char *, int, ...);
static void *(*original_malloc)(size_t);

static int hooked_open(const char *path, int flags, int mode) {
  return original_open(path, flags, mode);
}
static void *hooked_malloc(size_t size) { return original_malloc(size); }

/// A pointer that the rebinding changes too.
static void *(*volatile allocate)(size_t) = malloc;

/// The image's file name.
static const char *name_of(const crebind_image_info *image) {
  if (image->header == NULL) return "-";
  const char *slash = strrchr(image->path, '/');
  return image->path[0] == 0 ? "main" : slash == NULL ? image->path : slash + 1;
}

/// Where the word is in its image as linked, and what it holds.
static void tell_slot(const crebind_slot_info *slot, void *context) {
  (void)context;
  printf("slot %s %#zx %s %#zx\n", name_of(&slot->image),
         (size_t)slot->address - (size_t)slot->image.slide, slot->symbol, (size_t)slot->current);
}

static void tell_diagnosis(const crebind_diagnosis *diagnosis, void *question) {
  printf("why %s %s %d %s %zu\n", (const char *)question, name_of(&diagnosis->image),
         (int)diagnosis->reason, diagnosis->detail[0] == 0 ? "-" : diagnosis->detail,
         diagnosis->slots);
}

static void ask(const char *name, const char *version, const char *library) {
  char question[256];
  snprintf(question, sizeof question, "%s %s %s", name, version == NULL ? "-" : version,
           library == NULL ? "-" : library);
  crebind_rebinding rebinding = {.name = name, .version = version, .library = library};
  CHECK(crebind_diagnose(&rebinding, NULL, tell_diagnosis, question, NULL) == CREBIND_OK);
}

int main(int count, char **arguments) {
  for (int i = 1; i < count; i++) CHECK(dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL) != NULL);
  close(open("/dev/null", O_RDONLY));
  free(allocate(1));
  crebind_rebinding rebindings[] = {
      {.name = "open", .replacement = (void *)hooked_open, .original = (void **)&original_open},
      {.name = "malloc",
       .replacement = (void *)hooked_malloc,
       .original = (void **)&original_malloc},
  };
  crebind_handle *handle;
  CHECK(crebind_apply(rebindings, 2, NULL, &handle, NULL, NULL) == CREBIND_OK);
  CHECK(crebind_slots(handle, tell_slot, NULL, NULL) == CREBIND_OK);
  ask("open", NULL, NULL);
  ask("malloc", NULL, NULL);
  ask("getppid", NULL, NULL);
  ask("number", NULL, NULL);
  ask("number", "V1", NULL);
  ask("number", "V2", NULL);
  ask("number", NULL, "libplain.so");
  ask("number", "V1", "libplain.so");
  ask("value", NULL, NULL);
  ask("no_such_function", NULL, NULL);
  wait_to_be_looked_at();
}
