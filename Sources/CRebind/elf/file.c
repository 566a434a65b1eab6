#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Returns a descriptor or a negative `errno`.
static int open_path(const char *path) {
  return (int)crebind_system_call(SYS_openat, AT_FDCWD, path,
                                  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/// The beginning of the kernel's structure, which is the same on all machines, unlike
/// that of fstat(2).
struct status {
  uint32_t mask, block_size;
  uint64_t attributes;
  uint32_t links, user, group;
  uint16_t mode, unused;
  uint64_t rest[28];
};

/// True for a regular file, and where the kernel is older than the call.
static bool is_regular(int descriptor) {
#ifdef SYS_statx
  enum { EMPTY_PATH = 0x1000, TYPE = 1 };
  struct status status;
  status.mask = 0;
  long result = crebind_system_call(SYS_statx, descriptor, "", EMPTY_PATH, TYPE, &status);
  if (result == 0 && (status.mask & TYPE) != 0) return (status.mode & S_IFMT) == S_IFREG;
#endif
  (void)descriptor;
  return true;
}

/// Returns the position or a negative `errno`.
static int64_t seek(int descriptor, uint64_t offset, int origin) {
  // So that no 64-bit argument has to be passed, which each machine does in its way.
  if (offset > LONG_MAX) return -EOVERFLOW;
  return crebind_system_call(SYS_lseek, descriptor, offset, origin);
}

int crebind_file_open(struct crebind_file *file, const char *path) {
  file->memory = NULL;
  file->error = 0;
  file->descriptor = open_path(path);
  if (file->descriptor < 0) return -file->descriptor;
  int64_t size = is_regular(file->descriptor) ? seek(file->descriptor, 0, SEEK_END) : -EINVAL;
  file->size = (uint64_t)size;
  if (size >= 0) return 0;
  crebind_file_close(file);
  return (int)-size;
}

void crebind_file_close(struct crebind_file *file) {
  crebind_system_call(SYS_close, file->descriptor);
}

/// Reads until `size` bytes are there, or the end. Returns their number, or a negative
/// `errno`.
static int64_t read_some(int descriptor, char *bytes, size_t size) {
  size_t count = 0;
  while (count < size) {
    long result = crebind_system_call(SYS_read, descriptor, bytes + count, size - count);
    if (result == -EINTR) continue;
    if (result < 0) return result;
    if (result == 0) break;
    count += (size_t)result;
  }
  return (int64_t)count;
}

bool crebind_file_read(struct crebind_file *file, uint64_t offset, void *bytes,
                       size_t size) {
  if (offset > file->size || size > file->size - offset) return false;
  if (file->memory != NULL) {
    if (size != 0) memcpy(bytes, file->memory + offset, size);
    return true;
  }
  int64_t result = seek(file->descriptor, offset, SEEK_SET);
  if (result >= 0) result = read_some(file->descriptor, bytes, size);
  if (result < 0) file->error = (int)-result;
  return result == (int64_t)size;
}

char *crebind_file_part(struct crebind_file *file, uint64_t offset, uint64_t size,
                        crebind_status *status) {
  *status = CREBIND_BROKEN_FILE;
  if (size > CREBIND_LARGEST_PART || offset > file->size || size > file->size - offset)
    return NULL;
  char *part = crebind_memory((size_t)size);
  *status = part == NULL ? CREBIND_OUT_OF_MEMORY : CREBIND_BROKEN_FILE;
  if (part == NULL || crebind_file_read(file, offset, part, (size_t)size)) return part;
  crebind_memory_free(part, (size_t)size);
  return NULL;
}

int crebind_file_read_all(const char *path, struct crebind_vector *bytes) {
  enum { CHUNK = 1 << 16 };
  int descriptor = open_path(path), failure = 0;
  if (descriptor < 0) return -descriptor;
  while (true) {
    char *chunk = crebind_vector_append(bytes, CHUNK);
    int64_t count = chunk == NULL ? -ENOMEM : read_some(descriptor, chunk, CHUNK);
    if (count < 0) failure = (int)-count;
    if (chunk != NULL)
      crebind_vector_truncate(bytes, bytes->count - CHUNK + (size_t)(count < 0 ? 0 : count));
    if (count < CHUNK) break;
  }
  crebind_system_call(SYS_close, descriptor);
  return failure;
}
#endif
