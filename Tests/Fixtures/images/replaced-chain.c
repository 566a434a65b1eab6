/// A library is closed and opened again in its own place while two batches redirect
/// a function that it defines: both reach the new one.
///
/// Usage: replaced-chain LIBRARY

#include "steps.h"

static int (*originals[2])(int);
static int lower(int number) { return originals[0](number) + 10; }
static int upper(int number) { return originals[1](number) + 100; }

static int call(void *image, const char *name) {
  int (*function)(int) = FIND(image, name);
  return function(0);
}

static void check_calls(void *image, int expected) {
  // By dlsym: of an image that holds no replacement.
  CHECK(call(image, "library_find") == expected);
  CHECK(call(image, "library_call") == expected);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  const crebind_rebinding rebindings[] = {
      {.name = "library_function", .replacement = (void *)lower,
       .original = (void **)&originals[0]},
      {.name = "library_function", .replacement = (void *)upper,
       .original = (void **)&originals[1]},
  };
  void *image = OPEN(argv[1], RTLD_LAZY);
  crebind_handle *handles[2];
  for (int i = 0; i < 2; i++)
    handles[i] = APPLY(&rebindings[i], 1, NULL, NULL);
  check_calls(image, 111);
  uintptr_t place = (uintptr_t)FIND(image, "library_variable");
  int rounds_in_place = 0;
  for (int i = 0; i < 20; i++) {
    CHECK(dlclose(image) == 0);
    image = OPEN(argv[1], i % 2 == 0 ? RTLD_LAZY : RTLD_NOW);
    rounds_in_place += (uintptr_t)FIND(image, "library_variable") == place;
    CHECK(crebind_refresh(NULL) == CREBIND_OK);
    check_calls(image, 111);
  }
  CHECK(rounds_in_place > 0);
  RESTORE(handles[1]);
  check_calls(image, 11);
  RESTORE(handles[0]);
  check_calls(image, 1);
  printf("both were there again\n");
}
