/// The report of a restore adds up to that of the apply: below our own notice, below our wrappers
/// around dlsym, and below and above another batch.

#include "steps.h"

static void *(*original_open)(const char *, int);
static void *(*original_symbol)(void *, const char *);
static pid_t (*originals[2])(void);

static void *open_hook(const char *path, int mode) { return original_open(path, mode); }
static void *symbol_hook(void *image, const char *name) { return original_symbol(image, name); }
static pid_t lower(void) { return originals[0](); }
static pid_t upper(void) { return originals[1](); }

static crebind_handle *apply(const crebind_rebinding *rebindings, size_t count,
                             crebind_report *report) {
  crebind_handle *handle = APPLY(rebindings, count, NULL, report);
  CHECK(report->changed > 0 && report->images > 0);
  return handle;
}

/// Returns how many slots were changed.
static size_t restore(crebind_handle *handle, const crebind_report *applied) {
  crebind_report report;
  CHECK(crebind_restore(handle, &report, NULL) == CREBIND_OK);
  if (applied->changed != report.changed + report.unchanged + report.skipped) {
    fprintf(stderr, "changed %zu; restored %zu, unchanged %zu, skipped %zu\n", applied->changed,
            report.changed, report.unchanged, report.skipped);
    exit(1);
  }
  CHECK(report.skipped == 0);
  CHECK(report.changed != applied->changed || report.images == applied->images);
  return report.changed;
}

static const crebind_rebinding below_notice[] = {
    {.name = "dlopen", .replacement = (void *)open_hook, .original = (void **)&original_open},
    // The notice waits for what defines this.
    {.name = "nobody_defines_this", .replacement = (void *)lower},
};
static const crebind_rebinding below_cover[] = {
    {.name = "dlsym", .replacement = (void *)symbol_hook, .original = (void **)&original_symbol},
};
static const crebind_rebinding chain[] = {
    {.name = "getppid", .replacement = (void *)lower, .original = (void **)&originals[0]},
    {.name = "getppid", .replacement = (void *)upper, .original = (void **)&originals[1]},
};

int main(void) {
  // Each is called in this image, by a slot of its own.
  void *volatile self = dlopen(NULL, RTLD_NOW);
  CHECK(self != NULL && dlsym(self, "getppid") != NULL && getppid() > 0);

  crebind_report reports[2];
  crebind_handle *handle = apply(below_notice, 2, &reports[0]);
  CHECK(dlopen(NULL, RTLD_NOW) == self);
  CHECK(restore(handle, &reports[0]) == reports[0].changed);

  handle = apply(below_cover, 1, &reports[0]);
  CHECK(dlsym(self, "getppid") != NULL);
  CHECK(restore(handle, &reports[0]) == reports[0].changed);

  for (int first = 0; first <= 1; first++) {
    crebind_handle *handles[2];
    for (int i = 0; i <= 1; i++) handles[i] = apply(&chain[i], 1, &reports[i]);
    // The upper one holds the slots on.
    CHECK(restore(handles[first], &reports[first]) == (first == 0 ? 0 : reports[1].changed));
    CHECK(restore(handles[1 - first], &reports[1 - first]) == reports[0].changed);
  }
  printf("it adds up\n");
}
