/// The loader comes here before the program's own constructors: each imported function that a pattern names gets a
/// stub. Without rebind-run, or if anything is refused, the program runs as if we were not there.

#define _GNU_SOURCE

#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACES (CREBIND_STUBS_COUNT * 2)

static char program[4096];
/// The index of each function's stub and 1, by a hash of its name and definer.
static uint16_t indices[PLACES];
static uint32_t count;

const char *crebind_run_path(const char *path) { return *path != 0 ? path : program; }

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

static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  (void)context;
  // Data may lie among code.
  if (!import->is_function) return;
  bool is_wanted = crebind_run_is_wanted(import);
  uint32_t environment = crebind_run_environment_of(import->name);
  if (!is_wanted && environment == 0) return;
  uint32_t function = is_wanted ? name_of(import) : 0;
  crebind_run_stub *stub = stub_of(function, import->definer.header);
  if (stub == NULL || (is_wanted && function == 0)) {
    __atomic_fetch_add(&crebind_run_shared()->unhooked_functions, 1, __ATOMIC_RELAXED);
    return;
  }
  stub->environment = environment;
  stub->stub.is_asked = environment != 0 ? 1 : CREBIND_STUBS_HOT;
  choice->replacement = (void *)stub->stub.code;
  choice->original = &stub->stub.original;
}

/// Whether the call is one of this library: these are not counted, and must not come here again.
static bool is_own(const void *return_address) {
  extern const char __ehdr_start[], _end[];
  return (uintptr_t)return_address - (uintptr_t)__ehdr_start < (uintptr_t)(_end - __ehdr_start);
}

/// A call that starts a program, or that has no cell.
static void *arrive(crebind_stub *stub, uint64_t *registers, const void **return_address,
                    bool is_resuming) {
  (void)is_resuming;
  if (is_own(*return_address)) return stub->original;
  crebind_run_stub *own = (crebind_run_stub *)stub;
  crebind_run_count_slowly(own, *return_address);
  if (own->environment != 0) {
    int error = errno;
    uint64_t *environment = &registers[own->environment - 1];
    *environment = (uintptr_t)crebind_run_with_variables((const char *const *)*environment);
    errno = error;
  }
  return stub->original;
}

/// Code that comes to lie where an image was is another image's.
static void removed(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  __atomic_fetch_add(&crebind_run_process_here->generation, 1, __ATOMIC_RELAXED);
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
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = 0;
  struct stat status;
  if (stat("/proc/self/ns/pid", &status) == 0) crebind_run_namespace = (uint32_t)status.st_ino;
  crebind_run_enter();
  crebind_run_keep_variables(environment);
  crebind_run_read_patterns();
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
