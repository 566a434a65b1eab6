#if defined(__linux__)
#define _GNU_SOURCE

#include "CRebindReach.h"

#include <link.h>

struct search {
  crebind_reach_code *code;
  /// PF_X or PF_W.
  ElfW(Word) flag;
  crebind_reach_is_wanted *is_wanted;
  const void *context;
};

static int visit(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  const struct search *search = context;
  crebind_reach_code *code = search->code;
  if (!search->is_wanted(info->dlpi_name, search->context)) return 0;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || (segment->p_flags & search->flag) == 0) continue;
    if (code->count == sizeof code->ranges / sizeof *code->ranges) return 1;
    uintptr_t start = info->dlpi_addr + segment->p_vaddr;
    code->ranges[code->count].start = start;
    code->ranges[code->count++].end = start + segment->p_memsz;
  }
  return 0;
}

static void find(struct search search) {
  search.code->count = 0;
  dl_iterate_phdr(visit, &search);
}

void crebind_reach_find_code(crebind_reach_code *code, crebind_reach_is_wanted *is_wanted,
                             const void *context) {
  find((struct search){code, PF_X, is_wanted, context});
}

void crebind_reach_find_data(crebind_reach_code *data, crebind_reach_is_wanted *is_wanted,
                             const void *context) {
  find((struct search){data, PF_W, is_wanted, context});
}
#endif
