#define _GNU_SOURCE

#include "torture-hooks.h"

#include "CRebind.h"
#include "CRebindStubs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count;
/// The function of each stub.
static const char *keys[CREBIND_STUBS_COUNT];
static bool has_end[CREBIND_STUBS_COUNT], has_hooked;
static crebind_imports *imports;
static _Atomic long ended;

long ended_calls(void) { return ended; }
long calls_without_an_end(void) { return (long)crebind_stubs_not_awaited(); }

/// Calls of the handlers themselves go on at once. A thread-local variable of another kind is found by a call.
static __thread bool is_inside __attribute__((tls_model("initial-exec")));

/// Changes the registers that a handler need not keep.
static void spoil(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) __asm__ volatile("vzeroall" ::: "memory");
  __asm__ volatile("fldz; fstp %%st; xorl %%ecx, %%ecx; xorl %%r8d, %%r8d; xorl %%r10d, %%r10d" ::
                       : "rcx", "r8", "r10", "st");
#else
  __asm__ volatile("movi v0.2d, 0; movi v1.2d, 0; movi v7.2d, 0; mov x1, 0; mov x8, 0; mov x9, 0" ::
                       : "v0", "v1", "v7", "x1", "x8", "x9");
#endif
}

static void end(crebind_stubs_pending *pending, uint64_t *results) {
  (void)results;
  bool was_inside = is_inside;
  is_inside = true;
  if (pending->data[0] != 7) abort();
  ended++;
  spoil();
  is_inside = was_inside;
}

static void *arrive(crebind_stub *stub, uint64_t *registers, const void **return_address,
                    bool is_resuming) {
  (void)registers;
  if (is_inside) return stub->original;
  is_inside = true;
  if (is_resuming) abort();
  if (has_end[crebind_stubs_index(stub)]) {
    crebind_stubs_pending *pending = crebind_stubs_await(return_address, end);
    if (pending != NULL) pending->data[0] = 7;
  }
  spoil();
  is_inside = false;
  return stub->original;
}

/// Gives each function a stub of its own, and the same one when it is asked about again.
static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  (void)context;
  if (!import->is_function) return;
  char key[512];
  snprintf(key, sizeof key, "%s@%s %p", import->name,
           import->version != NULL ? import->version : "", import->definer.header);
  size_t index = 0;
  while (has_hooked && index < count && strcmp(keys[index], key) != 0) index++;
  if (!has_hooked) index = count;
  if (index == CREBIND_STUBS_COUNT) return;
  crebind_stub *stub = crebind_stubs_at(index);
  if (index == count) {
    keys[count++] = strdup(key);
    stub->is_asked = 1;
    has_end[index] = crebind_stubs_entry_only(import->name) == NULL;
  }
  choice->replacement = (void *)stub->code;
  choice->original = &stub->original;
}

void hook(void) {
  if (!has_hooked) crebind_stubs_prepare(arrive);
  crebind_error error;
  crebind_status status = crebind_apply_imports(choose, NULL, NULL, &imports, NULL, &error);
  has_hooked = true;
  if (status == CREBIND_OK) return;
  fprintf(stderr, "apply: %s: %s\n", crebind_status_description(status), error.image);
  exit(1);
}

void unhook(void) {
  if (crebind_restore_imports(imports, NULL, NULL) != CREBIND_OK) abort();
}

#if defined(TORTURE_PRELOADED)
__attribute__((constructor)) static void begin(void) {
  is_inside = true;
  hook();
  is_inside = false;
}

/// Adds a line to the file that all processes report to.
__attribute__((destructor)) static void report(void) {
  is_inside = true;
  FILE *file = fopen(getenv("TORTURE_REPORT"), "a");
  if (file == NULL) return;
  fprintf(file, "%zu %ld %ld\n", count, ended_calls(), calls_without_an_end());
  fclose(file);
}
#endif
