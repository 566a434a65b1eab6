/// The patterns of the command line: `[LIBRARY:]NAME[@VERSION]`, each part with wildcards.

#include "run.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/// A pattern in its parts. Each is NULL if it is left out.
typedef struct pattern {
  char text[512];
  const char *library, *name, *version;
} pattern;

static pattern patterns[CREBIND_RUN_PATTERNS];
static uint32_t count;

static crebind_run_pattern *shared(void) {
  return (crebind_run_pattern *)(void *)(crebind_run_file + crebind_run_shared()->patterns);
}

void crebind_run_read_patterns(void) {
  count = crebind_run_shared()->pattern_count;
  if (count > CREBIND_RUN_PATTERNS) count = CREBIND_RUN_PATTERNS;
  for (uint32_t i = 0; i < count; i++) {
    pattern *own = &patterns[i];
    snprintf(own->text, sizeof own->text, "%s", crebind_run_file + shared()[i].text);
    char *colon = strchr(own->text, ':'), *version = strchr(own->text, '@');
    if (colon != NULL) {
      *colon = 0;
      own->library = own->text;
    }
    own->name = colon != NULL ? colon + 1 : own->text;
    if (version != NULL) {
      *version = 0;
      own->version = version + 1;
    }
  }
}

static bool matches(const char *pattern, const char *text) {
  return strcmp(pattern, "*") == 0 || fnmatch(pattern, text, 0) == 0;
}

/// By soname, path or file name.
static bool is_in(const char *library, const crebind_image_info *image) {
  const char *path = crebind_run_path(image->path), *slash = strrchr(path, '/');
  return matches(library, image->soname) || matches(library, path)
         || (slash != NULL && matches(library, slash + 1));
}

bool crebind_run_is_wanted(const crebind_import *import) {
  bool is_wanted = false;
  for (uint32_t i = 0; i < count; i++) {
    const pattern *pattern = &patterns[i];
    if (!matches(pattern->name, import->name)
        || (pattern->version != NULL
            && !matches(pattern->version, import->version != NULL ? import->version : ""))
        || (pattern->library != NULL && !is_in(pattern->library, &import->definer)))
      continue;
    __atomic_fetch_add(&shared()[i].matches, 1, __ATOMIC_RELAXED);
    is_wanted = true;
  }
  return is_wanted;
}

static void keep(const char *text, void *context) {
  uint32_t place = crebind_run_allocate(strlen(text) + 1);
  if (place != 0) strcpy(crebind_run_file + place, text);
  ((crebind_run_pattern *)context)->reason = place;
}

void crebind_run_explain(void) {
  for (uint32_t i = 0; i < count; i++) {
    crebind_run_pattern *pattern = &shared()[i];
    uint32_t none = 0;
    if (pattern->matches != 0 || strpbrk(patterns[i].name, "*?[") != NULL
        || !__atomic_compare_exchange_n(&pattern->reason, &none, 1, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
      continue;
    crebind_rebinding rebinding = {.name = patterns[i].name, .replacement = (void *)&patterns};
    crebind_explain(&rebinding, NULL, keep, pattern, NULL);
  }
}
