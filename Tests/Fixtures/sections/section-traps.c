/// The section of a loaded image is found whatever has become of its file, or an error
/// says why not; another file's is never taken for it.
///
/// Usage: section-traps PLUGIN OTHER PLAIN PLAIN-OTHER NOTED: builds of section-plugin.c,
/// the plain ones without a build ID.

#include "steps.h"

enum { SIZE = 64 * sizeof(int), NOBODY = 65534 };

static const char *plugin, *other, *plain, *plain_other, *noted;
static char folder[1024];
static pid_t owner;

// MARK: - Files

/// Also after a check that failed; not in the traps' processes.
static void delete_folder(void) {
  if (getpid() != owner) return;
  char command[1100];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  if (system(command) != 0) fprintf(stderr, "%s is left behind\n", folder);
}

/// Where everybody may write.
static void make_folder(void) {
  const char *parent = getenv("TMPDIR");
  // Root's own may be closed to others, and one of them is to look.
  if (parent == NULL || geteuid() == 0) parent = "/tmp";
  CHECK(snprintf(folder, sizeof folder, "%s/section-traps-XXXXXX", parent) < (int)sizeof folder);
  CHECK(mkdtemp(folder) != NULL && chmod(folder, 0777) == 0);
  owner = getpid();
  CHECK(atexit(delete_folder) == 0);
}

static void copy_to(int descriptor, const char *from) {
  char bytes[1 << 14];
  int file = open(from, O_RDONLY);
  CHECK(file >= 0);
  for (ssize_t count; (count = read(file, bytes, sizeof bytes)) > 0;)
    CHECK(write(descriptor, bytes, (size_t)count) == count);
  close(file);
}

/// Puts a copy at a path, in place of what is there: the old file stays as it is.
static void put(const char *path, const char *from) {
  char scratch[4096];
  snprintf(scratch, sizeof scratch, "%s.new", path);
  int descriptor = open(scratch, O_WRONLY | O_CREAT | O_TRUNC, 0755);
  CHECK(descriptor >= 0);
  copy_to(descriptor, from);
  close(descriptor);
  unlink(path);  // A rename that replaces waits for the disk.
  CHECK(rename(scratch, path) == 0);
}

/// The path of a name in the test's own folder.
static const char *at(const char *name) {
  static char paths[4][4096];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

/// May this process open what it has mapped?
static bool is_privileged(void) {
  char line[4200], path[128];
  int descriptor = -1;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && descriptor < 0 && fgets(line, sizeof line, maps) != NULL) {
    if (strchr(line, '/') == NULL) continue;
    snprintf(path, sizeof path, "/proc/self/map_files/%.*s", (int)strcspn(line, " "), line);
    descriptor = open(path, O_RDONLY);
    break;
  }
  if (maps != NULL) fclose(maps);
  if (descriptor >= 0) close(descriptor);
  return descriptor >= 0;
}

// MARK: - Questions

struct loaded {
  void *handle;
  const void *header, *own;
};

static struct loaded load(const char *path) {
  void *image = OPEN(path, RTLD_NOW);
  const void *(*own_start)(void) = FIND(image, "own_start");
  const void *own = own_start();
  return (struct loaded){image, crebind_image_containing(own), own};
}

static struct loaded load_copy(const char *from) {
  put(at("p.so"), from);
  return load(at("p.so"));
}

static crebind_section found;
static int visits;

static void keep(const crebind_section *section, void *context) {
  CHECK(strcmp(section->name, context) == 0);
  found = *section;
  visits++;
}

static crebind_status ask_for(struct loaded image, const char *name, crebind_error *error) {
  visits = 0;
  errno = 77;
  crebind_status status = crebind_section_data(image.header, name, keep, (void *)name, error);
  CHECK(errno == 77 && visits == (status == CREBIND_OK));
  return status;
}

static crebind_status ask(struct loaded image, crebind_error *error) {
  return ask_for(image, "own_section", error);
}

static void expect_found(struct loaded image, crebind_section_source source) {
  crebind_error error;
  crebind_status status = ask(image, &error);
  if (status != CREBIND_OK)
    fprintf(stderr, "%s: %s\n", error.image, crebind_status_description(status));
  CHECK(status == CREBIND_OK);
  CHECK(found.address == (uintptr_t)image.own && found.size == SIZE && found.source == source);
  CHECK(found.type == SHT_PROGBITS && (found.flags & SHF_ALLOC) != 0
        && (found.flags & SHF_WRITE) != 0);
}

static void expect_failure(struct loaded image, crebind_status status, int system_error) {
  crebind_error error;
  crebind_status result = ask(image, &error);
  if (result != status)
    fprintf(stderr, "%d, not %d: %s\n", result, status, crebind_status_description(result));
  CHECK(result == status && error.status == status && error.system_error == system_error);
  CHECK(error.image[0] != 0);
}

// MARK: - Traps

/// The kernel's file for those who may have it, and else the error.
static void expect_by_privilege(struct loaded image, crebind_status status, int system_error) {
  if (is_privileged())
    expect_found(image, CREBIND_SECTION_FROM_FILE);
  else
    expect_failure(image, status, system_error);
}

static void note_needs_no_file(void) {
  struct loaded image = load_copy(noted);
  CHECK(unlink(at("p.so")) == 0);
  expect_found(image, CREBIND_SECTION_FROM_NOTE);
}

/// The note leads out of the image: the file is asked, as if there were none.
static void broken_note(void) {
  static char bytes[1 << 18];
  int descriptor = open(noted, O_RDONLY);
  size_t size = (size_t)read(descriptor, bytes, sizeof bytes);
  close(descriptor);
  char *note = memmem(bytes, size, "Rebind", sizeof "Rebind");
  CHECK(size < sizeof bytes && note != NULL);
  const uintptr_t distances[] = {0, UINTPTR_MAX / 2};
  memcpy(note + 8, distances, sizeof distances);
  for (int has_file = 1; has_file >= 0; has_file--) {
    const char *path = at(has_file ? "p.so" : "q.so");
    unlink(path);
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    CHECK(write(descriptor, bytes, size) == (ssize_t)size);
    close(descriptor);
    struct loaded image = load(path);
    if (!has_file) CHECK(unlink(path) == 0);
    if (has_file)
      expect_found(image, CREBIND_SECTION_FROM_FILE);
    else
      expect_by_privilege(image, CREBIND_BROKEN_FILE, 0);
  }
}

static void is_read_once(void) {
  struct loaded image = load_copy(plugin);
  expect_found(image, CREBIND_SECTION_FROM_FILE);
  crebind_error error;
  CHECK(ask_for(image, ".comment", &error) == CREBIND_SECTION_NOT_LOADED);
  CHECK(ask_for(image, "no_section", &error) == CREBIND_NO_SECTION);
  CHECK(ask_for(image, "", &error) == CREBIND_INVALID_ARGUMENT);
  put(at("p.so"), other);
  expect_found(image, CREBIND_SECTION_FROM_FILE);
  CHECK(ask_for(image, "no_section", &error) == CREBIND_NO_SECTION);
  image.header = &image;
  CHECK(ask(image, &error) == CREBIND_NO_SUCH_IMAGE);
}

static pid_t hook(void) { return 0; }

static crebind_handle *rebind_elsewhere(void) {
  return REBIND("own_elsewhere", hook, NULL, NULL, NULL);
}

static void plain_file_is_proven(void) {
  struct loaded image = load_copy(plain);
  // This changes the image's symbols in memory.
  crebind_handle *handle = rebind_elsewhere();
  expect_found(image, CREBIND_SECTION_FROM_FILE);
  RESTORE(handle);
}

static void deleted(const char *from) {
  struct loaded image = load_copy(from);
  CHECK(unlink(at("p.so")) == 0);
  expect_by_privilege(image, CREBIND_NO_FILE, ENOENT);
  // It may come back.
  put(at("p.so"), from);
  expect_found(image, CREBIND_SECTION_FROM_FILE);
}

static void deleted_file(void) { deleted(plugin); }
static void deleted_plain_file(void) { deleted(plain); }

static void replaced(const char *from, const char *by) {
  struct loaded image = load_copy(from);
  put(at("p.so"), by);
  expect_by_privilege(image, CREBIND_OTHER_FILE, 0);
}

static void replaced_file(void) { replaced(plugin, other); }
static void replaced_plain_file(void) { replaced(plain, plain_other); }
static void replaced_by_plain_file(void) { replaced(plugin, plain); }
static void replaced_by_one_with_build_id(void) { replaced(plain, plugin); }
static void replaced_by_text(void) { replaced(plugin, "/proc/self/status"); }

static void replaced_by_fifo(void) {
  struct loaded image = load_copy(plugin);
  CHECK(unlink(at("p.so")) == 0 && mkfifo(at("p.so"), 0644) == 0);
  expect_by_privilege(image, CREBIND_NO_FILE, EINVAL);
  CHECK(unlink(at("p.so")) == 0);
}

/// The bytes of the file become another build's: those of memory that nobody has written to
/// do so as well, the build ID among them, and the section's do not.
static void overwritten_file(void) {
  struct loaded image = load_copy(plugin);
  crebind_error error;
  CHECK(ask_for((struct loaded){.header = &image}, "none", &error) == CREBIND_NO_SUCH_IMAGE);
  int descriptor = open(at("p.so"), O_WRONLY);
  CHECK(descriptor >= 0);
  copy_to(descriptor, other);
  close(descriptor);
  expect_failure(image, CREBIND_OTHER_FILE, 0);
}

/// Another build, of the same path and in all likelihood at the same place: what was known
/// of the first one is known of it no more.
static void reloaded(const char *first, const char *second) {
  const char *builds[] = {first, second, first};
  for (int i = 0; i < 3; i++) {
    struct loaded image = load_copy(builds[i]);
    expect_found(image, CREBIND_SECTION_FROM_FILE);
#ifndef __GLIBC__
    return;  // musl unloads nothing, and has the first one for the path for good
#endif
    CHECK(dlclose(image.handle) == 0);
  }
}

static void reloaded_file(void) { reloaded(plugin, other); }
static void reloaded_plain_file(void) { reloaded(plain, plain_other); }

#ifdef __GLIBC__
static int note_subs(struct dl_phdr_info *info, size_t size, void *subs) {
  (void)size;
  *(unsigned long long *)subs = info->dlpi_subs;
  return 1;
}

static unsigned long long unloaded(void) {
  unsigned long long subs = 0;
  dl_iterate_phdr(note_subs, &subs);
  return subs;
}
#endif

/// The same, where the loader's count of unloaded images is what it was when the first one
/// was there: it sinks with a new namespace.
static void reloaded_beside_namespace(const char *first, const char *second) {
#ifdef __GLIBC__
  struct loaded image = load_copy(first);
  void *others[32];
  for (int i = 0; i < 32; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d.so", i);
    put(at(name), plugin);
    others[i] = load(at(name)).handle;
  }
  expect_found(image, CREBIND_SECTION_FROM_FILE);
  rebind_elsewhere();
  unsigned long long subs = unloaded();
  if (dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW) == NULL) return;
  CHECK(dlclose(image.handle) == 0);
  for (int i = 0; i < 32 && unloaded() != subs; i++) CHECK(dlclose(others[i]) == 0);
  CHECK(unloaded() == subs);
  put(at("p.so"), second);
  expect_found(load(at("p.so")), CREBIND_SECTION_FROM_FILE);
#else
  (void)first, (void)second;
#endif
}

static void reloaded_file_beside_namespace(void) { reloaded_beside_namespace(plugin, other); }
static void reloaded_plain_file_beside_namespace(void) {
  reloaded_beside_namespace(plain, plain_other);
}

/// The loader's path is relative to a folder that is not the current one any more, where
/// another build has the same name.
static void relative(void) {
  CHECK(mkdir(at("a"), 0777) == 0 || errno == EEXIST);
  CHECK(mkdir(at("b"), 0777) == 0 || errno == EEXIST);
  put(at("a/p.so"), plugin);
  put(at("b/p.so"), other);
  CHECK(chdir(at("a")) == 0);
  struct loaded image = load("./p.so");
  CHECK(chdir(at("b")) == 0);
  expect_found(image, CREBIND_SECTION_FROM_FILE);
}

static void memory_file(void) {
  for (int i = 0; i < 2; i++) {
    int descriptor = memfd_create("plugin", MFD_CLOEXEC);
    CHECK(descriptor >= 0);
    copy_to(descriptor, i == 0 ? plugin : plain);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    struct loaded image = load(path);
    if (i == 0) {
      expect_found(image, CREBIND_SECTION_FROM_FILE);
      continue;  // and keeps the descriptor, so that the next one has another path
    }
    close(descriptor);
    expect_by_privilege(image, CREBIND_NO_FILE, ENOENT);
  }
}

static void stripped(void) {
  put(at("p.so"), plugin);
  int descriptor = open(at("p.so"), O_RDWR);
  ElfW(Ehdr) header;
  CHECK(pread(descriptor, &header, sizeof header, 0) == sizeof header);
  header.e_shoff = 0;
  header.e_shnum = header.e_shstrndx = 0;
  CHECK(pwrite(descriptor, &header, sizeof header, 0) == sizeof header);
  close(descriptor);
  struct loaded image = load(at("p.so"));
  expect_failure(image, CREBIND_NO_SECTION_HEADERS, 0);
  // Known for good.
  put(at("p.so"), plugin);
  expect_failure(image, CREBIND_NO_SECTION_HEADERS, 0);
}

/// The file is cut short in place: what is mapped behind the end is gone too.
static void cut_short(void) {
  put(at("p.so"), plugin);
  int descriptor = open(at("p.so"), O_RDWR);
  struct stat status;
  CHECK(fstat(descriptor, &status) == 0);
  struct loaded image = load(at("p.so"));
  CHECK(ftruncate(descriptor, status.st_size - 100) == 0);
  close(descriptor);
  expect_failure(image, CREBIND_BROKEN_FILE, 0);
}

// MARK: - The vDSO

static void find_vdso(const crebind_image_contents *image, void *context) {
  if (image->is_vdso) *(const void **)context = image->info.header;
}

static void visit_any(const crebind_section *section, void *count) {
  CHECK(section->source == CREBIND_SECTION_FROM_MEMORY && section->name[0] != 0);
  ++*(int *)count;
}

static void vdso(void) {
  const void *header = NULL;
  CHECK(crebind_images(find_vdso, &header, NULL) == CREBIND_OK);
  int count = 0;
  if (header == NULL || ((const ElfW(Ehdr) *)header)->e_shnum == 0) return;
  CHECK(crebind_sections(header, visit_any, &count, NULL) == CREBIND_OK);
  CHECK(count == ((const ElfW(Ehdr) *)header)->e_shnum - 1);
  CHECK(crebind_section_data(header, ".text", visit_any, &count, NULL) == CREBIND_OK);
}

// MARK: - All of them

/// In a process of its own, as the user or as nobody.
static void run(void (*trap)(void), bool is_ordinary) {
  IN_CHILD {
    if (is_ordinary && geteuid() == 0) CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    trap();
    exit(0);
  }
}

int main(int argc, char *argv[]) {
  CHECK(argc == 6);
  umask(0);
  make_folder();
  const char **const copies[] = {&plugin, &other, &plain, &plain_other, &noted};
  static char names[5][4096];
  // For a user who may not read where the tests were built.
  for (int i = 0; i < 5; i++) {
    snprintf(names[i], sizeof names[i], "%s/original%d.so", folder, i);
    put(names[i], argv[i + 1]);
    *copies[i] = names[i];
  }
  void (*const traps[])(void) = {
      note_needs_no_file,  broken_note,            plain_file_is_proven,
      is_read_once,
      deleted_file,        deleted_plain_file,     replaced_file,
      replaced_plain_file, replaced_by_plain_file, replaced_by_one_with_build_id,
      replaced_by_text,    replaced_by_fifo,       relative,
      overwritten_file,
      reloaded_file,       reloaded_plain_file,
      reloaded_file_beside_namespace,
      reloaded_plain_file_beside_namespace,
      memory_file,         stripped,               cut_short,
      vdso,
  };
  for (int is_ordinary = 0; is_ordinary < 2; is_ordinary++)
    for (size_t i = 0; i < sizeof traps / sizeof traps[0]; i++) run(traps[i], is_ordinary);
  puts("none was taken for another");
}
