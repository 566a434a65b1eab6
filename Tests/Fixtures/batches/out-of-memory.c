/// Each mmap and mremap of the core's fails once. A call that reports it has changed nothing and
/// works the next time. If a dlopen could not serve an image, the next call serves it, and reports
/// it by its right name.
///
/// Usage: out-of-memory PLUGIN OTHER-PLUGIN

#include "steps.h"
#include "failing-calls.h"

// MARK: - Failing

/// The step that fails, and after how many requests.
static int failing_step;
static long failing_request;

/// How many requests are granted until one fails; -1 for all.
static long granted = -1;
static bool has_failed;

static int refuse_one(long number, long first, long third) {
  (void)number, (void)first, (void)third;
  if (granted < 0 || granted-- > 0) return 0;
  has_failed = true;
  return ENOMEM;
}

static void begin(int step) { granted = step == failing_step ? failing_request : -1; }
static void end(void) { granted = -1; }

/// A call that succeeds, or does so at the second try.
#define STEP(number, call)                                                   \
  do {                                                                       \
    begin(number);                                                           \
    crebind_status status = (call);                                          \
    end();                                                                   \
    if (status == CREBIND_OK) break;                                         \
    CHECK(number == failing_step && status == CREBIND_OUT_OF_MEMORY);        \
    CHECK((call) == CREBIND_OK);                                             \
  } while (0)

// MARK: - Working

static int calls[2];
static pid_t (*originals[2])(void);
static pid_t everywhere(void) {
  calls[0]++;
  return originals[0]();
}
static pid_t in_plugins(void) {
  calls[1]++;
  return originals[1]();
}
static const crebind_rebinding rebindings[] = {
    {.name = "getppid", .replacement = (void *)everywhere, .original = (void **)&originals[0]},
    {.name = "getppid", .replacement = (void *)in_plugins, .original = (void **)&originals[1]},
};

static void count_plugin(const crebind_image_info *image, void *count) {
  *(int *)count += is_plugin(image, NULL);
}

static void check_calls(void *plugin, int first, int second) {
  calls[0] = calls[1] = 0;
  CHECK(CALL(plugin, "plugin_call") > 0);
  CHECK(calls[0] == first && calls[1] == second);
}

enum { STEPS = 12 };

static void work(char *paths[]) {
  const crebind_options plugins = {.scope = CREBIND_SCOPE_MATCHING, .matches = is_plugin};
  crebind_handle *handles[2];
  crebind_observation *observations[2];
  int added = 0, removed = 0;
  const crebind_image_observer came = {.added = count_plugin, .context = &added};
  const crebind_image_observer went = {.removed = count_plugin, .context = &removed};
  STEP(0, crebind_apply(&rebindings[0], 1, NULL, &handles[0], NULL, NULL));
  STEP(1, crebind_apply(&rebindings[1], 1, &plugins, &handles[1], NULL, NULL));
  STEP(2, crebind_observe(&came, &observations[0], NULL));
  STEP(3, crebind_observe(&went, &observations[1], NULL));
  begin(4);
  void *plugin = dlopen(paths[0], RTLD_LAZY);
  end();
  begin(5);
  void *other = dlopen(paths[1], RTLD_NOW);
  end();
  CHECK(plugin != NULL && other != NULL);
  STEP(6, crebind_refresh(NULL));
  CHECK(crebind_refresh(NULL) == CREBIND_OK && added == 2);
  check_calls(plugin, 1, 1);
  check_calls(other, 1, 1);
  STEP(7, crebind_verify(handles[0], NULL, NULL));
  begin(8);
  CHECK(dlclose(other) == 0);
  end();
  CHECK(crebind_refresh(NULL) == CREBIND_OK && removed == 1);
  STEP(9, crebind_restore(handles[0], NULL, NULL));
  check_calls(plugin, 0, 1);
  begin(10);
  for (int i = 0; i < 2; i++) crebind_unobserve(observations[i]);
  end();
  STEP(11, crebind_restore(handles[1], NULL, NULL));
  check_calls(plugin, 0, 0);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  const long requests[] = {SYS_mmap, SYS_mremap};
  refusal = refuse_one;
  int failures = 0;
  for (failing_step = 0; failing_step < STEPS; failing_step++) {
    int status = 1;
    for (failing_request = 0; status != 0; failing_request++) {
      pid_t child = fork();
      if (child == 0) {
        if (!trap_calls(requests, 2)) _exit(3);
        work(argv + 1);
        _exit(has_failed ? 2 : 0);
      }
      CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
      if (WEXITSTATUS(status) == 3) {
        printf("no filters here\n");
        return 0;
      }
      failures += WEXITSTATUS(status) == 2;
      // 0: the step has asked for no more memory.
      if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 2) {
        fprintf(stderr, "step %d, request %ld\n", failing_step, failing_request);
        exit(1);
      }
    }
  }
  // Else none of the core's requests came here.
  CHECK(failures > STEPS);
  printf("nothing was lost\n");
}
