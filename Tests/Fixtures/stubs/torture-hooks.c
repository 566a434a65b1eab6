#define _GNU_SOURCE

#include "torture-hooks.h"

#include "CRebind.h"
#include "CRebindImages.h"
#include "CRebindStubs.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static crebind_rebinding rebindings[CREBIND_STUBS_COUNT];
static size_t count;
static bool has_end[CREBIND_STUBS_COUNT];
static crebind_handle *handle;
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

/// Adds the functions, whose types the definitions have: constants too may lie in code.
static void add(const crebind_slot_contents *slot, void *context) {
  (void)context;
  Dl_info info;
  ElfW(Sym) *symbol = NULL;
  if (dladdr1((void *)slot->target.address, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0
      || symbol == NULL || (void *)slot->target.address != info.dli_saddr
      || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
    return;
  for (size_t i = 0; i < count; i++)
    if (strcmp(rebindings[i].name, slot->symbol) == 0) return;
  if (count == CREBIND_STUBS_COUNT) return;
  crebind_stub *stub = crebind_stubs_at(count);
  stub->is_asked = 1;
  has_end[count] = crebind_stubs_entry_only(slot->symbol) == NULL;
  rebindings[count] = (crebind_rebinding){.name = strdup(slot->symbol),
                                          .replacement = (void *)stub->code,
                                          .original = &stub->original};
  count++;
}

static void add_image(const crebind_image_contents *image, void *context) {
  (void)context;
  if (!image->is_vdso && !image->is_loader)
    crebind_image_slots(image->info.header, add, NULL, NULL);
}

void hook(void) {
  if (count == 0) {
    crebind_stubs_prepare(arrive);
    crebind_images(add_image, NULL, NULL);
  }
  crebind_status status = crebind_apply(rebindings, count, NULL, &handle, NULL, NULL);
  if (status == CREBIND_OK) return;
  fprintf(stderr, "apply: %d\n", status);
  exit(1);
}

void unhook(void) {
  if (crebind_restore(handle, NULL, NULL) != CREBIND_OK) abort();
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
