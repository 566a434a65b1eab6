/// How the loader finds images for another caller than us.
///
/// glibc knows the caller of dlopen by its return address, and searches by the RPATH or RUNPATH of
/// that caller. It searches LD_LIBRARY_PATH after or before these, and then ld.so.cache and the
/// default folders. Our wrapper would be that caller. If the caller's own folders have the file,
/// and its soname is the name, opening its path gives the same result. If only our own folders have
/// the file, or if something is unknown, the caller has to call the loader itself. The caller also
/// does so if its image or ours hands down an RPATH to the dependencies of what it loads.

#if defined(__linux__)
#define _GNU_SOURCE
#include "transactions/notice.h"
#include "elf/file.h"
#include "runtime/lock.h"
#include "runtime/runtime.h"
#include "world/loader.h"
#include "world/world.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>

#ifdef __GLIBC__

/// Appends to a path in `buffer`. Returns false if the text does not fit.
static bool append(char *buffer, size_t *length, const char *text) {
  size_t count = crebind_length(text);
  if (count >= PATH_MAX - *length) return false;
  memcpy(buffer + *length, text, count + 1);
  *length += count;
  return true;
}

static bool begins_with(const char *text, const char *prefix) {
  for (; *prefix != 0; text++, prefix++)
    if (*text != *prefix) return false;
  return true;
}

static bool contains(const char *text, const char *part) {
  for (; *text != 0; text++)
    if (begins_with(text, part)) return true;
  return false;
}

// MARK: - Images

static bool is_complete(const struct crebind_loader *loader) {
  return loader->address_information != NULL && loader->information != NULL
         && loader->open != NULL && loader->close != NULL;
}

/// The image that an address is in; the program for one that is in none, as for the loader.
static struct link_map *find_image(const struct crebind_loader *loader, uintptr_t address,
                                   struct link_map *program, const ElfW(Ehdr) * *header) {
  Dl_info info;
  void *image = NULL;
  bool is_found = loader->address_information((void *)address, &info, &image, RTLD_DL_LINKMAP) != 0;
  if (is_found && header != NULL) *header = info.dli_fbase;
  return is_found && image != NULL ? image : program;
}

static bool has_tag(const struct link_map *image, int64_t tag) {
  for (const ElfW(Dyn) *entry = image->l_ld; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == tag) return true;
  return false;
}

static bool are_in_one_namespace(const struct crebind_loader *loader, void *a, void *b) {
  Lmid_t of_a, of_b;
  return loader->information(a, RTLD_DI_LMID, &of_a) == 0
         && loader->information(b, RTLD_DI_LMID, &of_b) == 0 && of_a == of_b;
}

// MARK: - Folders

/// The folders that the loader searches for an image's dependencies.
struct folders {
  Dl_serinfo *list;
  size_t size;
};

static bool read_folders(const struct crebind_loader *loader, void *image,
                         struct folders *folders) {
  Dl_serinfo head;
  *folders = (struct folders){NULL, 0};
  if (loader->information(image, RTLD_DI_SERINFOSIZE, &head) != 0) return false;
  Dl_serinfo *list = crebind_memory(head.dls_size);
  if (list == NULL) return false;
  *folders = (struct folders){list, head.dls_size};
  list->dls_size = head.dls_size;
  list->dls_cnt = head.dls_cnt;
  return loader->information(image, RTLD_DI_SERINFO, list) == 0;
}

static void free_folders(struct folders *folders) {
  crebind_memory_free(folders->list, folders->size);
}

static const char *folder_at(const struct folders *folders, size_t index) {
  return folders->list->dls_serpath[index].dls_name;
}

/// The number of folders in `a` before the folders that both lists end with. glibc does not say
/// which folders are the default ones, behind the cache: they are among those at the common end.
static size_t count_own(const struct folders *a, const struct folders *b) {
  size_t count = a->list->dls_cnt, other = b->list->dls_cnt;
  while (count != 0 && other != 0
         && crebind_equal(folder_at(a, count - 1), folder_at(b, other - 1)))
    count--, other--;
  return count;
}

/// True if the image hands down an RPATH to the images that it loads: its own, or that of the image
/// that has loaded it. The program's RPATH serves all images, and does not count.
static bool has_rpath(const struct link_map *image, const struct folders *folders,
                      const struct link_map *program, const struct folders *of_program) {
  if (image == program || has_tag(image, DT_RUNPATH)) return false;
  return has_tag(image, DT_RPATH)
         || (!has_tag(program, DT_RUNPATH)
             && folders->list->dls_cnt > of_program->list->dls_cnt);
}

/// False for a file that the loader passes over in its search: one that cannot be
/// opened, or is of another class or machine than `header`. The loader
/// takes a broken file, and says why it is.
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

static bool is_there(const char *path) {
  long file = crebind_system_call(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC);
  if (file >= 0) crebind_system_call(SYS_close, file);
  return file >= 0;
}

enum place { NOWHERE, THERE, UNKNOWN };

/// Finds `file` as the loader does in the first of the folders.
static enum place find_in(const struct folders *folders, size_t count, const char *file,
                          const ElfW(Ehdr) * header, char *path) {
  for (size_t i = 0; i < count; i++) {
    size_t length = 0, end;
    if (!append(path, &length, folder_at(folders, i)) || !append(path, &length, "/"))
      return UNKNOWN;
    end = length;
    // The folder may have a better file for this processor.
    if (!append(path, &length, "glibc-hwcaps") || is_there(path)) return UNKNOWN;
    length = end;
    if (!append(path, &length, file)) return UNKNOWN;
    if (would_be_taken(path, header)) return THERE;
  }
  return NOWHERE;
}

// MARK: - Names

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

/// A name that the caller's folders have: at its path there, if no image of the name is loaded.
static enum crebind_opening open_loaded(const struct crebind_loader *loader, const char *file) {
  struct link_map *loaded = loader->open(file, RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == NULL) return CREBIND_OPEN_PATH;
  // Or by a name that it was asked for by, or, for us alone, in our folders.
  bool is_its_name = has_soname(loaded, file);
  loader->close(loaded);
  return is_its_name ? CREBIND_OPEN_AS_IT_IS : CREBIND_OPEN_BY_CALLER;
}

/// The offset in the file of what the program headers place at an address; UINT64_MAX for none.
static uint64_t offset_of(const ElfW(Phdr) * headers, size_t count, uintptr_t address) {
  for (size_t i = 0; i < count; i++)
    if (headers[i].p_type == PT_LOAD && address >= headers[i].p_vaddr
        && address - headers[i].p_vaddr < headers[i].p_filesz)
      return headers[i].p_offset + (address - headers[i].p_vaddr);
  return UINT64_MAX;
}

/// True if the DT_SONAME of a file of our class is `name`; false for more headers and tags than
/// libraries have, too.
static bool file_has_soname(struct crebind_file *file, const char *name) {
  enum { HEADERS = 32, TAGS = 64 };
  ElfW(Ehdr) header;
  ElfW(Phdr) headers[HEADERS];
  ElfW(Dyn) tags[TAGS];
  char soname[NAME_MAX + 1];
  if (!crebind_file_read(file, 0, &header, sizeof header) || header.e_phnum > HEADERS
      || header.e_phentsize != sizeof *headers
      || !crebind_file_read(file, header.e_phoff, headers, header.e_phnum * sizeof *headers))
    return false;
  size_t count = 0;
  for (size_t i = 0; i < header.e_phnum; i++) {
    if (headers[i].p_type != PT_DYNAMIC) continue;
    count = headers[i].p_filesz / sizeof *tags < TAGS ? headers[i].p_filesz / sizeof *tags : TAGS;
    if (!crebind_file_read(file, headers[i].p_offset, tags, count * sizeof *tags)) return false;
  }
  uintptr_t strings = 0, offset = UINTPTR_MAX;
  for (size_t i = 0; i < count && tags[i].d_tag != DT_NULL; i++) {
    if (tags[i].d_tag == DT_STRTAB) strings = tags[i].d_un.d_ptr;
    if (tags[i].d_tag == DT_SONAME) offset = tags[i].d_un.d_val;
  }
  size_t size = crebind_length(name) + 1;
  uint64_t start = offset_of(headers, header.e_phnum, strings);
  if (offset == UINTPTR_MAX || start == UINT64_MAX || size > sizeof soname
      || !crebind_file_read(file, start + offset, soname, size))
    return false;
  return soname[size - 1] == 0 && crebind_equal(soname, name);
}

/// Opened at its path, an image with another soname would not be found by the name.
static bool would_have_soname(const char *path, const char *name) {
  struct crebind_file file;
  if (crebind_file_open(&file, path) != 0) return false;
  bool has_soname = file_has_soname(&file, name);
  crebind_file_close(&file);
  return has_soname;
}

/// A name without a slash.
static enum crebind_opening search(const struct crebind_loader *loader, const char *file,
                                   const struct folders *callers, const struct folders *own,
                                   const ElfW(Ehdr) * header, char *path) {
  char own_path[PATH_MAX];
  enum place place = find_in(callers, count_own(callers, own), file, header, path);
  enum place own_place = find_in(own, count_own(own, callers), file, header, own_path);
  if (place == UNKNOWN || own_place == UNKNOWN) return CREBIND_OPEN_BY_CALLER;
  if (place == own_place && (place == NOWHERE || crebind_equal(path, own_path)))
    return CREBIND_OPEN_AS_IT_IS;
  return place == THERE && would_have_soname(path, file) ? open_loaded(loader, file)
                                                         : CREBIND_OPEN_BY_CALLER;
}

/// The length of the folder that an image lies in, whose name it writes to `folder`; 0 if it cannot
/// tell. dlinfo(RTLD_DI_ORIGIN) copies from NULL for the program, until the loader has expanded
/// $ORIGIN for it. So the loader's path tells, and for the program the kernel.
static size_t find_origin(const struct link_map *image, bool is_program, char *folder) {
  size_t length = 0;
  if (is_program) {
    // A program that was run as `ld.so ./program` is another one to the kernel.
    if (crebind_runtime()->loader_base == 0) return 0;
    long count = crebind_system_call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", folder, PATH_MAX);
    if (crebind_has_failed(count) || count == PATH_MAX) return 0;
    length = (size_t)count;
  } else if (!append(folder, &length, image->l_name)) {
    return 0;
  }
  // Another path is relative to a folder that may not be the current one any more.
  if (folder[0] != '/') return 0;
  while (folder[length - 1] != '/') length--;
  folder[--length] = 0;
  return length;
}

/// A path. $ORIGIN is the folder of the caller's image; what else begins so is the same for all.
static enum crebind_opening expand(const char *file, const struct link_map *image,
                                   bool is_program, char *path) {
  if (!contains(file, "ORIGIN") || !contains(file, "$")) return CREBIND_OPEN_AS_IT_IS;
  const char *rest = NULL;
  if (begins_with(file, "$ORIGIN/")) rest = file + sizeof "$ORIGIN" - 1;
  if (begins_with(file, "${ORIGIN}/")) rest = file + sizeof "${ORIGIN}" - 1;
  // With more rights than its caller has, the loader does not expand every $ORIGIN.
  if (rest == NULL || contains(rest, "$") || crebind_runtime()->is_secure)
    return CREBIND_OPEN_BY_CALLER;
  size_t length = find_origin(image, is_program, path);
  return length != 0 && append(path, &length, rest) ? CREBIND_OPEN_PATH : CREBIND_OPEN_BY_CALLER;
}

// MARK: - Callers

/// The images that matter, and their folders.
struct callers {
  struct link_map *program, *caller, *own;
  const ElfW(Ehdr) * header;
  struct folders of_program, of_caller, of_own;
};

static enum crebind_opening choose(const struct crebind_loader *loader, const char *file,
                                   struct callers *callers, char *path) {
  if (!read_folders(loader, callers->program, &callers->of_program)
      || !read_folders(loader, callers->caller, &callers->of_caller)
      || !read_folders(loader, callers->own, &callers->of_own))
    return CREBIND_OPEN_BY_CALLER;
  if (has_rpath(callers->caller, &callers->of_caller, callers->program, &callers->of_program)
      || has_rpath(callers->own, &callers->of_own, callers->program, &callers->of_program))
    return CREBIND_OPEN_BY_CALLER;
  if (crebind_basename(file) != file)
    return expand(file, callers->caller, callers->caller == callers->program, path);
  return search(loader, file, &callers->of_caller, &callers->of_own, callers->header, path);
}

enum crebind_opening crebind_opening_for(const char *file, uintptr_t caller, char *path) {
  struct crebind_loader loader = crebind_loader();
  if (file == NULL || file[0] == 0) return CREBIND_OPEN_AS_IT_IS;
  if (!is_complete(&loader)) return CREBIND_OPEN_BY_CALLER;
  int saved_errno = errno;
  struct callers callers = {.program = NULL};
  callers.own = find_image(&loader, (uintptr_t)&crebind_opening_for, NULL, &callers.header);
  if (callers.own == NULL) return CREBIND_OPEN_BY_CALLER;
  for (callers.program = callers.own; callers.program->l_prev != NULL;)
    callers.program = callers.program->l_prev;
  callers.caller = find_image(&loader, caller, callers.program, NULL);
  enum crebind_opening opening = CREBIND_OPEN_AS_IT_IS;
  if (callers.caller != callers.own)
    opening = are_in_one_namespace(&loader, callers.caller, callers.own)
                  ? choose(&loader, file, &callers, path)
                  : CREBIND_OPEN_BY_CALLER;
  free_folders(&callers.of_program);
  free_folders(&callers.of_caller);
  free_folders(&callers.of_own);
  errno = saved_errno;
  return opening;
}

#else

// musl searches by the program's RPATH, whoever calls.
enum crebind_opening crebind_opening_for(const char *file, uintptr_t caller, char *path) {
  (void)file, (void)caller, (void)path;
  return CREBIND_OPEN_AS_IT_IS;
}

#endif
#endif
