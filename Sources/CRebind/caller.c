#define _GNU_SOURCE
#include "notice.h"
#include "attempt.h"
#include "runtime.h"

#include <dlfcn.h>
#include <fcntl.h>
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

static bool lists(const Dl_serinfo *list, const char *folder) {
  for (unsigned i = 0; i < list->dls_cnt; i++)
    if (crebind_equal(list->dls_serpath[i].dls_name, folder)) return true;
  return false;
}

/// Finds `file` in a folder that the caller searches and we do not. A folder that
/// both search ends the search where it has the file: we find that by ourselves.
static bool find_in_lists(const char *file, const Dl_serinfo *callers, const Dl_serinfo *own,
                          char *path, size_t size) {
  for (unsigned i = 0; i < callers->dls_cnt; i++) {
    const char *folder = callers->dls_serpath[i].dls_name;
    size_t length = 0;
    if (!append(path, size, &length, folder, crebind_length(folder))
        || !append(path, size, &length, "/", 1)
        || !append(path, size, &length, file, crebind_length(file)))
      continue;
    if (crebind_runtime()->system_call(SYS_faccessat, (long)AT_FDCWD, path, (long)R_OK) == 0)
      return !lists(own, folder);
  }
  return false;
}

/// Replaces $ORIGIN at the start by the folder of the caller's image.
static bool expand_origin(const char *file, const char *image_path, char *path, size_t size) {
  const char *rest = NULL;
  if (begins_with(file, "$ORIGIN")) rest = file + sizeof "$ORIGIN" - 1;
  if (begins_with(file, "${ORIGIN}")) rest = file + sizeof "${ORIGIN}" - 1;
  if (rest == NULL) return false;
  size_t length = 0;
  if (image_path[0] == 0) {
    long count = crebind_runtime()->system_call(SYS_readlinkat, (long)AT_FDCWD, "/proc/self/exe",
                                                path, size - 1);
    if (count <= 0) return false;
    length = (size_t)count;
  } else if (!append(path, size, &length, image_path, crebind_length(image_path))) {
    return false;
  }
  while (length > 0 && path[length - 1] != '/') length--;
  if (length > 1) length--;
  return append(path, size, &length, rest, crebind_length(rest));
}

bool crebind_caller_path(const char *file, uintptr_t caller, char *path, size_t size) {
  if (file == NULL || file[0] == 0) return false;
  int (*address_info)(const void *, Dl_info *, void **, int) =
      (int (*)(const void *, Dl_info *, void **, int))crebind_find_loader_function("dladdr1");
  Dl_info info;
  void *callers_image = NULL, *own_image = NULL;
  if (address_info == NULL
      || address_info((void *)caller, &info, &callers_image, RTLD_DL_LINKMAP) == 0
      || address_info((void *)&crebind_caller_path, &info, &own_image, RTLD_DL_LINKMAP) == 0
      || callers_image == own_image)
    return false;
  if (crebind_basename(file) != file)
    return expand_origin(file, ((struct link_map *)callers_image)->l_name, path, size);

  size_t callers_size = 0, own_size = 0;
  Dl_serinfo *callers = search_list(callers_image, &callers_size);
  Dl_serinfo *own = search_list(own_image, &own_size);
  bool is_found =
      callers != NULL && own != NULL && find_in_lists(file, callers, own, path, size);
  if (callers != NULL) crebind_pages_free(callers, callers_size);
  if (own != NULL) crebind_pages_free(own, own_size);
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
