#if defined(__linux__)
#define _GNU_SOURCE
#include "patching/patch.h"
#include "runtime/futex.h"
#include "patching/page-copy.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/// Part of an image whose pages have one protection and are not writable.
struct region {
  struct crebind_range range;
  int protection;
};

/// Where a change lies; from REGION_SEGMENT on, in the segment with the index behind that.
enum {
  /// In pages that take a store as they are.
  REGION_NONE,
  /// In the relro range, of which one run of pages is opened.
  REGION_RELRO,
  /// In the relro range, opened page by page, because someone has left other pages of the range
  /// writable.
  REGION_PAGE,
  /// Beside code.
  REGION_MOVED,
  /// In pages that cannot be opened.
  REGION_SHUT,
  REGION_SEGMENT,
};

static int protection_of(const ElfW(Phdr) * segment) {
  return (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0)
         | (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

static struct crebind_range pages_of(const struct crebind_image *image,
                                     const ElfW(Phdr) * segment) {
  uintptr_t mask = crebind_runtime()->page_size - 1, start = image->bias + segment->p_vaddr;
  return (struct crebind_range){start & ~mask, (start + segment->p_memsz + mask) & ~mask};
}

/// Whether the word's page takes a write. It tries an atomic OR with 0, which fails with EFAULT
/// where a store would fault. Any kernel can tell in this way, but only by a fault.
static bool takes_or_of_nothing(uintptr_t address) {
  uint32_t own_word = 0;
  return crebind_system_call(SYS_futex, &own_word, CREBIND_FUTEX_WAKE_OP, 0, 0, address,
                             CREBIND_FUTEX_OR_NOTHING)
         >= 0;
}

/// The same by MADV_POPULATE_WRITE (Linux 5.14), which looks at the mapping only: 0 for a page
/// that is writable, EINVAL for one that is not.
static int populate(uintptr_t address) {
  enum { POPULATE_WRITE = 23 };
  size_t page_size = crebind_runtime()->page_size;
  return (int)-crebind_system_call(SYS_madvise, address & ~(uintptr_t)(page_size - 1), page_size,
                                   POPULATE_WRITE);
}

static bool is_writable(uintptr_t address) {
  // Older kernels refuse the advice for every page, and emulators take it for every page. So it is
  // first tried on one page of each kind.
  static const uint32_t read_only = 0;
  static volatile uint32_t writable;
  static uint32_t verdict;  // 0: unknown; 1: population tells; 2: it does not
  if (verdict == 0)
    verdict =
        populate((uintptr_t)&writable) == 0 && populate((uintptr_t)&read_only) == EINVAL ? 1 : 2;
  // Memory may have run out, which says nothing about the page.
  int error = verdict == 1 ? populate(address) : ENOSYS;
  return error == 0 || (error != EINVAL && takes_or_of_nothing(address));
}

static uintptr_t page_of(uintptr_t address) {
  return address & ~(uintptr_t)(crebind_runtime()->page_size - 1);
}

static bool is_part_of(const struct crebind_change *change, enum crebind_patch_part part) {
  if (change->is_refused) return false;
  return part == CREBIND_PATCH_BACK
             ? !change->is_open && change->region != REGION_MOVED
             : change->is_optional == (part == CREBIND_PATCH_OPTIONAL);
}

/// True if some of the pages belong to an executable segment. If the system's pages are larger than
/// the linker's, two segments may share a page.
static bool has_code(const struct crebind_image *image, struct crebind_range pages) {
  for (size_t i = 0; i < image->phnum; i++) {
    const ElfW(Phdr) *segment = &image->phdr[i];
    uintptr_t start = image->bias + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0 && start < pages.end
        && start + segment->p_memsz > pages.start)
      return true;
  }
  return false;
}

bool crebind_patch_is_beside_code(const struct crebind_image *image, uintptr_t address) {
  if (address >= image->relro.start && address < image->relro.end) return false;
  const ElfW(Phdr) *segment = crebind_image_segment(image, address, sizeof(uintptr_t));
  if (segment == NULL || (segment->p_flags & PF_W) != 0) return false;
  return has_code(image, pages_of(image, segment));
}

/// The region of those words of a segment that are not in the relro range.
static uint8_t region_of_segment(const struct crebind_image *image,
                                 const ElfW(Phdr) * segment) {
  if (segment == NULL || (segment->p_flags & PF_W) != 0) return REGION_NONE;
  if (has_code(image, pages_of(image, segment))) return REGION_MOVED;
  size_t region = REGION_SEGMENT + (size_t)(segment - image->phdr);
  return region <= UINT8_MAX ? (uint8_t)region : REGION_SHUT;
}

static bool needs_opening(const struct crebind_change *change) {
  return change->region != REGION_NONE && change->region != REGION_MOVED;
}

/// Notes where each change of the part lies. Returns true if some pages need opening.
static bool find_regions(const struct crebind_image *image, struct crebind_change *changes,
                         size_t count, enum crebind_patch_part part) {
  uintptr_t last_page = 0;
  const ElfW(Phdr) *last_segment = NULL;
  uint8_t in_page = REGION_NONE, in_segment = REGION_NONE;
  bool has_open_relro = false, need_opening = false;
  for (size_t i = 0; i < count; i++) {
    uintptr_t address = changes[i].address;
    if (!is_part_of(&changes[i], part)) continue;
    if (address >= image->relro.start && address < image->relro.end) {
      if (page_of(address) != last_page)
        in_page = !changes[i].closes && is_writable(address) ? REGION_NONE : REGION_RELRO;
      last_page = page_of(address);
      has_open_relro |= in_page == REGION_NONE;
      changes[i].region = in_page;
    } else {
      const ElfW(Phdr) *segment = crebind_image_segment(image, address, sizeof(uintptr_t));
      if (segment != last_segment) in_segment = region_of_segment(image, segment);
      last_segment = segment;
      changes[i].region = in_segment;
    }
    need_opening |= needs_opening(&changes[i]);
  }
  for (size_t i = 0; i < count && has_open_relro; i++)
    if (is_part_of(&changes[i], part) && changes[i].region == REGION_RELRO)
      changes[i].region = REGION_PAGE;
  return need_opening;
}

bool crebind_patch_is_open(const struct crebind_image *image) {
  return image->relro.start < image->relro.end && is_writable(image->relro.start);
}

/// Returns 0 or an `errno`.
static int protect(struct crebind_range range, int protection) {
  return (int)-crebind_system_call(SYS_mprotect, range.start, range.end - range.start, protection);
}

/// A sealed page refuses even the protection that it has already. Any other page may be given that
/// again and again.
static bool is_sealed(struct region region) {
  if (protect(region.range, region.protection) != EPERM) return false;
  size_t page_size = crebind_runtime()->page_size;
  char *own = crebind_pages(page_size);
  if (own == NULL) return false;
  struct crebind_range page = {(uintptr_t)own, (uintptr_t)own + page_size};
  bool can_protect = protect(page, PROT_READ) == 0 && protect(page, PROT_READ) == 0;
  crebind_pages_free(own, page_size);
  return can_protect;
}

bool crebind_patch_is_sealed(const struct crebind_image *image, uintptr_t address) {
  uintptr_t page = page_of(address);
  struct region region = {{page, page + crebind_runtime()->page_size}, PROT_READ};
  if (address < image->relro.start || address >= image->relro.end) {
    const ElfW(Phdr) *segment = crebind_image_segment(image, address, sizeof(uintptr_t));
    if (segment == NULL || (segment->p_flags & PF_W) != 0) return false;
    region.protection = protection_of(segment);
  }
  return !is_writable(page) && is_sealed(region);
}

CREBIND_UNSANITIZED static void store(const struct crebind_change *change, bool takes_back) {
  uintptr_t *word = (uintptr_t *)change->address;
  uintptr_t from = takes_back ? change->to : change->from;
  uintptr_t to = takes_back ? change->from : change->to;
  if (change->always && !takes_back)
    __atomic_store_n(word, to, __ATOMIC_RELEASE);
  else
    __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

// MARK: - Regions

static bool are_together(const struct crebind_change *one, const struct crebind_change *other) {
  return one->region == other->region && one->is_open == other->is_open
         && (one->region != REGION_PAGE || page_of(one->address) == page_of(other->address));
}

/// The region of the first change, which is the first in it.
static struct region region_of(const struct crebind_image *image,
                               const struct crebind_change *changes, size_t count) {
  if (changes->region >= REGION_SEGMENT) {
    const ElfW(Phdr) *segment = &image->phdr[changes->region - REGION_SEGMENT];
    return (struct region){pages_of(image, segment), protection_of(segment)};
  }
  uintptr_t first = page_of(changes->address), last = first;
  for (size_t i = 1; i < count; i++) {
    if (!are_together(changes, &changes[i])) continue;
    if (page_of(changes[i].address) < first) first = page_of(changes[i].address);
    if (page_of(changes[i].address) > last) last = page_of(changes[i].address);
  }
  return (struct region){{first, last + crebind_runtime()->page_size}, PROT_READ};
}

/// Sets the region of all changes that lie in the first change's region, and whether it is open.
static void mark(struct crebind_change *changes, size_t count, uint8_t region, bool is_open) {
  struct crebind_change first = *changes;
  for (size_t i = 0; i < count; i++) {
    if (!are_together(&first, &changes[i])) continue;
    changes[i].region = region;
    changes[i].is_open = is_open;
  }
}

/// Opens the region of the first change.
static crebind_status open_region(const struct crebind_image *image,
                                  struct crebind_change *changes, size_t count,
                                  struct crebind_patch_failure *failure) {
  *failure = (struct crebind_patch_failure){.system_error = ENOTSUP};
  if (changes->region == REGION_SHUT) return CREBIND_PROTECTION;
  struct region region = region_of(image, changes, count);
  failure->system_error = protect(region.range, region.protection | PROT_WRITE);
  failure->address = region.range.start;
  if (failure->system_error == 0) {
    mark(changes, count, changes->region, true);
    return CREBIND_OK;
  }
  bool sealed = failure->system_error == EPERM && is_sealed(region);
  return sealed ? CREBIND_SEALED : CREBIND_PROTECTION;
}

/// Marks the optional changes as refused, because their pages cannot be opened.
static void refuse(struct crebind_change *changes, size_t count) {
  for (size_t i = 0; i < count; i++)
    changes[i].is_refused |= changes[i].is_optional && changes[i].region != REGION_MOVED;
}

crebind_status crebind_patch_open(const struct crebind_world *world,
                                  struct crebind_change *changes, size_t count,
                                  enum crebind_patch_part part,
                                  struct crebind_patch_failure *failure) {
  const struct crebind_image *image = crebind_world_image(world, changes->image);
  if (!find_regions(image, changes, count, part)) return CREBIND_OK;
  for (size_t i = 0; i < count; i++) {
    if (!is_part_of(&changes[i], part) || changes[i].is_open || !needs_opening(&changes[i]))
      continue;
    crebind_status status = open_region(image, &changes[i], count - i, failure);
    if (status == CREBIND_OK) continue;
    if (part == CREBIND_PATCH_REQUIRED) return status;
    if (part == CREBIND_PATCH_OPTIONAL) refuse(changes, count);
    if (part == CREBIND_PATCH_BACK) mark(&changes[i], count - i, REGION_SHUT, false);
  }
  return CREBIND_OK;
}

crebind_status crebind_patch_close(const struct crebind_world *world,
                                   struct crebind_change *changes, size_t count, bool gives_up,
                                   struct crebind_patch_failure *failure) {
  const struct crebind_image *image = crebind_world_image(world, changes->image);
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < count; i++) {
    if (!changes[i].is_open) continue;
    struct region region = region_of(image, &changes[i], count - i);
    int error = protect(region.range, region.protection);
    // The kernel may have lacked memory to split the mapping, and may have some now.
    if (error != 0) error = protect(region.range, region.protection);
    if (error != 0 && status == CREBIND_OK) {
      status = CREBIND_LEFT_OPEN;
      *failure = (struct crebind_patch_failure){error, region.range.start,
                                                region.range.end - region.range.start};
    }
    if (error != 0 && !gives_up) return status;
    mark(&changes[i], count - i, error == 0 ? changes[i].region : REGION_NONE, false);
    changes[i].is_left_open = error != 0;
  }
  return status;
}

// MARK: - Words

size_t crebind_patch_store(const struct crebind_change *changes, size_t count) {
  size_t refused = 0;
  for (size_t i = 0; i < count; i++) {
    refused += changes[i].is_refused && !changes[i].is_sealed;
    if (!changes[i].is_refused && changes[i].region != REGION_MOVED) store(&changes[i], false);
  }
  return refused;
}

/// Takes back the changes in open pages, or those in pages that are not open.
static void take_back(struct crebind_change *changes, size_t count, bool are_open) {
  for (size_t i = 0; i < count; i++) {
    bool takes_stores = changes[i].is_open || changes[i].region == REGION_NONE;
    if (changes[i].is_refused || changes[i].region == REGION_MOVED) continue;
    if (changes[i].is_open != are_open || !takes_stores) continue;
    store(&changes[i], true);
  }
}

// MARK: - Pages beside code

/// True if the change lies on this page beside code, and belongs to the part.
static bool is_on_page(const struct crebind_change *change, enum crebind_patch_part part,
                       uintptr_t page) {
  return change->region == REGION_MOVED && page_of(change->address) == page
         && !change->is_refused
         && (part == CREBIND_PATCH_BACK
             || change->is_optional == (part == CREBIND_PATCH_OPTIONAL));
}

/// The changes of a page beside code come one after the other, as symbols do.
static crebind_status move(const struct crebind_world *world, struct crebind_change *changes,
                           size_t count, enum crebind_patch_part part,
                           struct crebind_patch_failure *failure) {
  struct crebind_mover mover;
  crebind_mover_begin(&mover, world, changes->image);
  crebind_status status = CREBIND_OK;
  for (size_t begin = 0, end; begin < count && status == CREBIND_OK; begin = end) {
    uintptr_t page = page_of(changes[begin].address);
    for (end = begin; end < count && is_on_page(&changes[end], part, page);) end++;
    int error = end == begin ? 0
                             : crebind_mover_store(&mover, &changes[begin], end - begin,
                                                   part == CREBIND_PATCH_BACK);
    if (end == begin) end++;
    if (error == 0) continue;
    *failure = (struct crebind_patch_failure){error, page, 0};
    for (size_t i = begin; i < end; i++) changes[i].is_refused = part == CREBIND_PATCH_OPTIONAL;
    if (part == CREBIND_PATCH_REQUIRED) status = CREBIND_PROTECTION;
  }
  crebind_mover_end(&mover);
  return status;
}

static bool has_moved(const struct crebind_change *changes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (changes[i].region == REGION_MOVED) return true;
  return false;
}

crebind_status crebind_patch_move(const struct crebind_world *world,
                                  struct crebind_change *changes, size_t count,
                                  struct crebind_patch_failure *failure) {
  if (!has_moved(changes, count)) return CREBIND_OK;
  crebind_status status = move(world, changes, count, CREBIND_PATCH_REQUIRED, failure);
  struct crebind_patch_failure unused;
  return status == CREBIND_OK ? move(world, changes, count, CREBIND_PATCH_OPTIONAL, &unused)
                              : status;
}

// MARK: - The way back

size_t crebind_patch_take_back(const struct crebind_world *world, struct crebind_change *changes,
                               size_t count) {
  struct crebind_patch_failure unused;
  take_back(changes, count, true);
  crebind_patch_open(world, changes, count, CREBIND_PATCH_BACK, &unused);
  take_back(changes, count, false);
  take_back(changes, count, true);
  if (has_moved(changes, count)) move(world, changes, count, CREBIND_PATCH_BACK, &unused);
  size_t stuck = 0;
  for (size_t i = 0; i < count; i++) {
    bool is_back = changes[i].is_refused || changes[i].from == changes[i].to
                   || crebind_load_word(changes[i].address) != changes[i].to;
    changes[i].is_stuck = !is_back;
    stuck += !is_back;
  }
  return stuck;
}
#endif
