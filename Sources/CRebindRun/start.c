/// The loader comes here before the program's own constructors: each imported function that a pattern names gets a
/// stub. Without rebind-run, or if anything is refused, the program runs as if we were not there.

#if defined(__linux__)
#define _GNU_SOURCE

#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACES (CREBIND_STUBS_COUNT * 2)

/// The index of each function's stub and 1, by a hash of its name and definer.
static uint16_t indices[PLACES];
static uint32_t count;

/// The stub of a function, the same one each time; NULL if all are used.
static crebind_run_stub *stub_of(uint32_t function, const void *definer) {
  uint64_t i = crebind_run_hash(function ^ (uintptr_t)definer);
  for (;; i++) {
    uint16_t *index = &indices[i % PLACES];
    if (*index == 0) {
      if (count == CREBIND_STUBS_COUNT) return NULL;
      crebind_run_stub *stub = (crebind_run_stub *)crebind_stubs_at(count);
      stub->index = count;
      stub->function = function;
      stub->definer = definer;
      *index = (uint16_t)++count;
      return stub;
    }
    crebind_run_stub *stub = (crebind_run_stub *)crebind_stubs_at(*index - 1u);
    if (stub->function == function && stub->definer == definer) return stub;
  }
}

/// The distance of a function's name.
static uint32_t name_of(const crebind_import *import) {
  char name[8192];
  snprintf(name, sizeof name, "%s\n%s\n%s", import->name,
           import->version != NULL ? import->version : "", crebind_run_path(import->definer.path));
  return crebind_run_name(CREBIND_RUN_FUNCTION, name);
}

/// Whether a rule can strike the function's calls: it fails in a known way, and has the arguments. A sweep leaves
/// functions of streams out unless they are named, as a program reports what it cannot write to one at the end.
static bool can_strike(const crebind_run_rule *rule, const crebind_run_function *known,
                       const char *name) {
  bool is_sweep = (crebind_run_shared()->tasks & CREBIND_RUN_WATCHES) != 0;
  if (is_sweep && known != NULL && known->stream >= 0
      && strpbrk(crebind_run_file + rule->text, "*?[") != NULL)
    return false;
  if (rule->path != 0 && (known == NULL || known->path < 0)) return false;
  switch (rule->effect) {
  case CREBIND_RUN_FAILS:
    return known != NULL ? rule->error != 0 || known->error != 0 || known->returns_error
                         : rule->error != 0 && crebind_stubs_entry_only(name) == NULL;
  case CREBIND_RUN_LIMITS: return known != NULL && known->count >= 0;
  default: return true;
  }
}

/// The rules that strike, of those that name the function.
static uint64_t striking(uint64_t rules, const crebind_run_function *known, const char *name) {
  for (uint64_t left = rules; left != 0; left &= left - 1) {
    crebind_run_rule *rule = crebind_run_rule_at((size_t)__builtin_ctzll(left));
    if (can_strike(rule, known, name)) continue;
    __atomic_fetch_add(&rule->unusable, 1, __ATOMIC_RELAXED);
    rules &= ~(left & -left);
  }
  return rules;
}

static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  (void)context;
  // Data may lie among code.
  if (!import->is_function) return;
  uint32_t tasks = crebind_run_shared()->tasks;
  uint64_t rules = crebind_run_rules_of(import);
  uint16_t known = rules != 0 ? crebind_run_known(import->name) : 0;
  if ((tasks & CREBIND_RUN_COUNTS) == 0)
    rules = striking(rules, crebind_run_function_at(known), import->name);
  uint32_t environment = crebind_run_environment_of(import->name);
  bool is_close = (tasks & CREBIND_RUN_WATCHES) != 0 && strcmp(import->name, "close") == 0;
  if (rules == 0 && environment == 0 && !is_close) return;
  uint32_t function = name_of(import);
  crebind_run_stub *stub = function != 0 ? stub_of(function, import->definer.header) : NULL;
  if (stub == NULL) {
    __atomic_fetch_add(&crebind_run_shared()->unhooked_functions, 1, __ATOMIC_RELAXED);
    return;
  }
  stub->environment = (uint8_t)environment;
  stub->known = known;
  stub->is_wanted = rules != 0;
  stub->is_close = is_close;
  stub->is_entry_only = crebind_stubs_entry_only(import->name) != NULL;
  stub->rules = (tasks & CREBIND_RUN_COUNTS) == 0 ? rules : 0;
  bool is_hot = tasks == CREBIND_RUN_COUNTS && environment == 0;
  stub->stub.is_asked = is_hot ? CREBIND_STUBS_HOT : 1;
  choice->replacement = (void *)stub->stub.code;
  choice->original = &stub->stub.original;
}

/// Whether the call is one of this library: these are not counted, and must not come here again.
static bool is_own(const void *return_address) {
  extern const char __ehdr_start[], _end[];
  return (uintptr_t)return_address - (uintptr_t)__ehdr_start < (uintptr_t)(_end - __ehdr_start);
}

/// A call that more becomes of than a count, or that has no cell.
static void *arrive(crebind_stub *stub, uint64_t *registers, const void **return_address,
                    bool is_resuming) {
  (void)is_resuming;
  // The trampoline of an awaited call that ends in this one lies in this library.
  const void *caller = crebind_stubs_caller(*return_address);
  if (is_own(caller)) return stub->original;
  crebind_run_stub *own = (crebind_run_stub *)stub;
  if (own->environment != 0) {
    int error = errno;
    uint64_t *environment = &registers[own->environment - 1];
    *environment = (uintptr_t)crebind_run_with_variables((const char *const *)*environment);
    errno = error;
  }
  uint32_t tasks = crebind_run_shared()->tasks;
  if ((tasks & CREBIND_RUN_COUNTS) != 0) {
    crebind_run_count_slowly(own, caller);
    if ((tasks & CREBIND_RUN_AWAITS) != 0 && own->is_wanted && !own->is_entry_only)
      crebind_run_await(own, return_address);
  }
  if (own->rules != 0) {
    void *next = crebind_run_strike(own, registers, caller);
    if (next != NULL) return next;
  }
  if (!own->is_close) return stub->original;
  registers[0] = (uint64_t)crebind_run_watched_close(own, registers[0]);
  return (void *)crebind_run_give;
}

/// Code that comes to lie where an image was is another image's.
static void removed(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  // A fork may have wiped the generation, of which one more is no generation.
  crebind_run_enter();
  __atomic_fetch_add(&crebind_run_process_here->generation, 1, __ATOMIC_RELAXED);
  crebind_run_forget_places();
}

static void forked(void) { *crebind_run_process_here = (crebind_run_process){0}; }

/// Maps the file. False if it is not there, as when rebind-run has ended.
static bool map(const char *path) {
  int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct stat status;
  void *file = MAP_FAILED;
  if (fstat(descriptor, &status) == 0 && status.st_size == CREBIND_RUN_SIZE)
    file = mmap(NULL, CREBIND_RUN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (file == MAP_FAILED) return false;
  madvise(file, CREBIND_RUN_SIZE, MADV_DONTDUMP);
  crebind_run_file = file;
  long page = sysconf(_SC_PAGESIZE);
  void *process = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (process == MAP_FAILED || crebind_run_shared()->magic != CREBIND_RUN_MAGIC) return false;
  crebind_run_process_here = process;
  return madvise(process, (size_t)page, MADV_WIPEONFORK) == 0
         || pthread_atfork(NULL, NULL, forked) == 0;
}

static void begin(const char *const *environment) {
  const char *path = NULL;
  for (const char *const *variable = environment; *variable != NULL; variable++)
    if (strncmp(*variable, CREBIND_RUN_VARIABLE "=", sizeof CREBIND_RUN_VARIABLE) == 0)
      path = *variable + sizeof CREBIND_RUN_VARIABLE;
  if (path == NULL || !map(path)) return;
  crebind_run_find_program();
  struct stat status;
  if (stat("/proc/self/ns/pid", &status) == 0) crebind_run_namespace = (uint32_t)status.st_ino;
  crebind_run_enter();
  crebind_run_keep_variables(environment);
  crebind_run_read_rules();
  if ((crebind_run_shared()->tasks & CREBIND_RUN_WATCHES) != 0) crebind_run_watch();
  if ((crebind_run_shared()->tasks & CREBIND_RUN_COUNTS) != 0) crebind_run_enter_thread();
  if (__atomic_exchange_n(&crebind_run_shared()->ignores_children, 0, __ATOMIC_RELAXED) != 0)
    signal(SIGCHLD, SIG_IGN);
  crebind_stubs_prepare(arrive);
  crebind_stubs_prepare_hot(crebind_run_count);
  crebind_options options = {.skips_sealed_images = true};
  crebind_imports *imports;
  crebind_error error;
  crebind_status result = crebind_apply_imports(choose, NULL, &options, &imports, NULL, &error);
  if (result != CREBIND_OK) {
    const char *reason = crebind_status_description(result);
    uint32_t place = crebind_run_allocate(strlen(reason) + sizeof error.image + 3);
    if (place == 0) return;
    sprintf(crebind_run_file + place, "%s: %s", crebind_run_path(error.image), reason);
    crebind_run_shared()->failure = place;
    return;
  }
  static const crebind_image_observer observer = {.removed = removed};
  crebind_observation *observation;
  crebind_observe(&observer, &observation, NULL);
  crebind_run_explain();
}

/// The loader gives constructors what it gives main: that the environment is there, libc need not know yet.
__attribute__((constructor)) static void start(int argument_count, char **arguments,
                                               char **environment) {
  (void)argument_count, (void)arguments;
  int error = errno;
  begin((const char *const *)environment);
  errno = error;
}
#endif
