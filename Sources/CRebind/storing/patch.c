#define _GNU_SOURCE
#include "storing/patch.h"
#include "runtime/futex.h"
#include "storing/moved.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/// Part of an image whose pages have one protection and are not writable.
struct region {
  struct crebind_range range;
  int protection;
};

/// A set of an image's regions: bit 0 is a part of the relro range, bit i + 1 the
/// segment with index i. It needs no memory of its own, which is an mmap an image.
typedef uint64_t region_set;

enum { MAX_SEGMENTS = 63 };

/// What the stores into an image need to have opened.
struct needs {
  region_set regions;
  /// From the first page of the relro range that has to be opened, to the last one.
  struct crebind_range relro;
  /// Someone has left another page of it writable.
  bool has_open_relro;
  /// A segment is out of the set's reach.
  bool has_too_many;
  /// Some changes are beside code.
  bool has_moved;
};

/// The lowest bit's number; a builtin would call libgcc on some machines.
static unsigned first_of(region_set set) {
  unsigned bit = 0;
  while ((set >> bit & 1) == 0) bit++;
  return bit;
}

static int protection_of(const ElfW(Phdr) * segment) {
  return (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0)
         | (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

static struct crebind_range pages_of(const struct crebind_image *image,
                                     const ElfW(Phdr) * segment) {
  uintptr_t mask = crebind_runtime()->page_size - 1, start = image->bias + segment->p_vaddr;
  return (struct crebind_range){start & ~mask, (start + segment->p_memsz + mask) & ~mask};
}

static struct region region_at(const struct crebind_image *image, const struct needs *needs,
                               unsigned bit) {
  if (bit == 0) return (struct region){needs->relro, PROT_READ};
  const ElfW(Phdr) *segment = &image->phdr[bit - 1];
  return (struct region){pages_of(image, segment), protection_of(segment)};
}

/// Does the word's page take a write? By an atomic OR with 0, which fails with
/// EFAULT where a store would fault: any kernel can say, but only by faulting.
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
  // Older kernels refuse the advice for every page, emulators take it for every
  // page: so it is asked about one page of each kind first.
  static const uint32_t read_only = 0;
  static volatile uint32_t writable;
  static uint32_t verdict;  // 0: unknown; 1: population tells; 2: it does not
  if (verdict == 0)
    verdict =
        populate((uintptr_t)&writable) == 0 && populate((uintptr_t)&read_only) == EINVAL ? 1 : 2;
  // Memory may have run out, which says nothing of the page.
  int error = verdict == 1 ? populate(address) : ENOSYS;
  return error == 0 || (error != EINVAL && takes_or_of_nothing(address));
}

static uintptr_t page_of(uintptr_t address) {
  return address & ~(uintptr_t)(crebind_runtime()->page_size - 1);
}

static void add_relro_page(uintptr_t page, struct needs *needs) {
  uintptr_t page_size = crebind_runtime()->page_size;
  if (is_writable(page)) {
    needs->has_open_relro = true;
    return;
  }
  if ((needs->regions & 1) == 0) needs->relro = (struct crebind_range){page, page};
  needs->regions |= 1;
  if (page < needs->relro.start) needs->relro.start = page;
  if (page >= needs->relro.end) needs->relro.end = page + page_size;
}

static bool is_part_of(const struct crebind_change *change, enum crebind_patch_part part) {
  if (part == CREBIND_PATCH_BACK) return !change->is_refused;
  return change->is_optional == (part == CREBIND_PATCH_OPTIONAL);
}

/// True if some of the pages are of an executable segment: where the system's pages are
/// larger than the linker's, two segments may share one.
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

static void find_needs(const struct crebind_image *image, struct crebind_change *changes,
                       size_t count, enum crebind_patch_part part, struct needs *needs) {
  *needs = (struct needs){0, {0, 0}, false, false, false};
  uintptr_t last_page = 0;
  const ElfW(Phdr) *last_segment = NULL;
  bool is_beside_code = false;
  for (size_t i = 0; i < count; i++) {
    uintptr_t address = changes[i].address;
    if (!is_part_of(&changes[i], part)) continue;
    if (address >= image->relro.start && address < image->relro.end) {
      if (page_of(address) != last_page) add_relro_page(page_of(address), needs);
      last_page = page_of(address);
      continue;
    }
    const ElfW(Phdr) *segment = crebind_image_segment(image, address, sizeof(uintptr_t));
    if (segment == NULL || (segment->p_flags & PF_W) != 0) continue;
    if (segment != last_segment) is_beside_code = has_code(image, pages_of(image, segment));
    last_segment = segment;
    changes[i].is_beside_code = is_beside_code;
    needs->has_moved |= is_beside_code;
    if (is_beside_code) continue;
    if (segment - image->phdr < MAX_SEGMENTS)
      needs->regions |= (region_set)1 << (segment - image->phdr + 1);
    else
      needs->has_too_many = true;
  }
}

bool crebind_patch_is_open(const struct crebind_image *image) {
  return image->relro.start < image->relro.end && is_writable(image->relro.start);
}

/// Returns 0 or an `errno`.
static int protect(struct crebind_range range, int protection) {
  return (int)-crebind_system_call(SYS_mprotect, range.start, range.end - range.start, protection);
}

/// A seal refuses even the protection that the pages have, which a page of our own may be
/// given again and again.
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

/// Opens the regions one by one, and tells which it has opened.
static crebind_status open_regions(const struct crebind_image *image, const struct needs *needs,
                                   region_set *opened,
                                   struct crebind_patch_failure *failure) {
  *opened = 0;
  for (region_set left = needs->regions; left != 0; left &= left - 1) {
    unsigned bit = first_of(left);
    struct region region = region_at(image, needs, bit);
    failure->system_error = protect(region.range, region.protection | PROT_WRITE);
    if (failure->system_error != 0) {
      failure->address = region.range.start;
      bool sealed = failure->system_error == EPERM && is_sealed(region);
      return sealed ? CREBIND_SEALED : CREBIND_PROTECTION;
    }
    *opened |= (region_set)1 << bit;
  }
  return CREBIND_OK;
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

static void store_part(const struct crebind_change *changes, size_t count,
                       enum crebind_patch_part part, bool takes_back) {
  for (size_t i = 0; i < count; i++)
    if (is_part_of(&changes[i], part) && !changes[i].is_beside_code)
      store(&changes[i], takes_back);
}

/// Closes the regions, and tells of the first that stays open.
static crebind_status close_regions(const struct crebind_image *image, const struct needs *needs,
                                    region_set opened, struct crebind_patch_failure *failure) {
  crebind_status status = CREBIND_OK;
  for (; opened != 0; opened &= opened - 1) {
    struct region region = region_at(image, needs, first_of(opened));
    int error = protect(region.range, region.protection);
    // Short of memory for the mapping's halves, the kernel may have some again.
    if (error != 0) error = protect(region.range, region.protection);
    if (error == 0 || status != CREBIND_OK) continue;
    *failure = (struct crebind_patch_failure){error, region.range.start,
                                              region.range.end - region.range.start};
    status = CREBIND_LEFT_OPEN;
  }
  return status;
}

/// Opens the pages that can be opened, stores, and closes them. What cannot be closed has its
/// former words again.
static crebind_status patch_opened(const struct crebind_image *image, const struct needs *needs,
                                   const struct crebind_change *changes, size_t count,
                                   enum crebind_patch_part part,
                                   struct crebind_patch_failure *failure) {
  region_set opened;
  bool takes_back = part == CREBIND_PATCH_BACK;
  crebind_status status = open_regions(image, needs, &opened, failure);
  if (status == CREBIND_OK) store_part(changes, count, part, takes_back);
  struct crebind_patch_failure left_open;
  crebind_status closed = close_regions(image, needs, opened, &left_open);
  if (closed == CREBIND_OK) return status;
  if (status == CREBIND_OK && !takes_back) {
    // The regions that were closed are opened for it again.
    region_set again;
    struct crebind_patch_failure unused;
    open_regions(image, needs, &again, &unused);
    store_part(changes, count, part, true);
    closed = close_regions(image, needs, opened, &left_open);
  }
  *failure = left_open;
  return CREBIND_LEFT_OPEN;
}

// MARK: - Pages

static bool is_on_page(const struct crebind_change *change, enum crebind_patch_part part,
                       uintptr_t page) {
  return is_part_of(change, part) && change->is_beside_code && page_of(change->address) == page;
}

/// The changes of a page beside code come one after the other, as symbols do.
static crebind_status patch_moved(const struct crebind_world *world,
                                  struct crebind_change *changes, size_t count,
                                  enum crebind_patch_part part,
                                  struct crebind_patch_failure *failure) {
  crebind_status status = CREBIND_OK;
  struct crebind_mover mover;
  crebind_mover_begin(&mover, world, changes->image);
  for (size_t begin = 0, end; begin < count; begin = end) {
    uintptr_t page = page_of(changes[begin].address);
    for (end = begin; end < count && is_on_page(&changes[end], part, page);) end++;
    int error = end == begin ? 0
                             : crebind_mover_store(&mover, &changes[begin], end - begin,
                                                   part == CREBIND_PATCH_BACK);
    if (end == begin) end++;
    if (error == 0) continue;
    *failure = (struct crebind_patch_failure){error, page, 0};
    status = CREBIND_PROTECTION;
    for (size_t i = begin; i < end; i++) changes[i].is_refused = part == CREBIND_PATCH_OPTIONAL;
    if (part == CREBIND_PATCH_REQUIRED) break;
  }
  crebind_mover_end(&mover);
  return status;
}

/// Someone has opened some pages of the relro range, and not others: each is left as
/// it is.
static crebind_status patch_pages(const struct crebind_world *world,
                                  struct crebind_change *changes, size_t count,
                                  enum crebind_patch_part part,
                                  struct crebind_patch_failure *failure) {
  crebind_status status = CREBIND_OK;
  for (size_t begin = 0, end; begin < count; begin = end) {
    uintptr_t page = page_of(changes[begin].address);
    for (end = begin + 1; end < count && page_of(changes[end].address) == page;) end++;
    crebind_status next = crebind_patch_image(world, changes + begin, end - begin, part, failure);
    if (next == CREBIND_OK) continue;
    status = next;
    // What can be taken back is, by a caller that sees the failure too.
    if (part != CREBIND_PATCH_BACK) return status;
  }
  return status;
}

/// Marks what was not stored because its pages could not be opened.
static void refuse(struct crebind_change *changes, size_t count) {
  for (size_t i = 0; i < count; i++)
    changes[i].is_refused |= changes[i].is_optional && !changes[i].is_beside_code;
}

crebind_status crebind_patch_image(const struct crebind_world *world,
                                   struct crebind_change *changes, size_t count,
                                   enum crebind_patch_part part,
                                   struct crebind_patch_failure *failure) {
  const struct crebind_image *image = crebind_world_image(world, changes->image);
  struct needs needs;
  find_needs(image, changes, count, part, &needs);
  if (needs.has_open_relro && (needs.regions & 1) != 0)
    return patch_pages(world, changes, count, part, failure);
  crebind_status status = CREBIND_PROTECTION;
  *failure = (struct crebind_patch_failure){.system_error = ENOTSUP};
  if (!needs.has_too_many) status = patch_opened(image, &needs, changes, count, part, failure);
  if (part == CREBIND_PATCH_OPTIONAL && status != CREBIND_OK && status != CREBIND_LEFT_OPEN) {
    refuse(changes, count);
    status = CREBIND_OK;
  }
  bool is_over = status == CREBIND_LEFT_OPEN
                 || (part == CREBIND_PATCH_REQUIRED && status != CREBIND_OK);
  if (!needs.has_moved || (is_over && part != CREBIND_PATCH_BACK)) return status;
  crebind_status moved = patch_moved(world, changes, count, part, failure);
  return status != CREBIND_OK || part == CREBIND_PATCH_OPTIONAL ? status : moved;
}
