/// The rules of the command line. Their patterns are `[LIBRARY:]NAME[@VERSION]`, each part with wildcards.

#if defined(__linux__)
#include "run.h"

#include <stdio.h>
#include <string.h>

/// A pattern in its parts. Each is NULL if it is left out.
typedef struct pattern {
  char text[512];
  const char *library, *name, *version;
} pattern;

static pattern patterns[CREBIND_RUN_RULES];
static uint32_t count;

crebind_run_rule *crebind_run_rule_at(size_t index) {
  return (crebind_run_rule *)(void *)(crebind_run_file + crebind_run_shared()->rules) + index;
}

void crebind_run_read_rules(void) {
  count = crebind_run_shared()->rule_count;
  if (count > CREBIND_RUN_RULES) count = CREBIND_RUN_RULES;
  for (uint32_t i = 0; i < count; i++) {
    pattern *own = &patterns[i];
    snprintf(own->text, sizeof own->text, "%s", crebind_run_file + crebind_run_rule_at(i)->text);
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

/// Whether a set, from behind its bracket on, has the character. `end` is set behind the set; NULL if it has no end.
static bool has(const char *set, char character, const char **end) {
  bool is_negated = *set == '!' || *set == '^', is_found = false;
  if (is_negated) set++;
  const char *first = set;
  for (; *set != 0 && (*set != ']' || set == first); set++) {
    if (*set == '\\' && set[1] != 0) set++;
    char from = *set, to = from;
    if (set[1] == '-' && set[2] != ']' && set[2] != 0) {
      set += set[2] == '\\' && set[3] != 0 ? 3 : 2;
      to = *set;
    }
    is_found |= character >= from && character <= to;
  }
  *end = *set == ']' ? set + 1 : NULL;
  return is_found != is_negated;
}

/// Whether the pattern's first element, which is no star, matches a character. `next` is set behind the element.
static bool matches_one(const char *pattern, char character, const char **next) {
  *next = pattern + 1;
  if (*pattern == '?') return true;
  if (*pattern == '\\' && pattern[1] != 0) {
    *next = pattern + 2;
    return pattern[1] == character;
  }
  if (*pattern == '[') {
    const char *end;
    bool is_in = has(pattern + 1, character, &end);
    if (end != NULL) {
      *next = end;
      return is_in;
    }
  }
  return *pattern == character;
}

// fnmatch(3) allocates memory in some locales, and this runs inside of malloc.
bool crebind_run_matches(const char *pattern, const char *text) {
  const char *star = NULL, *resumed = NULL, *next;
  while (*text != 0) {
    if (*pattern == '*') {
      star = ++pattern;
      resumed = text;
    } else if (*pattern != 0 && matches_one(pattern, *text, &next)) {
      pattern = next;
      text++;
    } else if (star != NULL) {
      pattern = star;
      text = ++resumed;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == 0;
}

/// By soname, path or file name.
static bool is_in(const char *library, const crebind_image_info *image) {
  const char *path = crebind_run_path(image->path), *slash = strrchr(path, '/');
  return crebind_run_matches(library, image->soname) || crebind_run_matches(library, path)
         || (slash != NULL && crebind_run_matches(library, slash + 1));
}

uint64_t crebind_run_rules_of(const crebind_import *import) {
  uint64_t rules = 0;
  for (uint32_t i = 0; i < count; i++) {
    const pattern *pattern = &patterns[i];
    if (!crebind_run_matches(pattern->name, import->name)
        || (pattern->version != NULL
            && !crebind_run_matches(pattern->version, import->version != NULL ? import->version : ""))
        || (pattern->library != NULL && !is_in(pattern->library, &import->definer)))
      continue;
    __atomic_fetch_add(&crebind_run_rule_at(i)->matches, 1, __ATOMIC_RELAXED);
    rules |= 1ull << i;
  }
  return rules;
}

static void keep(const char *text, void *context) {
  uint32_t place = crebind_run_allocate(strlen(text) + 1);
  if (place != 0) strcpy(crebind_run_file + place, text);
  ((crebind_run_rule *)context)->reason = place;
}

void crebind_run_explain(void) {
  for (uint32_t i = 0; i < count; i++) {
    crebind_run_rule *rule = crebind_run_rule_at(i);
    uint32_t none = 0;
    if (rule->matches != 0 || strpbrk(patterns[i].name, "*?[") != NULL
        || !__atomic_compare_exchange_n(&rule->reason, &none, 1, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
      continue;
    crebind_rebinding rebinding = {.name = patterns[i].name, .replacement = (void *)&patterns};
    crebind_explain(&rebinding, NULL, keep, rule, NULL);
  }
}

// MARK: - Knowledge of functions

const crebind_run_function *crebind_run_function_at(uint16_t known) {
  const char *list = crebind_run_file + crebind_run_shared()->functions;
  return known == 0 ? NULL : (const crebind_run_function *)(const void *)list + known - 1;
}

uint16_t crebind_run_known(const char *name) {
  for (uint16_t i = 1; i <= crebind_run_shared()->function_count; i++)
    if (strcmp(crebind_run_file + crebind_run_function_at(i)->name, name) == 0) return i;
  return 0;
}
#endif
