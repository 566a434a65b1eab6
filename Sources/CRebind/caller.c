#define _GNU_SOURCE
#include "notice.h"
#include "attempt.h"
#include "runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Appends to a path in `buffer`; false if it does not fit.
static bool append(char *buffer, size_t size, size_t *length, const char *text, size_t count) {
  if (count >= size - *length) return false;
  memcpy(buffer + *length, text, count);
  *length += count;
  buffer[*length] = 0;
  return true;
}

static bool begins_with(const char *text, const char *prefix) {
  for (; *prefix != 0; text++, prefix++)
    if (*text != *prefix) return false;
  return true;
}

#ifdef __GLIBC__

/// The folders that the loader searches for an image's dependencies.
static Dl_serinfo *search_list(void *image, size_t *size) {
  int (*information)(void *, int, void *) =
      (int (*)(void *, int, void *))crebind_find_loader_function("dlinfo");
  Dl_serinfo head;
  if (information == NULL || information(image, RTLD_DI_SERINFOSIZE, &head) != 0) return NULL;
  *size = head.dls_size;
  Dl_serinfo *list = crebind_pages(head.dls_size);
  if (list == NULL) return NULL;
  list->dls_size = head.dls_size;
  list->dls_cnt = head.dls_cnt;
  if (information(image, RTLD_DI_SERINFO, list) == 0) return list;
  crebind_pages_free(list, *size);
  return NULL;
}

/// False for a file that the loader passes over in its search: one that cannot be
/// opened, or is of another class or machine than `header`. What is broken is found,
/// and the loader says why.
static bool would_be_taken(const char *path, const ElfW(Ehdr) * header) {
  ElfW(Ehdr) other;
  long file = crebind_system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  long size = crebind_system_call(SYS_read, file, &other, sizeof other);
  crebind_system_call(SYS_close, file);
  if (size < (long)sizeof other) return true;
  for (size_t i = 0; i < SELFMAG; i++)
    if (other.e_ident[i] != header->e_ident[i]) return true;
  return other.e_ident[EI_CLASS] == header->e_ident[EI_CLASS]
         && other.e_machine == header->e_machine;
}

/// Finds `file` as the loader does in a list of folders.
static bool find_in_list(const char *file, const Dl_serinfo *list, const ElfW(Ehdr) * header,
                         char *path, size_t size) {
  for (unsigned i = 0; i < list->dls_cnt; i++) {
    const char *folder = list->dls_serpath[i].dls_name;
    size_t length = 0;
    if (append(path, size, &length, folder, crebind_length(folder))
        && append(path, size, &length, "/", 1)
        && append(path, size, &length, file, crebind_length(file))
        && would_be_taken(path, header))
      return true;
  }
  return false;
}

static bool has_soname(const struct link_map *loaded, const char *name) {
  bool is_equal = false;
  struct crebind_images images;
  crebind_lock();
  crebind_images_read(&images);
  for (size_t i = 0; i < images.items.count; i++) {
    const struct crebind_image *image = crebind_image_at(&images, i);
    struct crebind_dynamic dynamic;
    int64_t tag;
    if (image->dynamic == loaded->l_ld
        && crebind_dynamic_decode(image, &dynamic, &tag) == CREBIND_OK)
      is_equal = crebind_equal(crebind_soname(&dynamic), name);
  }
  crebind_images_free(&images);
  crebind_unlock();
  return is_equal;
}

/// True if the loader has the file by this name, and so would not search for it: as
/// the soname of an image or as the name it was asked for by.
static bool is_loaded_as(const char *file) {
  void *(*open_image)(const char *, int) =
      (void *(*)(const char *, int))crebind_find_loader_function("dlopen");
  int (*close_image)(void *) = (int (*)(void *))crebind_find_loader_function("dlclose");
  if (open_image == NULL || close_image == NULL) return false;
  struct link_map *loaded = open_image(file, RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == NULL) return false;
  // Neither: it is another name of what our own search path leads to.
  bool is_loaded = crebind_equal(crebind_basename(loaded->l_name), file)
                   || has_soname(loaded, file);
  close_image(loaded);
  return is_loaded;
}

/// Replaces $ORIGIN at the start by the folder of the caller's image.
static bool expand_origin(const char *file, const char *image_path, char *path, size_t size) {
  const char *rest = NULL;
  if (begins_with(file, "$ORIGIN")) rest = file + sizeof "$ORIGIN" - 1;
  if (begins_with(file, "${ORIGIN}")) rest = file + sizeof "${ORIGIN}" - 1;
  if (rest == NULL) return false;
  size_t length = 0;
  if (image_path[0] == 0) {
    long count = crebind_system_call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, size - 1);
    if (count <= 0) return false;
    length = (size_t)count;
  } else if (!append(path, size, &length, image_path, crebind_length(image_path))) {
    return false;
  }
  while (length > 0 && path[length - 1] != '/') length--;
  if (length > 1) length--;
  return append(path, size, &length, rest, crebind_length(rest));
}

/// Finds `file` in a folder of the caller's where we would find another one, or none.
static bool find_for_caller(const char *file, void *callers_image, void *own_image,
                            const ElfW(Ehdr) * header, char *path, size_t size) {
  char own_path[PATH_MAX];
  size_t callers_size = 0, own_size = 0;
  Dl_serinfo *callers = search_list(callers_image, &callers_size);
  Dl_serinfo *own = search_list(own_image, &own_size);
  bool is_found = callers != NULL && own != NULL
                  && find_in_list(file, callers, header, path, size)
                  && !(find_in_list(file, own, header, own_path, sizeof own_path)
                       && crebind_equal(own_path, path));
  if (callers != NULL) crebind_pages_free(callers, callers_size);
  if (own != NULL) crebind_pages_free(own, own_size);
  return is_found && !is_loaded_as(file);
}

bool crebind_caller_path(const char *file, uintptr_t caller, char *path, size_t size) {
  if (file == NULL || file[0] == 0) return false;
  int saved_errno = errno;
  int (*address_info)(const void *, Dl_info *, void **, int) =
      (int (*)(const void *, Dl_info *, void **, int))crebind_find_loader_function("dladdr1");
  Dl_info info;
  void *callers_image = NULL, *own_image = NULL;
  bool is_found = false;
  if (address_info != NULL
      && address_info((void *)caller, &info, &callers_image, RTLD_DL_LINKMAP) != 0
      && address_info((void *)&crebind_caller_path, &info, &own_image, RTLD_DL_LINKMAP) != 0
      && callers_image != own_image)
    is_found = crebind_basename(file) != file
                   ? expand_origin(file, ((struct link_map *)callers_image)->l_name, path, size)
                   : find_for_caller(file, callers_image, own_image, info.dli_fbase, path, size);
  errno = saved_errno;
  return is_found;
}

#else

// musl searches by the program's RPATH, whoever calls.
bool crebind_caller_path(const char *file, uintptr_t caller, char *path, size_t size) {
  (void)file, (void)caller, (void)path, (void)size;
  (void)append, (void)begins_with;
  return false;
}

#endif
