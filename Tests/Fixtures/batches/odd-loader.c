/// Functions of the loader are missing, or give odd answers. References to images, questions about
/// names and the notice of the exit then do without, or say so.
///
/// Usage: odd-loader PLUGIN SWIFT: plugin.c, and a library that needs one whose name begins with
///   libswift

#define _GNU_SOURCE
#include "sections/hold.h"
#include "transactions/questions.h"
#include "world/loader.h"
#include "steps.h"

/// The functions of the loader that the core finds: all but the missing ones.
static struct crebind_loader missing;
/// Functions that are others; NULL for none.
static int (*other_information)(void *image, int request, void *result);
static void *(*other_open)(const char *path, int mode);
WRAPPED(struct crebind_loader, crebind_loader, void) {
  struct crebind_loader loader = __real_crebind_loader();
  CHECK(loader.is_known && loader.open != NULL);
  uintptr_t words[sizeof loader / sizeof(uintptr_t)], masks[sizeof loader / sizeof(uintptr_t)];
  memcpy(words, &loader, sizeof loader);
  memcpy(masks, &missing, sizeof missing);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) words[i] &= ~masks[i];
  memcpy(&loader, words, sizeof loader);
  if (other_information != NULL) loader.information = other_information;
  if (other_open != NULL) loader.open = other_open;
  return loader;
}

/// A function that stands for its being missing.
#define NONE UINTPTR_MAX
/// Does something without a function of the loader.
#define WITHOUT(function, statement)                            \
  do {                                                          \
    missing.function = (__typeof__(missing.function))NONE;      \
    statement;                                                  \
    missing.function = NULL;                                    \
  } while (0)

extern void (*crebind_told)(const void *address, uint32_t event);

static crebind_image_contents plugin;
static struct link_map *map;
static void find_plugin(const crebind_image_contents *image, void *context) {
  (void)context;
  if (image->dynamic == (uintptr_t)map->l_ld) plugin = *image;
}
/// The program and the vDSO are there for good: nothing has to hold them.
static void hold_permanent(const crebind_image_contents *image, void *context) {
  if (!image->is_main && !image->is_vdso) return;
  crebind_image_hold *held = context;
  CHECK(crebind_hold_image(image->info.header, image->dynamic, image->generation, &held, NULL)
        == CREBIND_OK);
  CHECK(held == NULL);
}

static crebind_status hold(crebind_image_hold **held) {
  *held = NULL;
  return crebind_hold_image(plugin.info.header, plugin.dynamic, plugin.generation, held, NULL);
}

static struct link_map other_map;
static int give_other_map(void *image, int request, void *result) {
  (void)image, (void)request;
  *(struct link_map **)result = &other_map;
  return 0;
}
static int give_nothing(void *image, int request, void *result) {
  (void)image, (void)request, (void)result;
  return -1;
}
static void *open_nothing(const char *path, int mode) {
  (void)path, (void)mode;
  return NULL;
}

/// The loader opens another image by the path, or none.
static void check_others(void) {
  crebind_image_hold *held;
  other_information = give_nothing;
  CHECK(hold(&held) == CREBIND_NO_SUCH_IMAGE);
  other_information = give_other_map;
  CHECK(hold(&held) == CREBIND_NO_SUCH_IMAGE);
  other_map.l_addr = map->l_addr;
  CHECK(hold(&held) == CREBIND_NO_SUCH_IMAGE);
  other_map.l_ld = map->l_ld;
  CHECK(hold(&held) == CREBIND_OK && held != NULL);
  crebind_release_image(held);
  other_information = NULL;
  other_open = open_nothing;
  CHECK(hold(&held) == CREBIND_NO_SUCH_IMAGE);
  WITHOUT(last_error, CHECK(hold(&held) == CREBIND_NO_SUCH_IMAGE));
  other_open = NULL;
}

static void check_holds(void) {
  crebind_image_hold *held;
  CHECK(crebind_images(hold_permanent, NULL, NULL) == CREBIND_OK);
  CHECK(hold(&held) == CREBIND_OK && held != NULL);
  crebind_release_image(held);
  crebind_release_image(NULL);
  uintptr_t *const functions[] = {(uintptr_t *)&missing.open, (uintptr_t *)&missing.close,
                                  (uintptr_t *)&missing.information};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    *functions[i] = NONE;
    CHECK(hold(&held) == CREBIND_OUT_OF_MEMORY && held == NULL);
    CHECK(crebind_hold_image_with((uintptr_t)dlsym(map, "plugin_call")) == CREBIND_OUT_OF_MEMORY);
    *functions[i] = 0;
  }
  // Another image than the one that was seen.
  crebind_image_contents former = plugin;
  plugin.dynamic++;
  CHECK(hold(&held) == CREBIND_NO_SUCH_IMAGE);
  plugin = former;
  plugin.generation++;
  CHECK(hold(&held) == CREBIND_NO_SUCH_IMAGE);
  plugin = former;
  static const char outside;
  CHECK(crebind_hold_image_with((uintptr_t)&outside) == CREBIND_OK);
  CHECK(crebind_hold_image_with(8) == CREBIND_NO_SUCH_IMAGE);
  // One more reference, that nobody can give back.
  CHECK(hold(&held) == CREBIND_OK);
  WITHOUT(close, crebind_release_image(held));
  crebind_release_image(held);
}

// MARK: - Questions

/// Asks for a name; returns what is answered, or 0.
static uintptr_t ask(const char *name, const char *version, bool expected) {
  struct crebind_questions questions;
  const struct crebind_loader_answer *answer;
  crebind_questions_begin(&questions);
  CHECK(crebind_loader_answers_find(&questions.loader, name, version, 1, &answer));
  CHECK(crebind_questions_ask(&questions) == expected);
  CHECK(crebind_loader_answers_find(&questions.loader, name, version, 1, &answer));
  uintptr_t address = answer != NULL ? answer->address : 0;
  CHECK((answer != NULL) == expected);
  crebind_questions_end(&questions);
  return address;
}

static void check_questions(void) {
  const uintptr_t malloc_address = (uintptr_t)dlsym(RTLD_DEFAULT, "malloc");
  CHECK(ask("malloc", NULL, true) == malloc_address);
  CHECK(ask("malloc", "no such version", true) == 0 && ask("no such function", NULL, true) == 0);
  // The failures are not the program's.
  CHECK(dlerror() == NULL);
  WITHOUT(find_version, CHECK(ask("malloc", "no such version", true) == malloc_address));
  WITHOUT(last_error, CHECK(ask("no such function", NULL, true) == 0 && dlerror() != NULL));
  WITHOUT(find, CHECK(ask("malloc", NULL, true) == 0));
  WITHOUT(open, CHECK(ask("malloc", NULL, true) == 0));
  missing.is_known = true;
  CHECK(ask("malloc", NULL, false) == 0);
  missing.is_known = false;
}

// MARK: - Annotations

static int loads, unloads;
static void hear(const void *header, bool is_loaded, void *context) {
  (void)context;
  CHECK(header == plugin.info.header);
  ++*(is_loaded ? &loads : &unloads);
}

static void check_listener(void) {
  crebind_listen_for_annotations(NULL, NULL);
  WITHOUT(open, crebind_listen_for_annotations(hear, NULL));
  WITHOUT(at_exit, crebind_listen_for_annotations(hear, NULL));
  crebind_listen_for_annotations(hear, NULL);
}

/// Images announce themselves: one of another kind, one from nowhere, and last the program.
static void check_events(void) {
  enum { LOADED = 1, UNLOADING = 2 };
  const void *in_plugin = dlsym(map, "plugin_call");
  crebind_told(in_plugin, LOADED);
  CHECK(loads == 1 && unloads == 0);
  crebind_told(in_plugin, UNLOADING + 1);
  crebind_told((const void *)8, LOADED);
  CHECK(loads == 1 && unloads == 0);
  crebind_told(in_plugin, UNLOADING);
  CHECK(loads == 1 && unloads == 1);
  // From then on the process exits.
  crebind_told(&check_events, UNLOADING);
  crebind_told(in_plugin, LOADED);
  CHECK(loads == 1 && unloads == 1);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  map = dlopen(argv[1], RTLD_NOW);
  CHECK(map != NULL && crebind_images(find_plugin, NULL, NULL) == CREBIND_OK);
  CHECK(plugin.info.header != NULL);
  check_holds();
  check_others();
  // Swift code stays loaded for good, so that nothing is left to hold.
  struct link_map *former_map = map;
  crebind_image_contents former = plugin;
  map = dlopen(argv[2], RTLD_NOW);
  CHECK(map != NULL && crebind_images(find_plugin, NULL, NULL) == CREBIND_OK);
  crebind_image_hold *held;
  CHECK(hold(&held) == CREBIND_OK && held == NULL && dlclose(map) == 0);
  CHECK(dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD) != NULL);
  map = former_map;
  plugin = former;
  check_questions();
  check_listener();
  check_events();
  puts("done without");
}
