/// Two batches for one symbol, which only a plug-in that is loaded later imports. The upper
/// batch leads to the lower one, though the upper one was applied when only the definition was
/// there.
///
/// Usage: chain-later PLUGIN

#include "steps.h"

static int lower_calls, upper_calls;
static pid_t (*lower_original)(void), (*upper_original)(void);
static pid_t lower(void) {
  lower_calls++;
  return lower_original();
}
static pid_t upper(void) {
  upper_calls++;
  return upper_original();
}

static void check_calls(void *image, int lower_expected, int upper_expected) {
  lower_calls = upper_calls = 0;
  CHECK(CALL(image, "plugin_call") > 0);
  CHECK(lower_calls == lower_expected && upper_calls == upper_expected);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  const crebind_rebinding rebindings[] = {
      {.name = "getppid", .replacement = (void *)lower, .original = (void **)&lower_original},
      {.name = "getppid", .replacement = (void *)upper, .original = (void **)&upper_original},
  };
  const crebind_options plugins = {.scope = CREBIND_SCOPE_MATCHING, .matches = is_plugin};
  crebind_handle *handles[2];
  handles[0] = APPLY(&rebindings[0], 1, &plugins, NULL);
  handles[1] = APPLY(&rebindings[1], 1, NULL, NULL);
  void *image = OPEN(argv[1], RTLD_LAZY);
  check_calls(image, 1, 1);
  RESTORE(handles[0]);
  check_calls(image, 0, 1);
  RESTORE(handles[1]);
  check_calls(image, 0, 0);
  printf("each led to the next\n");
}
