/// Annotations of the program and of plug-ins: found, reported, held, and gone.
///
/// Usage: annotations PLUGIN BARE FAULTY: builds of annotations-plugin.c.

#include "steps.h"
#include "RebindAnnotations.h"

REBIND_ANNOTATE(modules, "Program")

// MARK: - Looking

/// The annotations that were visited last.
static struct {
  int count, faults, things;
  char text[1024];
  crebind_annotation last;
} seen;

static void note(const crebind_annotation *annotation, void *context) {
  (void)context;
  const crebind_record *record = &annotation->record;
  seen.count++;
  seen.last = *annotation;
  CHECK(annotation->image.header != NULL && annotation->section != 0);
  CHECK(crebind_image_containing((const void *)annotation->section) == annotation->image.header);
  if (record->fault != CREBIND_RECORD_VALID) {
    CHECK(record->fault == CREBIND_RECORD_ACCESSOR);
    CHECK(record->group[0] == 0 && record->key[0] == 0 && record->value[0] == 0);
    seen.faults++;
    return;
  }
  if (record->accessor != 0) {
    int *thing = NULL;
    CHECK(((rebind_accessor *)(uintptr_t)record->accessor)(REBIND_REQUEST_POINTER, &thing) == 1);
    CHECK(*thing == 42);
    seen.things++;
  }
  size_t length = strlen(seen.text);
  snprintf(seen.text + length, sizeof seen.text - length, "%s.%s=%s:%d ", record->group,
           record->key, record->value, (int)record->priority);
}

static const char *look(const char *group) {
  memset(&seen, 0, sizeof seen);
  CHECK(crebind_annotations(group, note, NULL, NULL) == CREBIND_OK);
  return seen.text;
}

#define PROGRAM "modules.Program=:0 "
#define PLUGIN "modules.Plugin=:0 services.mail=MailService:-3 things.thing=:0 "

static void expect(const char *group, const char *text) {
  const char *found = look(group);
  if (strcmp(found, text) != 0) fprintf(stderr, "%s\n", found);
  CHECK(strcmp(found, text) == 0);
}

// MARK: - Listening

static int loads, unloads;
static const void *told;
static uint64_t told_generation;
static bool is_at_exit;

static void listen(const void *header, bool is_loaded, void *context) {
  CHECK(!is_at_exit && strcmp(context, "context") == 0);
  CHECK(told_generation != crebind_annotations_generation());
  told_generation = crebind_annotations_generation();
  told = header;
  *(is_loaded ? &loads : &unloads) += 1;
  // May look, and load: the loader's lock is this thread's.
  expect(NULL, is_loaded ? PROGRAM PLUGIN : PROGRAM);
}

static void begin_exit(void) { is_at_exit = true; }

// MARK: - Plug-ins

static bool is_loaded(const char *path) {
  void *image = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (image == NULL) return false;
  CHECK(dlclose(image) == 0);
  return true;
}

static crebind_status hold(const crebind_annotation *annotation, crebind_image_hold **result) {
  crebind_error error;
  crebind_status status = crebind_hold_image(annotation->image.header, annotation->dynamic,
                                             annotation->generation, result, &error);
  CHECK(status == CREBIND_OK || error.status == status);
  return status;
}

static void check_plugin(const char *path) {
  uint64_t generation = crebind_annotations_generation();
  CHECK(generation != 0 && generation == crebind_annotations_generation());
  void *image = OPEN(path, RTLD_NOW);
  CHECK(generation != crebind_annotations_generation());
  generation = crebind_annotations_generation();
  expect(NULL, PROGRAM PLUGIN);
  expect(NULL, PROGRAM PLUGIN);
  CHECK(seen.things == 1 && seen.faults == 0);
  expect("services", "services.mail=MailService:-3 ");
  expect("modules", "modules.Program=:0 modules.Plugin=:0 ");
  expect("mod", "");
  CHECK(generation == crebind_annotations_generation());

  look("things");
  crebind_annotation annotation = seen.last;
  crebind_image_hold *reference = (crebind_image_hold *)&seen, *second = NULL;
  CHECK(hold(&annotation, &reference) == CREBIND_OK && hold(&annotation, &second) == CREBIND_OK);
  CHECK(dlclose(image) == 0);
#ifdef __GLIBC__
  CHECK(reference != NULL && is_loaded(path));
  crebind_release_image(second);
  CHECK(is_loaded(path));
  expect(NULL, PROGRAM PLUGIN);
  crebind_release_image(reference);
  CHECK(!is_loaded(path) && generation != crebind_annotations_generation());
  expect(NULL, PROGRAM);
  CHECK(hold(&annotation, &reference) == CREBIND_NO_SUCH_IMAGE);
  // At the same place, in all likelihood, and not the same image.
  image = OPEN(path, RTLD_NOW);
  look("things");
  CHECK(seen.count == 1 && seen.last.generation != annotation.generation);
  CHECK(hold(&annotation, &reference) == CREBIND_NO_SUCH_IMAGE);
  CHECK(dlclose(image) == 0);
#else
  CHECK(reference == NULL && second == NULL && is_loaded(path));
#endif
}

/// The program is never unloaded.
static void check_program(void) {
  expect(NULL, PROGRAM);
  crebind_image_hold *reference = (crebind_image_hold *)&seen;
  crebind_annotation annotation = seen.last;
  CHECK(annotation.image_index == 0 && annotation.source == CREBIND_SECTION_FROM_NOTE);
  CHECK(hold(&annotation, &reference) == CREBIND_OK && reference == NULL);
  crebind_release_image(reference);
  annotation.generation++;
  CHECK(hold(&annotation, &reference) == CREBIND_NO_SUCH_IMAGE);
}

/// An image that holds annotations without a note is read from the file, once.
static void check_bare(const char *path) {
  void *image = OPEN(path, RTLD_NOW);
  expect(NULL, PROGRAM PLUGIN);
  CHECK(seen.last.source == CREBIND_SECTION_FROM_FILE);
  char aside[4096];
  snprintf(aside, sizeof aside, "%s.aside", path);
  CHECK(rename(path, aside) == 0);
  expect(NULL, PROGRAM PLUGIN);
  CHECK(rename(aside, path) == 0);
  CHECK(dlclose(image) == 0);
}

static void check_faulty(const char *path) {
  void *image = OPEN(path, RTLD_NOW);
  expect(NULL, PROGRAM PLUGIN);
  CHECK(seen.faults == 1);
  expect("modules", "modules.Program=:0 modules.Plugin=:0 ");
  CHECK(seen.faults == 1);
  CHECK(dlclose(image) == 0);
}

static void count_copies(const crebind_image_info *image, void *count) {
  CHECK(image->header == crebind_image_containing((const void *)(uintptr_t)look));
  ++*(int *)count;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  int copies = 0;
  CHECK(crebind_copies(count_copies, &copies, NULL) == CREBIND_OK && copies == 1);
  check_program();
  // musl unloads nothing, so there it is the last one that is loaded.
#ifdef __GLIBC__
  check_bare(argv[2]);
  check_faulty(argv[3]);
#endif
  check_plugin(argv[1]);
#ifdef __GLIBC__
  CHECK(atexit(begin_exit) == 0);
  char context[] = "context";
  crebind_listen_for_annotations(listen, context);
  void *image = OPEN(argv[1], RTLD_NOW);
  CHECK(loads == 1 && unloads == 0);
  look("things");
  CHECK(told == seen.last.image.header);
  CHECK(dlclose(image) == 0 && loads == 1 && unloads == 1);
  // Stays, and says so when the process exits: to nobody.
  OPEN(argv[1], RTLD_NOW);
  CHECK(loads == 2);
#else
  (void)listen, (void)told, (void)begin_exit, (void)check_bare, (void)check_faulty;
#endif
  puts("all seen");
}
