#define _GNU_SOURCE
#include "loops.h"
#include "tables.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

static int scan_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct census *census = context;
  struct tables tables = tables_of(info);
  census->images++;
  for (int t = 0; t < 2; t++) {
    const struct table *table = &tables.tables[t];
    census->relocations += table->count;
    census->relative += table->relative_count;
    size_t sum = 0;
    for (size_t i = 0; i < table->count; i++) sum += relocation_at(table, i)->r_info;
    census->sum += sum;
  }
  return 0;
}

struct census scan(void) {
  struct census census = {0, 0, 0, 0};
  dl_iterate_phdr(scan_image, &census);
  return census;
}

struct batch {
  const crebind_rebinding *rebindings;
  size_t count, changed;
  uintptr_t page_mask;
  /// The loader and the vDSO are not for patching.
  uintptr_t loader_base, vdso_base;
  // The batch may name strcmp, and this program's own slot is one of them.
  int (*volatile compare)(const char *, const char *);
};

static void compare_with_each_name(struct batch *batch, const char *name, uintptr_t address) {
  int (*compare)(const char *, const char *) = batch->compare;
  for (size_t n = 0; n < batch->count; n++) {
    if (compare(name, batch->rebindings[n].name) != 0) continue;
    void **slot = (void **)address;
    uintptr_t page = address & ~batch->page_mask;
    if (mprotect((void *)page, batch->page_mask + 1, PROT_READ | PROT_WRITE) != 0) return;
    if (batch->rebindings[n].original != NULL && *slot != batch->rebindings[n].replacement)
      *batch->rebindings[n].original = *slot;
    *slot = batch->rebindings[n].replacement;
    batch->changed++;
    return;
  }
}

static int rebind_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct batch *batch = context;
  if (info->dlpi_addr == batch->loader_base || info->dlpi_addr == batch->vdso_base) return 0;
  struct tables tables = tables_of(info);
  for (int t = 0; t < 2; t++)
    for (size_t i = 0; i < tables.tables[t].count; i++) {
      const ElfW(Rel) *relocation = relocation_at(&tables.tables[t], i);
      size_t symbol = R_SYM(relocation->r_info);
      if (symbol == 0) continue;
      compare_with_each_name(batch, tables.strings + tables.symbols[symbol].st_name,
                             tables.bias + relocation->r_offset);
    }
  return 0;
}

size_t fishhook_loop(const crebind_rebinding *rebindings, size_t count) {
  struct batch batch = {rebindings,
                        count,
                        0,
                        (uintptr_t)sysconf(_SC_PAGESIZE) - 1,
                        getauxval(AT_BASE),
                        getauxval(AT_SYSINFO_EHDR),
                        strcmp};
  dl_iterate_phdr(rebind_image, &batch);
  return batch.changed;
}
