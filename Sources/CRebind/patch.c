#define _GNU_SOURCE
#include "patch.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/// Part of an image whose pages have one protection and are not writable.
struct region {
  struct crebind_range range;
  int protection;
};

static int protection_of(const ElfW(Phdr) * segment) {
  return (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0)
         | (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

/// The region that has to be opened for a store at `address`; an empty one if
/// the page is writable.
static struct region region_of(const struct crebind_image *image, uintptr_t address) {
  uintptr_t mask = crebind_runtime()->page_size - 1;
  if (address >= image->relro.start && address < image->relro.end)
    return (struct region){image->relro, PROT_READ};
  const ElfW(Phdr) *segment = crebind_image_segment(image, address, sizeof(uintptr_t));
  if (segment == NULL || (segment->p_flags & PF_W) != 0) return (struct region){{0, 0}, 0};
  uintptr_t start = image->bias + segment->p_vaddr;
  return (struct region){{start & ~mask, (start + segment->p_memsz + mask) & ~mask},
                         protection_of(segment)};
}

/// Asks the kernel whether the word can be written, by an atomic OR with 0 that
/// fails with EFAULT where a store would fault.
static bool is_writable(uintptr_t address) {
  uint32_t own_word = 0;
  long result = crebind_runtime()->system_call(
      SYS_futex, &own_word, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0L, address,
      FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0));
  return result >= 0;
}

bool crebind_patch_is_open(const struct crebind_image *image) {
  return image->relro.start < image->relro.end && is_writable(image->relro.start);
}

static int protect(struct crebind_range range, int protection) {
  if (crebind_runtime()->system_call(SYS_mprotect, range.start, range.end - range.start,
                                     (long)protection)
      == 0)
    return 0;
  return errno;
}

/// Finds the regions that the stores need, each once.
static bool collect_regions(const struct crebind_image *image, const struct crebind_store *stores,
                            size_t count, struct crebind_vector *regions) {
  for (size_t i = 0; i < count; i++) {
    struct region region = region_of(image, stores[i].address);
    bool is_known = region.range.start == region.range.end;
    for (size_t r = 0; r < regions->count && !is_known; r++)
      is_known =
          ((struct region *)crebind_vector_at(regions, r))->range.start == region.range.start;
    if (is_known) continue;
    struct region *added = crebind_vector_append(regions, 1);
    if (added == NULL) return false;
    *added = region;
  }
  return true;
}

crebind_status crebind_patch_image(const struct crebind_image *image,
                                   const struct crebind_store *stores, size_t count,
                                   bool accepts_open_relro,
                                   struct crebind_patch_failure *failure) {
  struct crebind_vector regions = CREBIND_VECTOR(struct region);
  crebind_status status = CREBIND_OK;
  if (!collect_regions(image, stores, count, &regions)) status = CREBIND_OUT_OF_MEMORY;

  size_t opened = 0;
  for (; opened < regions.count && status == CREBIND_OK; opened++) {
    struct region *region = crebind_vector_at(&regions, opened);
    if (region->range.start == image->relro.start && crebind_patch_is_open(image)) {
      if (!accepts_open_relro) status = CREBIND_BUSY;
      region->range.end = region->range.start;  // leave it as it is
      continue;
    }
    failure->system_error = protect(region->range, region->protection | PROT_WRITE);
    if (failure->system_error != 0) {
      failure->address = region->range.start;
      status = CREBIND_PROTECTION;
      break;
    }
  }
  if (status == CREBIND_OK)
    for (size_t i = 0; i < count; i++) {
      uintptr_t *word = (uintptr_t *)stores[i].address, expected = stores[i].expected;
      if (stores[i].always)
        __atomic_store_n(word, stores[i].value, __ATOMIC_RELEASE);
      else
        __atomic_compare_exchange_n(word, &expected, stores[i].value, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
    }

  while (opened-- > 0) {
    struct region *region = crebind_vector_at(&regions, opened);
    if (region->range.start == region->range.end) continue;
    int error = protect(region->range, region->protection);
    if (error == 0) continue;
    failure->system_error = error;
    failure->address = region->range.start;
    status = CREBIND_PROTECTION;
  }
  crebind_vector_free(&regions);
  return status;
}
