/// The images that the loader has loaded and unloaded.

#if defined(__linux__)
#define _GNU_SOURCE

#include "CRebindSites.h"

#include <link.h>
#include <stddef.h>
#include <stdio.h>

static int see_counts(struct dl_phdr_info *info, size_t size, void *context) {
  crebind_reach_loader_counts *counts = context;
  // musl gives 0, too: it unloads nothing.
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
    *counts = (crebind_reach_loader_counts){info->dlpi_adds, info->dlpi_subs};
  return 1;
}

crebind_reach_loader_counts crebind_reach_loader_counts_now(void) {
  crebind_reach_loader_counts counts = {0, 0};
  dl_iterate_phdr(see_counts, &counts);
  return counts;
}

/// A search for two addresses in the list of images, which has the older ones first.
typedef struct search {
  uintptr_t address;
  crebind_reach_loader_counts counts;
  size_t index, address_index, anchor_index;
} search;

static bool contains(const struct dl_phdr_info *info, uintptr_t address) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD && address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz)
      return true;
  }
  return false;
}

static int see_image(struct dl_phdr_info *info, size_t size, void *context) {
  search *search = context;
  if (search->index++ == 0) see_counts(info, size, &search->counts);
  if (contains(info, search->address)) search->address_index = search->index;
  // This code, and the C library, which it needs: neither was unloaded meanwhile.
  if (contains(info, (uintptr_t)crebind_reach_has_stayed)
      || contains(info, (uintptr_t)stdout))
    search->anchor_index = search->index;
  return 0;
}

bool crebind_reach_has_stayed(crebind_reach_loader_counts since, uintptr_t address) {
  search search = {.address = address};
  dl_iterate_phdr(see_image, &search);
  return search.counts.unloaded == since.unloaded
         || search.counts.loaded == since.loaded
         || (search.address_index != 0 && search.address_index <= search.anchor_index);
}
#endif
