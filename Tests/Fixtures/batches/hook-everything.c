/// The functions that a rebinding library is likely to need itself are rebound, one at a time and
/// all at once. Nothing deadlocks or calls itself, every hook runs, and after the restore none
/// does.

#include "steps.h"

enum { MALLOC, FREE, MPROTECT, MEMCPY, STRCMP, STRLEN, DLSYM, ITERATE, LOCK, COUNT };

static atomic_int hooked[COUNT];
static void *originals[COUNT];

/// The original of `name`, and one more run of its hook.
#define ORIGINAL(index, type) (atomic_fetch_add(&hooked[index], 1), (type)originals[index])

static void *hook_malloc(size_t size) { return ORIGINAL(MALLOC, void *(*)(size_t))(size); }
static void hook_free(void *memory) { ORIGINAL(FREE, void (*)(void *))(memory); }
static int hook_mprotect(void *start, size_t size, int protection) {
  return ORIGINAL(MPROTECT, int (*)(void *, size_t, int))(start, size, protection);
}
static void *hook_memcpy(void *to, const void *from, size_t size) {
  return ORIGINAL(MEMCPY, void *(*)(void *, const void *, size_t))(to, from, size);
}
static int hook_strcmp(const char *a, const char *b) {
  return ORIGINAL(STRCMP, int (*)(const char *, const char *))(a, b);
}
static size_t hook_strlen(const char *string) {
  return ORIGINAL(STRLEN, size_t (*)(const char *))(string);
}
static void *hook_dlsym(void *image, const char *name) {
  return ORIGINAL(DLSYM, void *(*)(void *, const char *))(image, name);
}
typedef int visitor(struct dl_phdr_info *, size_t, void *);
static int hook_iterate(visitor *visit, void *context) {
  return ORIGINAL(ITERATE, int (*)(visitor *, void *))(visit, context);
}
static int hook_lock(pthread_mutex_t *mutex) {
  return ORIGINAL(LOCK, int (*)(pthread_mutex_t *))(mutex);
}

static const crebind_rebinding rebindings[COUNT] = {
    {.name = "malloc", .replacement = (void *)hook_malloc, .original = &originals[MALLOC]},
    {.name = "free", .replacement = (void *)hook_free, .original = &originals[FREE]},
    {.name = "mprotect", .replacement = (void *)hook_mprotect, .original = &originals[MPROTECT]},
    {.name = "memcpy", .replacement = (void *)hook_memcpy, .original = &originals[MEMCPY]},
    {.name = "strcmp", .replacement = (void *)hook_strcmp, .original = &originals[STRCMP]},
    {.name = "strlen", .replacement = (void *)hook_strlen, .original = &originals[STRLEN]},
    {.name = "dlsym", .replacement = (void *)hook_dlsym, .original = &originals[DLSYM]},
    {.name = "dl_iterate_phdr", .replacement = (void *)hook_iterate,
     .original = &originals[ITERATE]},
    {.name = "pthread_mutex_lock", .replacement = (void *)hook_lock, .original = &originals[LOCK]},
};

static int stop(struct dl_phdr_info *info, size_t size, void *context) {
  (void)info, (void)size;
  *(int *)context += 1;
  return 7;
}

/// Calls each function once, through the program's slots.
static void exercise(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static const char text[] = "some text";
  char copy[sizeof text];
  int images = 0;
  char *volatile memory = malloc(100);
  CHECK(memory != NULL);
  free(memory);
  long page = sysconf(_SC_PAGESIZE);
  void *pages = mmap(NULL, (size_t)page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(mprotect(pages, (size_t)page, PROT_READ | PROT_WRITE) == 0);
  *(char *)pages = 1;
  munmap(pages, (size_t)page);
  CHECK(memcpy(copy, text, sizeof text) == copy);
  CHECK(strcmp(copy, text) == 0 && strlen(copy) == sizeof text - 1);
  CHECK(dlsym(RTLD_DEFAULT, "getppid") != NULL);
  CHECK(dl_iterate_phdr(stop, &images) == 7 && images == 1);
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
}

/// Checks which of the hooks run.
static void expect(size_t first, size_t count, int runs) {
  for (size_t i = 0; i < COUNT; i++) atomic_store(&hooked[i], 0);
  exercise();
  for (size_t i = 0; i < COUNT; i++)
    CHECK(atomic_load(&hooked[i]) == (i >= first && i < first + count ? runs : 0));
}

static crebind_handle *apply(size_t first, size_t count) {
  crebind_report report;
  crebind_handle *handle = APPLY(&rebindings[first], count, NULL, &report);
  CHECK(report.changed + report.unchanged >= count && report.pending == 0);
  return handle;
}

/// The core itself calls none of them.
static void expect_untouched(void) {
  for (size_t i = 0; i < COUNT; i++) CHECK(atomic_load(&hooked[i]) == 0);
}

static void restore(crebind_handle *handle) {
  for (size_t i = 0; i < COUNT; i++) atomic_store(&hooked[i], 0);
  RESTORE(handle);
  expect_untouched();
}

static void *idle(void *unused) {
  free(malloc(10));
  return unused;
}

int main(void) {
  char *before = read_maps();
  for (size_t i = 0; i < COUNT; i++) {
    crebind_handle *handle = apply(i, 1);
    expect(i, 1, 1);
    restore(handle);
    expect(0, 0, 0);
  }

  crebind_handle *all = apply(0, COUNT);
  expect(0, COUNT, 1);
  // The whole interface, and the loader, while everything is rebound.
  crebind_handle *again = apply(LOCK, 1);
  for (size_t i = 0; i < COUNT; i++) atomic_store(&hooked[i], 0);
  CHECK(crebind_verify(all, NULL, NULL) == CREBIND_OK);
  CHECK(crebind_refresh(NULL) == CREBIND_OK && crebind_lookup("malloc") != NULL);
  expect_untouched();
  JOIN(START(idle, NULL));
  void *math = dlopen("libm.so.6", RTLD_NOW);
  if (math != NULL) dlclose(math);
  restore(again);
  expect(0, COUNT, 1);
  restore(all);
  expect(0, 0, 0);

  // One on top of the other, taken away from the bottom.
  crebind_handle *handles[COUNT];
  for (size_t i = 0; i < COUNT; i++) handles[i] = apply(i, 1);
  expect(0, COUNT, 1);
  for (size_t i = 0; i < COUNT; i++) {
    restore(handles[i]);
    expect(i + 1, COUNT - i - 1, 1);
  }
  CHECK(strcmp(before, read_maps()) == 0);
  printf("each hook ran once a call\n");
}
