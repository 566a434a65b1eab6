/// Exported functions of nearly the name that is asked for are named, the best first and by the
/// alphabet; and of several names for one address the one that tells most.
///
/// With -DLIBRARY a library of such names; a second one, with -DMORE as well.
///
/// Usage: similar-exports LIBRARY MORE

#ifdef LIBRARY
#ifdef MORE
int quite_similar_c(void) { return 3; }
int quite_similar_a(void) { return 1; }
#else
int quite_similar_d(void) { return 4; }
int quite_similar_b(void) { return 2; }
int quite_similar_a(void) { return 1; }
int quite_similar_ab(void) { return 5; }
int quite_similarxyz(void) { return 6; }
int quite_similar_data = 7;
/// Names for one address; those of the other one all have an underscore.
int _alias_first(void) { return 8; }
int alias_second(void) __attribute__((alias("_alias_first")));
int alias_third(void) __attribute__((alias("_alias_first")));
int _alias_fourth(void) __attribute__((alias("_alias_first")));
int _lone_first(void) { return 9; }
int _lone_second(void) __attribute__((alias("_lone_first")));
static int hidden_function(void) { return 10; }
int (*get_hidden(void))(void) { return hidden_function; }
#endif
#else
#define _GNU_SOURCE
#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <string.h>

static char names[256];
static void add_name(const crebind_diagnosis *diagnosis, void *context) {
  (void)context;
  if (diagnosis->reason != CREBIND_REASON_SIMILAR_NAME) return;
  strcat(strcat(names, diagnosis->detail), " ");
}

static void expect_names(const char *name, const char *expected) {
  names[0] = 0;
  const crebind_rebinding rebinding = {.name = name};
  CHECK(crebind_diagnose(&rebinding, NULL, add_name, NULL, NULL) == CREBIND_OK);
  if (strcmp(names, expected) != 0) fprintf(stderr, "%s: %s\n", name, names);
  CHECK(strcmp(names, expected) == 0);
}

static void take_name(const crebind_target *target, void *context) {
  (void)context;
  strcpy(names, target->symbol);
}

/// \param start What the symbol's name begins with; "" for none.
static void expect_symbol(void *address, const char *start) {
  names[0] = '-';
  CHECK(crebind_describe_address((uintptr_t)address, take_name, NULL, NULL) == CREBIND_OK);
  if (strncmp(names, start, strlen(start)) != 0) fprintf(stderr, "'%s', not '%s'\n", names, start);
  CHECK(strncmp(names, start, strlen(start)) == 0 && (names[0] == 0) == (start[0] == 0));
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  void *library = dlopen(argv[1], RTLD_NOW);
  CHECK(library != NULL);
  expect_names("quite_similar_x", "quite_similar_a quite_similar_b quite_similar_d ");
  CHECK(dlopen(argv[2], RTLD_NOW) != NULL);
  // The fourth one by the alphabet is left out, and one that two libraries have is named once.
  expect_names("quite_similar_x", "quite_similar_a quite_similar_b quite_similar_c ");
  expect_names("quite_similar_aa", "quite_similar_a quite_similar_ab ");
  expect_names("quite_similarxy", "quite_similarxyz ");
  expect_names("qu", "");
  expect_names("quite_other", "");
  expect_symbol(dlsym(library, "_alias_first"), "alias_");
  expect_symbol(dlsym(library, "_lone_first"), "_lone_");
  expect_symbol(dlsym(library, "quite_similar_d"), "quite_similar_d");
  expect_symbol(((void *(*)(void))dlsym(library, "get_hidden"))(), "");
  expect_symbol(&argc, "");
  puts("named");
}
#endif
