#if defined(__linux__)
#define _GNU_SOURCE
#include "patching/page-copy.h"
#include "elf/file.h"
#include "elf/note.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/// A page that a copy stands for.
struct moved_page {
  /// Of the known image.
  uint64_t serial;
  uint32_t known;
  uintptr_t page, kept;
};

/// Guarded by the lock.
static struct crebind_vector moved_pages = {NULL, 0, 0, sizeof(struct moved_page), false};

static struct moved_page *moved_at(size_t index) { return crebind_vector_at(&moved_pages, index); }

static size_t page_size(void) { return crebind_runtime()->page_size; }

void crebind_mover_begin(struct crebind_mover *mover, const struct crebind_world *world,
                         size_t index) {
  *mover = (struct crebind_mover){world, index, -1};
}

void crebind_mover_end(struct crebind_mover *mover) {
  if (mover->pagemap >= 0) crebind_system_call(SYS_close, mover->pagemap);
}

// MARK: - Records

static struct moved_page *find_moved(const struct crebind_mover *mover, uintptr_t page) {
  uint32_t known = crebind_world_known(mover->world, mover->index);
  for (size_t i = 0; i < moved_pages.count; i++)
    if (moved_at(i)->known == known && moved_at(i)->page == page
        && moved_at(i)->serial == crebind_known_image_at(known)->serial)
      return moved_at(i);
  return NULL;
}

static void forget(struct moved_page *moved) {
  *moved = *moved_at(moved_pages.count - 1);
  crebind_vector_truncate(&moved_pages, moved_pages.count - 1);
}

static void release(struct moved_page *moved) {
  crebind_system_call(SYS_munmap, moved->kept, page_size());
  forget(moved);
}

// MARK: - What a page is

enum { PAGE_OF_FILE = 1, PAGE_WRITTEN = 0 };

/// Compares parts of pages. A sanitizer's notes of the image's memory do not concern us.
__attribute__((no_sanitize("address"), noinline)) static bool is_same(const char *a, const char *b,
                                                                      size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (a[i] != b[i]) return false;
    CREBIND_KEEP_LOOP();
  }
  return true;
}

/// The bits of pagemap(5) from 57 on: the page is present, of a file or not, and nothing
/// else.
enum { MAP_SHIFT = 57, MAP_WRITTEN = 0x40, MAP_OF_FILE = 0x50 };

/// Reads the entries of pages that follow each other. Returns 0 or a negative `errno`.
static int read_entries(struct crebind_mover *mover, uintptr_t page, uint64_t *entries,
                        size_t count) {
  if (mover->pagemap < 0)
    mover->pagemap =
        crebind_system_call(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (mover->pagemap < 0) return (int)mover->pagemap;
  uintptr_t offset = page / page_size() * sizeof *entries;
  long position = crebind_system_call(SYS_lseek, mover->pagemap, offset, SEEK_SET);
  if (position < 0) return (int)position;
  long size = crebind_system_call(SYS_read, mover->pagemap, entries, count * sizeof *entries);
  if (size != (long)(count * sizeof *entries)) return size < 0 ? (int)size : -ENOTSUP;
  return 0;
}

/// Returns these bits, or a negative `errno`.
static int read_pagemap(struct crebind_mover *mover, uintptr_t page) {
  uint64_t entry;
  int error = read_entries(mover, page, &entry, 1);
  return error != 0 ? error : (int)(entry >> MAP_SHIFT);
}

/// Is the page as its file has it? A negative `errno` where the pagemap cannot tell.
__attribute__((no_sanitize("address"))) static int look_at_page(struct crebind_mover *mover,
                                                                uintptr_t page) {
  int bits = 0;
  for (int i = 0; i < 8 && bits >= 0; i++) {
    // The page may not have been used yet, or the kernel may drop it at any time.
    (void)*(const volatile char *)page;
    bits = read_pagemap(mover, page);
    if (bits == MAP_OF_FILE) return PAGE_OF_FILE;
    if (bits == MAP_WRITTEN) return PAGE_WRITTEN;
  }
  return bits < 0 ? bits : -ENOTSUP;
}

/// In the other byte order one entry in 128 looks like that of a written page, by the page's place
/// in memory.
enum { PAGES_TO_TRY = 4 };

/// Emulators show the pagemap of another address, or in another byte order. So this tests pages of
/// our own: the pagemap has to show them once they are written to, and not before.
static bool can_look(struct crebind_mover *mover) {
  static enum { UNKNOWN, CAN, CANNOT } verdict;
  size_t size = PAGES_TO_TRY * page_size();
  char *pages = verdict == UNKNOWN ? crebind_pages(size) : NULL;
  if (pages == NULL) return verdict == CAN;
  uint64_t before[PAGES_TO_TRY], after[PAGES_TO_TRY];
  int error = read_entries(mover, (uintptr_t)pages, before, PAGES_TO_TRY);
  // All pages are written before the second look: with the first one, the kernel may bring in its
  // neighbours.
  for (size_t i = 0; i < PAGES_TO_TRY; i++) *(volatile char *)(pages + i * page_size()) = 1;
  if (error == 0) error = read_entries(mover, (uintptr_t)pages, after, PAGES_TO_TRY);
  if (error == 0) verdict = CAN;
  for (size_t i = 0; i < PAGES_TO_TRY && error == 0; i++)
    if (before[i] >> MAP_SHIFT != 0 || after[i] >> MAP_SHIFT != MAP_WRITTEN) verdict = CANNOT;
  crebind_pages_free(pages, size);
  return verdict == CAN;
}

/// The same, by reading the file, if no pagemap can tell. If the file is another one by now, it
/// would need exactly these contents to pass.
static int compare_with_file(const struct crebind_mover *mover, uintptr_t page,
                             const ElfW(Phdr) * segment) {
  const struct crebind_image *image = crebind_world_image(mover->world, mover->index);
  const char *path = crebind_image_path(&mover->world->images, image);
  struct crebind_file file;
  int error = crebind_file_open(&file, path[0] != 0 ? path : "/proc/self/exe");
  if (error != 0) return -error;
  uintptr_t offset = page - (image->bias + segment->p_vaddr) + segment->p_offset;
  int state = PAGE_OF_FILE;
  uintptr_t words[64];
  for (size_t at = 0; at < page_size() && state == PAGE_OF_FILE; at += sizeof words) {
    // Behind the file's end nothing can be compared.
    size_t left = offset + at < file.size ? (size_t)(file.size - offset - at) : 0;
    size_t size = left < sizeof words ? left : sizeof words;
    if (!crebind_file_read(&file, offset + at, words, size)) state = -ENOTSUP;
    if (!is_same((const char *)words, (const char *)(page + at), size)) state = PAGE_WRITTEN;
  }
  crebind_file_close(&file);
  return state;
}

/// PAGE_OF_FILE if the page is as its file has it, or, for a page that was moved, if our copy of it
/// is gone.
static int state_of(struct crebind_mover *mover, uintptr_t page, const ElfW(Phdr) * segment,
                    const struct moved_page *moved) {
  if (can_look(mover)) return look_at_page(mover, page);
  if (moved == NULL) return compare_with_file(mover, page, segment);
  // A copy of ours differs from the kept page: otherwise the kept page would be back.
  return is_same((const char *)page, (const char *)moved->kept, page_size()) ? PAGE_OF_FILE
                                                                            : PAGE_WRITTEN;
}

/// The end of the table at `start`, if the table begins at most some padding after `position` and
/// ends after it; otherwise `position`.
static uintptr_t extend(uintptr_t position, uintptr_t start, size_t size) {
  const uintptr_t padding = sizeof(uint64_t) - 1;
  bool is_there = start <= position + padding && start + size > position;
  return is_there ? start + size : position;
}

/// Extends the position over the headers, the notes and the path of the loader.
static uintptr_t extend_by_headers(uintptr_t at, const struct crebind_image *image) {
  at = extend(at, image->header, sizeof(ElfW(Ehdr)));
  at = extend(at, (uintptr_t)image->phdr, image->phnum * sizeof *image->phdr);
  for (size_t i = 0; i < image->phnum; i++) {
    const ElfW(Phdr) *segment = &image->phdr[i];
    if (segment->p_type == PT_NOTE || segment->p_type == PT_INTERP)
      at = extend(at, image->bias + segment->p_vaddr, segment->p_memsz);
  }
  return at;
}

/// Extends the position over the tables that the dynamic table names.
static uintptr_t extend_by_tables(uintptr_t at, const struct crebind_dynamic *dynamic,
                                  size_t symbols) {
  const struct crebind_gnu_hash *gnu = &dynamic->gnu_hash;
  const struct crebind_sysv_hash *sysv = &dynamic->sysv_hash;
  if (gnu->bucket_count != 0) {
    size_t chains = symbols > gnu->symbol_offset ? symbols - gnu->symbol_offset : 0;
    uintptr_t start = (uintptr_t)gnu->bloom - 4 * sizeof(uint32_t);
    at = extend(at, start, (uintptr_t)(gnu->chain + chains) - start);
  }
  if (sysv->bucket_count != 0) {
    uintptr_t start = (uintptr_t)(sysv->buckets - 2);
    at = extend(at, start, (uintptr_t)(sysv->chain + sysv->chain_count) - start);
  }
  at = extend(at, (uintptr_t)dynamic->symbols, symbols * sizeof *dynamic->symbols);
  at = extend(at, (uintptr_t)dynamic->strings, dynamic->strings_size);
  if (dynamic->versym != NULL)
    at = extend(at, (uintptr_t)dynamic->versym, symbols * sizeof *dynamic->versym);
  return at;
}

/// True if the page surely holds no code: it lies wholly in headers, notes and tables.
static bool holds_no_code(const struct crebind_mover *mover, uintptr_t page) {
  const struct crebind_image *image = crebind_world_image(mover->world, mover->index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(mover->world, mover->index);
  size_t symbols = dynamic->symbols != NULL ? crebind_symbol_count(dynamic) : 0;
  uintptr_t at = page, before;
  do {
    before = at;
    at = extend_by_tables(extend_by_headers(at, image), dynamic, symbols);
  } while (at > before && at - page < page_size());
  return at - page >= page_size();
}

/// The flags of mprotect(2) for the copy.
static int protection_of(const struct crebind_mover *mover, uintptr_t page, uintptr_t address) {
  if (holds_no_code(mover, page)) return PROT_READ;
  const struct crebind_image *image = crebind_world_image(mover->world, mover->index);
  uint32_t property =
      CREBIND_CODE_PROPERTY != 0 ? crebind_note_property(image, CREBIND_CODE_PROPERTY) : 0;
  const ElfW(Phdr) *segment = crebind_image_segment(image, address, 1);
  return (segment->p_flags & PF_R ? PROT_READ : 0) | PROT_EXEC
         | crebind_code_protection(property, crebind_runtime()->hwcap);
}

// MARK: - Contents

/// Copies a page. A sanitizer's notes of the image's memory do not concern us.
__attribute__((no_sanitize("address"), noinline)) static void copy_page(uintptr_t *to,
                                                                        const uintptr_t *from) {
  for (size_t i = 0; i < page_size() / sizeof *to; i++) {
    to[i] = from[i];
    CREBIND_KEEP_LOOP();
  }
}

static bool has_changes(const struct crebind_change *changes, size_t count, bool takes_back) {
  for (size_t i = 0; i < count; i++) {
    uintptr_t word = __atomic_load_n((const uintptr_t *)changes[i].address, __ATOMIC_ACQUIRE);
    if (crebind_changed_word(&changes[i], word, takes_back) != word) return true;
  }
  return false;
}

/// A copy of the page with the changes made, in memory of our own; NULL without memory.
static char *prepare(uintptr_t page, const struct crebind_change *changes, size_t count,
                     bool takes_back) {
  char *copy = crebind_pages(page_size());
  if (copy == NULL) return NULL;
  copy_page((uintptr_t *)copy, (const uintptr_t *)page);
  for (size_t i = 0; i < count; i++) {
    uintptr_t *word = (uintptr_t *)(copy + (changes[i].address - page));
    *word = crebind_changed_word(&changes[i], *word, takes_back);
  }
  return copy;
}

// MARK: - Moving

/// Moves a page over another one. Returns 0 or an `errno`.
static int move_over(uintptr_t from, uintptr_t page) {
  long result = crebind_system_call(SYS_mremap, from, page_size(), page_size(),
                                    MREMAP_MAYMOVE | MREMAP_FIXED, page);
  return crebind_has_failed(result) ? (int)-result : 0;
}

/// MADV_DONTDUMP makes the page a mapping of its own, MADV_DODUMP a part of the others.
static int advise(uintptr_t page, int advice) {
  return (int)-crebind_system_call(SYS_madvise, page, page_size(), advice);
}

static int move_back(struct moved_page *moved) {
  int error = move_over(moved->kept, moved->page);
  if (error != 0) return error;
  advise(moved->page, MADV_DODUMP);
  forget(moved);
  return 0;
}

/// Keeps the page at another place. Meanwhile the file's own page is in its place.
static int keep(struct moved_page *moved) {
  int error = advise(moved->page, MADV_DONTDUMP);
  if (error != 0) return error;
  long kept = crebind_system_call(SYS_mremap, moved->page, page_size(), page_size(),
                                  MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);
  moved->kept = (uintptr_t)kept;
  if (!crebind_has_failed(kept)) return 0;
  advise(moved->page, MADV_DODUMP);
  return (int)-kept;
}

/// Keeps a page, and moves the copy over it.
static int move_first(const struct crebind_mover *mover, const char *copy, uintptr_t page) {
  struct moved_page *moved = crebind_vector_append(&moved_pages, 1);
  if (moved == NULL) return ENOMEM;
  uint32_t known = crebind_world_known(mover->world, mover->index);
  *moved = (struct moved_page){crebind_known_image_at(known)->serial, known, page, 0};
  int error = keep(moved);
  if (error != 0) {
    forget(moved);
    return error;
  }
  error = move_over((uintptr_t)copy, page);
  if (error != 0 && move_back(moved) != 0) {
    // The file's page is in place, and the kept page equals it.
    release(moved);
    advise(page, MADV_DODUMP);
  }
  return error;
}

int crebind_mover_store(struct crebind_mover *mover, const struct crebind_change *changes,
                        size_t count, bool takes_back) {
  uintptr_t page = changes->address & ~(uintptr_t)(page_size() - 1);
  if (!has_changes(changes, count, takes_back)) return 0;
  const ElfW(Phdr) *segment = crebind_image_segment(
      crebind_world_image(mover->world, mover->index), changes->address, 1);
  if (segment == NULL || (segment->p_flags & PF_R) == 0) return ENOTSUP;
  struct moved_page *moved = find_moved(mover, page);
  int state = state_of(mover, page, segment, moved);
  if (state < 0) return -state;
  if (moved != NULL && state == PAGE_OF_FILE) {
    // The image has been loaded again, without our noticing.
    release(moved);
    moved = NULL;
  } else if (moved == NULL && state != PAGE_OF_FILE) {
    return ENOTSUP;
  }
  char *copy = prepare(page, changes, count, takes_back);
  if (copy == NULL) return ENOMEM;
  int error;
  if (moved != NULL && is_same(copy, (const char *)moved->kept, page_size())) {
    error = move_back(moved);
    crebind_pages_free(copy, page_size());
    return error;
  }
  error = (int)-crebind_system_call(SYS_mprotect, copy, page_size(),
                                    protection_of(mover, page, changes->address));
  if (error == 0)
    error = moved != NULL ? move_over((uintptr_t)copy, page) : move_first(mover, copy, page);
  if (error != 0) crebind_pages_free(copy, page_size());
  return error;
}

// MARK: - Images that have gone

void crebind_page_copy_forget(const struct crebind_world *world, bool looks_closer) {
  struct crebind_mover mover;
  crebind_mover_begin(&mover, world, 0);
  for (size_t i = moved_pages.count; i-- > 0;) {
    struct moved_page *moved = moved_at(i);
    const struct crebind_known_image *known = crebind_known_image_at(moved->known);
    bool is_gone = known->serial != moved->serial || !known->is_present;
    if (is_gone || (looks_closer && state_of(&mover, moved->page, NULL, moved) == PAGE_OF_FILE))
      release(moved);
  }
  crebind_mover_end(&mover);
}
#endif
