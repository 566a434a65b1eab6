/// Definitions outside of the global scope: one that is the only one is redirected, and
/// none of several, which the handles of unrelated plug-ins give. That is judged anew
/// whenever one comes, goes, or is opened again with RTLD_GLOBAL.
///
/// Usage: local-definitions FIRST SECOND CALLER

#if defined(LIBRARY)

struct device {
  int is_open;
};

static int initialisations;
int plugin_init(void) { return NUMBER * 10 + ++initialisations; }
/// Of no file, but of a device: it has the name of another function by chance.
int close(struct device *device) {
  device->is_open = 0;
  return NUMBER;
}

#elif defined(CALLER)

int plugin_init(void);
int call_init(void) { return plugin_init(); }

#else

#include "steps.h"
#include "others.h"

static int hooked;
static int (*original)(void);
static int hook(void) {
  hooked++;
  return 100 + original();
}
static int closed;
static int (*original_close)(int);
static int hook_close(int file) {
  closed++;
  return original_close(file);
}

static void *open_image(const char *path, int mode) { return OPEN(path, RTLD_LAZY | mode); }
static inline void close_image(void *image) { CHECK(dlclose(image) == 0); }

static int (*find(void *image))(void) {
  return (int (*)(void))find_as_others(image, "plugin_init");
}
static bool is_redirected(void *image) { return find(image) == hook; }

struct device {
  int is_open;
};
static void close_device(void *image, int number) {
  struct device device = {1};
  int (*close_it)(struct device *) = (int (*)(struct device *))find_as_others(image, "close");
  CHECK(close_it(&device) == number && device.is_open == 0);
}

static crebind_handle *apply(const crebind_options *options, crebind_report *report) {
  crebind_rebinding rebindings[] = {
      {.name = "plugin_init", .replacement = (void *)hook, .original = (void **)&original},
      {.name = "close", .replacement = (void *)hook_close, .original = (void **)&original_close},
  };
  return APPLY(rebindings, 2, options, report);
}

/// Two plug-ins that know nothing of each other.
static void keep_apart(char *paths[]) {
  void *first = open_image(paths[0], RTLD_LOCAL), *second = open_image(paths[1], RTLD_LOCAL);
  crebind_report report;
  original = NULL;
  crebind_handle *handle = apply(NULL, &report);
  CHECK(report.pending == 1 && original == NULL);
  CHECK(find(first)() == 11 && find(second)() == 21 && hooked == 0);
  close_device(first, 1);
  close_device(second, 2);
  CHECK(closed == 0 && close(-1) == -1 && closed == 1);
  RESTORE(handle);
#ifdef __GLIBC__
  close_image(first);
  close_image(second);
#endif
}

#ifdef __GLIBC__  // musl unloads nothing

/// Loaded when the batch is applied, closed, and opened again.
static void hook_what_comes_again(const char *path, int mode) {
  void *image = open_image(path, mode);
  crebind_report report;
  crebind_handle *handle = apply(NULL, &report);
  CHECK(report.pending == 0 && is_redirected(image) && find(image)() == 111);
  close_image(image);
  CHECK(original == NULL);
  image = open_image(path, mode);
  CHECK(is_redirected(image) && find(image)() == 111 && find(image)() == 112);
  // Nobody may have looked in between.
  CHECK(dlclose(image) == 0);
  RESTORE(handle);
  image = open_image(path, mode);
  CHECK(find(image)() == 11);
  close_image(image);
}

/// The only one is redirected, until another one comes; a caller that has got the replacement goes
/// on to the first one.
static void turn_back(char *paths[], int batches) {
  char *maps = read_maps();
  void *first = open_image(paths[0], RTLD_LOCAL);
  crebind_handle *handles[2];
  for (int i = 0; i < batches; i++) handles[i] = apply(NULL, NULL);
  CHECK(is_redirected(first) && find(first)() > 100);
  int (*kept)(void) = find(first);
  void *second = open_image(paths[1], RTLD_LOCAL);
  CHECK(!is_redirected(first) && !is_redirected(second));
  CHECK(find(first)() / 10 == 1 && find(second)() == 21);
  CHECK(kept() / 10 == 11);

  // One is the only one again, the first or the second.
  close_image(second);
  CHECK(is_redirected(first) && find(first)() / 10 == 11);
  second = open_image(paths[1], RTLD_LOCAL);
  CHECK(!is_redirected(first) && !is_redirected(second));
  close_image(first);
  CHECK(is_redirected(second) && find(second)() / 10 == 12 && original() / 10 == 2);
  for (int i = 0; i < batches; i++) RESTORE(handles[i]);
  CHECK(!is_redirected(second) && find(second)() / 10 == 2);
  close_image(second);
  CHECK(strcmp(maps, read_maps()) == 0);
}

/// The first in the global scope goes, and the second becomes it. (RTLD_DEFAULT would have
/// the loader keep what it finds.)
static void take_over(char *paths[]) {
  void *first = open_image(paths[0], RTLD_GLOBAL), *second = open_image(paths[1], RTLD_GLOBAL);
  crebind_report report;
  crebind_handle *handle = apply(NULL, &report);
  CHECK(report.pending == 0 && is_redirected(first) && !is_redirected(second));
  CHECK(find(first)() == 111 && original() == 12);
  close_image(first);
  CHECK(is_redirected(second) && find(second)() == 121 && original() == 22);
  close_image(second);
  CHECK(original == NULL);
  // The former only one is turned back for one in the global scope.
  second = open_image(paths[1], RTLD_LOCAL);
  CHECK(is_redirected(second));
  first = open_image(paths[0], RTLD_GLOBAL);
  CHECK(is_redirected(first) && !is_redirected(second) && find(RTLD_DEFAULT)() == 111);
  RESTORE(handle);
  CHECK(find(first)() == 12 && find(second)() == 21);
  close_image(second);
}

/// The loader has not bound the caller's slot, and so keeps nothing that its original is in.
static void keep_originals_alive(char *paths[]) {
  void *first = open_image(paths[0], RTLD_GLOBAL), *second = open_image(paths[1], RTLD_GLOBAL);
  void *caller = open_image(paths[2], RTLD_LOCAL);
  int (*call)(void) = FIND(caller, "call_init");
  crebind_handle *handle = apply(NULL, NULL);
  CHECK(call() == 111 && original() == 12);
  close_image(first);
  CHECK(call() == 121 && original() == 22);
  close_image(second);
  CHECK(original == NULL);
  RESTORE(handle);
  close_image(caller);
}

#endif

/// Neither of two is redirected, until one of them is in the global scope.
static void promote(char *paths[]) {
  void *first = open_image(paths[0], RTLD_LOCAL), *second = open_image(paths[1], RTLD_LOCAL);
  crebind_handle *handle = apply(NULL, NULL);
  CHECK(!is_redirected(first) && !is_redirected(second));
  CHECK(open_image(paths[1], RTLD_NOLOAD | RTLD_GLOBAL) == second);
  CHECK(!is_redirected(first) && is_redirected(second));
#ifndef __GLIBC__
  CHECK(find(RTLD_DEFAULT) == hook);
#endif
  CHECK(find(second)() / 10 == 12 && find(first)() / 10 == 1);
  // Opened later, it stands behind.
  CHECK(open_image(paths[0], RTLD_NOLOAD | RTLD_GLOBAL) == first);
  CHECK(!is_redirected(first) && is_redirected(second));
  RESTORE(handle);
  CHECK(!is_redirected(first) && !is_redirected(second));
#ifdef __GLIBC__
  close_image(first);
  close_image(second);
  close_image(first);
  close_image(second);
#endif
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  keep_apart(argv + 1);
#ifdef __GLIBC__
  hook_what_comes_again(argv[1], RTLD_LOCAL);
  hook_what_comes_again(argv[1], RTLD_GLOBAL);
  turn_back(argv + 1, 1);
  turn_back(argv + 1, 2);
  keep_originals_alive(argv + 1);
  promote(argv + 1);
  take_over(argv + 1);
#else
  promote(argv + 1);
#endif
  printf("judged anew\n");
}

#endif
