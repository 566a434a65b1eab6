#if defined(__linux__)
#define _GNU_SOURCE
#include "sections/proof.h"
#include "runtime/lock.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/// How much is read at once; how many headers and notes are looked at, at most.
enum { CHUNK = 1 << 16, MOST = 1 << 12 };

static bool is_same(const char *a, const char *b, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (a[i] != b[i]) return false;
    CREBIND_KEEP_LOOP();
  }
  return true;
}

// MARK: - Memory

struct copy {
  const struct crebind_portraits *portraits;
  const char *from;
  char *to;
  size_t size;
};

// A sanitizer's notes of the image's memory do not concern us: all of a segment is read.
__attribute__((no_sanitize("address"), noinline)) static void copy_words(const struct copy *copy) {
  size_t i = 0;
  for (; copy->size - i >= sizeof(struct crebind_word); i += sizeof(struct crebind_word)) {
    ((struct crebind_word *)(copy->to + i))->value =
        ((const struct crebind_word *)(copy->from + i))->value;
    CREBIND_KEEP_LOOP();
  }
  for (; i < copy->size; i++) {
    copy->to[i] = copy->from[i];
    CREBIND_KEEP_LOOP();
  }
}

static crebind_status copy_locked(void *context) {
  copy_words(context);
  return CREBIND_OK;
}

/// Copies memory that may be gone: without a lock where the kernel copies for us, and else
/// under the list's, as long as no image has come or gone.
static crebind_status copy_memory(const struct copy *copy) {
#ifdef SYS_process_vm_readv
  struct iovec to = {copy->to, copy->size}, from = {(void *)copy->from, copy->size};
  long own = crebind_system_call(SYS_getpid);
  long count = crebind_system_call(SYS_process_vm_readv, own, &to, 1, &from, 1, 0);
  if (count == (long)copy->size) return CREBIND_OK;
  // A file that was cut short after it had been mapped, or an image that is gone.
  if (count >= 0 || count == -EFAULT) return CREBIND_OTHER_FILE;
#endif
  crebind_lock();
  crebind_status status =
      crebind_images_with_lock(copy->portraits->counts, copy_locked, (void *)copy);
  crebind_unlock();
  return status;
}

// MARK: - Segments

/// A part of a file that is mapped at an address, and is compared.
struct part {
  uint64_t offset, size;
  uintptr_t address;
};

/// Makes the file's bytes those of memory where a rebinding changes memory.
static void leave_out(const struct crebind_range *range, uintptr_t address, const char *memory,
                      char *file, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (address + i >= range->start && address + i < range->end) file[i] = memory[i];
    CREBIND_KEEP_LOOP();
  }
}

static crebind_status compare_part(struct crebind_file *file,
                                   const struct crebind_portraits *portraits,
                                   const struct crebind_portrait *portrait, struct part part,
                                   char *buffers) {
  char *memory = buffers, *contents = buffers + CHUNK;
  while (part.size != 0) {
    size_t size = part.size < CHUNK ? (size_t)part.size : CHUNK;
    if (!crebind_file_read(file, part.offset, contents, size)) return CREBIND_OTHER_FILE;
    struct copy copy = {portraits, (const char *)part.address, memory, size};
    crebind_status status = copy_memory(&copy);
    if (status != CREBIND_OK) return status;
    const struct crebind_range *symbols = &portrait->symbols;
    if (symbols->start < part.address + size && symbols->end > part.address)
      leave_out(symbols, part.address, memory, contents, size);
    if (!is_same(memory, contents, size)) return CREBIND_OTHER_FILE;
    part.offset += size;
    part.address += size;
    part.size -= size;
  }
  return CREBIND_OK;
}

static crebind_status compare_segments(struct crebind_file *file,
                                       const struct crebind_portraits *portraits,
                                       const struct crebind_portrait *portrait) {
  if (portrait->has_text_relocations) return CREBIND_OTHER_FILE;
  char *buffers = crebind_memory(2 * CHUNK);
  if (buffers == NULL) return CREBIND_OUT_OF_MEMORY;
  const ElfW(Phdr) *segments = crebind_portrait_phdr(portraits, portrait);
  crebind_status status = CREBIND_OK;
  size_t compared = 0;
  for (size_t i = 0; i < portrait->phnum && status == CREBIND_OK; i++) {
    const ElfW(Phdr) *segment = &segments[i];
    if (segment->p_type != PT_LOAD || (segment->p_flags & (PF_R | PF_W)) != PF_R) continue;
    struct part part = {segment->p_offset, segment->p_filesz, portrait->bias + segment->p_vaddr};
    status = compare_part(file, portraits, portrait, part, buffers);
    compared += segment->p_filesz;
  }
  crebind_memory_free(buffers, 2 * CHUNK);
  return status == CREBIND_OK && compared == 0 ? CREBIND_OTHER_FILE : status;
}

// MARK: - Build ID

static uint64_t round_up(uint64_t size, uint64_t alignment) {
  return (size + alignment - 1) & ~(alignment - 1);
}

/// Looks for the image's build ID among the notes of a part of the file.
static bool has_build_id(struct crebind_file *file, uint64_t offset, uint64_t size,
                         size_t alignment, const char *build_id, size_t build_id_size) {
  uint64_t at = 0;
  for (size_t i = 0; i < MOST && at < size && size - at >= sizeof(ElfW(Nhdr)); i++) {
    struct {
      ElfW(Nhdr) header;
      char owner[4];
      char description[64];
    } note;
    if (!crebind_file_read(file, offset + at, &note.header, sizeof note.header)) return false;
    uint64_t description = round_up(at + sizeof note.header + note.header.n_namesz, alignment);
    if (note.header.n_type == NT_GNU_BUILD_ID && note.header.n_namesz == sizeof note.owner
        && note.header.n_descsz == build_id_size && build_id_size <= sizeof note.description) {
      if (!crebind_file_read(file, offset + at + sizeof note.header, note.owner,
                             sizeof note.owner)
          || !crebind_file_read(file, offset + description, note.description, build_id_size))
        return false;
      if (is_same(note.owner, "GNU", sizeof note.owner)
          && is_same(note.description, build_id, build_id_size))
        return true;
    }
    at = round_up(description + note.header.n_descsz, alignment);
  }
  return false;
}

/// In the segments, or else in the sections: those of separate debug information may have
/// segments that are not in that file.
static bool has_same_build_id(struct crebind_file *file, const ElfW(Ehdr) * header,
                              const char *build_id, size_t size) {
  for (size_t i = 0; i < header->e_phnum && i < MOST; i++) {
    ElfW(Phdr) segment;
    if (!crebind_file_read(file, header->e_phoff + i * sizeof segment, &segment, sizeof segment))
      break;
    if (segment.p_type == PT_NOTE
        && has_build_id(file, segment.p_offset, segment.p_filesz, segment.p_align == 8 ? 8 : 4,
                        build_id, size))
      return true;
  }
  for (size_t i = 0; i < header->e_shnum && i < MOST; i++) {
    ElfW(Shdr) section;
    if (!crebind_file_read(file, header->e_shoff + i * sizeof section, &section, sizeof section))
      break;
    if (section.sh_type == SHT_NOTE
        && has_build_id(file, section.sh_offset, section.sh_size,
                        section.sh_addralign == 8 ? 8 : 4, build_id, size))
      return true;
  }
  return false;
}

// MARK: - All

static bool has_same_headers(struct crebind_file *file, const ElfW(Ehdr) * header,
                             const struct crebind_portraits *portraits,
                             const struct crebind_portrait *portrait) {
  if (portrait->has_elf_header
      && !is_same((const char *)header, (const char *)&portrait->elf_header, sizeof *header))
    return false;
  const ElfW(Phdr) *segments = crebind_portrait_phdr(portraits, portrait);
  if (header->e_phnum != portrait->phnum) return false;
  for (size_t i = 0; i < portrait->phnum; i++) {
    ElfW(Phdr) segment;
    if (!crebind_file_read(file, header->e_phoff + i * sizeof segment, &segment, sizeof segment)
        || !is_same((const char *)&segment, (const char *)&segments[i], sizeof segment))
      return false;
  }
  return true;
}

crebind_status crebind_proof(struct crebind_file *file,
                             const struct crebind_portraits *portraits,
                             const struct crebind_portrait *portrait) {
  if (portrait->is_overwritten) return CREBIND_OTHER_FILE;
  ElfW(Ehdr) header;
  static const char magic[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
                               sizeof(uintptr_t) == 8 ? ELFCLASS64 : ELFCLASS32,
                               __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB
                                                                        : ELFDATA2MSB};
  if (!crebind_file_read(file, 0, &header, sizeof header)
      || !is_same((const char *)header.e_ident, magic, sizeof magic)
      || (header.e_phnum != 0 && header.e_phentsize != sizeof(ElfW(Phdr))))
    return CREBIND_OTHER_FILE;
  if (portrait->build_id_size != 0)
    return has_same_build_id(file, &header, portraits->bytes.data + portrait->build_id,
                             portrait->build_id_size)
               ? CREBIND_OK
               : CREBIND_OTHER_FILE;
  if (!has_same_headers(file, &header, portraits, portrait)) return CREBIND_OTHER_FILE;
  return compare_segments(file, portraits, portrait);
}
#endif
