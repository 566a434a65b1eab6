/// A dlopen for its caller, beside a loader that is made up here. Functions are missing, folders cannot
/// be told, names are too long, and files are no libraries.
///
/// Usage: opening FOLDER LIBRARY: a library with the soname libnamed.so, in a folder to write to

#define _GNU_SOURCE
#include "runtime/runtime.h"
#include "transactions/notice.h"
#include "world/loader.h"
#include "steps.h"

// MARK: - The loader

enum who { PROGRAM, OWN, CALLER, WHO };

/// The loader's data about an image.
static struct image {
  struct link_map map;
  ElfW(Dyn) tags[2];
  const char *folders[3];
  /// The last question that it answers of these; and whose namespace it is in.
  enum { NOTHING, NAMESPACE, SIZE_OF_LIST, ALL } answers;
  Lmid_t namespace;
} images[WHO];

static const ElfW(Ehdr) * own_header;
static bool is_own_known, lacks_memory;
/// The image that the name is loaded as.
static struct link_map *loaded;

static const struct image *image_of(const void *handle) {
  for (int i = 0; i < WHO; i++)
    if (handle == &images[i].map) return &images[i];
  return NULL;
}

static int say_information(void *handle, int request, void *answer) {
  const struct image *image = image_of(handle);
  CHECK(image != NULL);
  Dl_serinfo *list = answer;
  size_t count = 0, size = sizeof *list;
  for (; count < 3 && image->folders[count] != NULL; count++)
    size += sizeof(Dl_serpath) + strlen(image->folders[count]) + 1;
  switch (request) {
  case RTLD_DI_LMID:
    *(Lmid_t *)answer = image->namespace;
    return image->answers >= NAMESPACE ? 0 : -1;
  case RTLD_DI_SERINFOSIZE:
    list->dls_size = size;
    list->dls_cnt = (unsigned)count;
    return image->answers >= SIZE_OF_LIST ? 0 : -1;
  case RTLD_DI_SERINFO: {
    char *at = (char *)&list->dls_serpath[count];
    for (size_t i = 0; i < count; i++) {
      list->dls_serpath[i].dls_name = strcpy(at, image->folders[i]);
      at += strlen(at) + 1;
    }
    return image->answers >= ALL ? 0 : -1;
  }
  }
  return -1;
}

static int say_address(const void *address, void *answer, void **map, int request) {
  (void)request;
  // Ours is the address of the core's function; the others are those of the images.
  const struct image *image = image_of(address);
  bool is_own = address == (const void *)&crebind_opening_for;
  if (is_own) image = is_own_known ? &images[OWN] : NULL;
  if (image == NULL) return is_own_known ? 0 : 1;
  *map = (void *)&image->map;
  ((Dl_info *)answer)->dli_fbase = (void *)own_header;
  return 1;
}

static void *say_loaded(const char *name, int mode) {
  CHECK(strcmp(name, "libnamed.so") == 0 && (mode & RTLD_NOLOAD) != 0);
  return loaded;
}
static int close_loaded(void *handle) {
  CHECK(handle == loaded);
  return 0;
}

static struct crebind_loader loader;
WRAPPED(struct crebind_loader, crebind_loader, void) { return loader; }

WRAPPED(void *, crebind_memory, size_t size) {
  return lacks_memory ? NULL : __real_crebind_memory(size);
}

/// Three images, each with a folder of its own in front of the one that all have.
static char folders[WHO][PATH_MAX];
static void begin(void) {
  loader = (struct crebind_loader){.is_known = true, .open = say_loaded, .close = close_loaded,
                                   .information = say_information,
                                   .address_information = say_address};
  memset(images, 0, sizeof images);
  for (int i = 0; i < WHO; i++) {
    images[i].map.l_ld = images[i].tags;
    images[i].tags[0].d_tag = DT_RUNPATH;
    images[i].folders[i != PROGRAM] = "/no/such/folder";
    if (i != PROGRAM) images[i].folders[0] = folders[i];
    images[i].answers = ALL;
  }
  images[OWN].map.l_prev = &images[PROGRAM].map;
  images[CALLER].map.l_prev = &images[OWN].map;
  is_own_known = true;
  lacks_memory = false;
  loaded = NULL;
  images[CALLER].map.l_name = "/origin/caller.so";
}

// MARK: - Openings

static char path[PATH_MAX];

#define EXPECT(name, opening) expect(__LINE__, name, &images[CALLER].map, opening)
static void expect(int line, const char *name, const void *caller, enum crebind_opening expected) {
  path[0] = 0;
  enum crebind_opening opening = crebind_opening_for(name, (uintptr_t)caller, path);
  if (opening != expected) fprintf(stderr, "line %d: %d, not %d\n", line, opening, expected);
  CHECK(opening == expected);
}

/// It is opened by its caller if this is so.
#define BY_CALLER(change)                          \
  do {                                             \
    begin();                                       \
    change;                                        \
    EXPECT("libnone.so", CREBIND_OPEN_BY_CALLER);  \
  } while (0)

static void check_loader(void) {
  begin();
  EXPECT(NULL, CREBIND_OPEN_AS_IT_IS);
  EXPECT("", CREBIND_OPEN_AS_IT_IS);
  EXPECT("libnone.so", CREBIND_OPEN_AS_IT_IS);
  expect(__LINE__, "libnone.so", &images[OWN].map, CREBIND_OPEN_AS_IT_IS);
  // An address of no image is the program's.
  expect(__LINE__, "libnone.so", &path, CREBIND_OPEN_AS_IT_IS);
  BY_CALLER(loader.address_information = NULL);
  BY_CALLER(loader.information = NULL);
  BY_CALLER(loader.open = NULL);
  BY_CALLER(loader.close = NULL);
  BY_CALLER(is_own_known = false);
}

static void check_images(void) {
  for (int i = PROGRAM; i < WHO; i++) {
    if (i != PROGRAM) BY_CALLER(images[i].answers = NOTHING);
    if (i != PROGRAM) BY_CALLER(images[i].namespace = 1);
    BY_CALLER(images[i].answers = NAMESPACE);
    BY_CALLER(images[i].answers = SIZE_OF_LIST);
  }
  BY_CALLER(lacks_memory = true);

  // Its RPATH counts, or that of the image that has loaded it.
  for (int i = OWN; i < WHO; i++) {
    begin();
    images[i].tags[0].d_tag = DT_RPATH;
    EXPECT("libnone.so", CREBIND_OPEN_BY_CALLER);
    images[i].tags[0].d_tag = DT_DEBUG;
    EXPECT("libnone.so", CREBIND_OPEN_AS_IT_IS);
    images[PROGRAM].tags[0].d_tag = DT_DEBUG;
    EXPECT("libnone.so", CREBIND_OPEN_BY_CALLER);
    images[i].folders[1] = NULL;
    EXPECT("libnone.so", CREBIND_OPEN_AS_IT_IS);
  }
}

static void check_paths(void) {
  begin();
  EXPECT("./libnone.so", CREBIND_OPEN_AS_IT_IS);
  EXPECT("./ORIGIN", CREBIND_OPEN_AS_IT_IS);
  EXPECT("./$LIB", CREBIND_OPEN_AS_IT_IS);
  EXPECT("$ORIGIN/x", CREBIND_OPEN_PATH);
  CHECK(strcmp(path, "/origin/x") == 0);
  EXPECT("${ORIGIN}/x", CREBIND_OPEN_PATH);
  CHECK(strcmp(path, "/origin/x") == 0);
  EXPECT("./$ORIGIN/x", CREBIND_OPEN_BY_CALLER);
  EXPECT("$ORIGIN/$LIB", CREBIND_OPEN_BY_CALLER);
  char name[PATH_MAX + 16] = "$ORIGIN/";
  memset(name + 8, 'x', PATH_MAX - 8);
  EXPECT(name, CREBIND_OPEN_BY_CALLER);
  images[CALLER].map.l_name = "relative/caller.so";
  EXPECT("$ORIGIN/x", CREBIND_OPEN_BY_CALLER);
}

// MARK: - Files

static char contents[1 << 20];
static size_t size;

static void write_file(const char *folder, const char *name, size_t count) {
  char file_path[2 * PATH_MAX];
  snprintf(file_path, sizeof file_path, "%s/%s", folder, name);
  unlink(file_path);
  int file = open(file_path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
  CHECK(file >= 0 && write(file, contents, count) == (ssize_t)count && close(file) == 0);
}

static void read_library(const char *library) {
  int file = open(library, O_RDONLY);
  ssize_t count = read(file, contents, sizeof contents);
  CHECK(count > 0 && close(file) == 0);
  size = (size_t)count;
  own_header = NULL;
}

/// A folder whose name is so long that `count` characters fit behind it.
static const char *long_folder(size_t count) {
  static char name[PATH_MAX + 1];
  memset(name, 0, sizeof name);
  memset(name, '/', PATH_MAX - 1 - count);
  return name;
}

static void check_folders(void) {
  // Behind it there has to be room for a slash, for glibc-hwcaps, and for the name.
  const size_t rooms[] = {0, 1, 12, 13};
  char name[32] = "a-name-longer-than-glibc-hwcaps";
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    begin();
    images[CALLER].folders[0] = long_folder(rooms[i]);
    EXPECT(name, CREBIND_OPEN_BY_CALLER);
    begin();
    images[OWN].folders[0] = long_folder(rooms[i]);
    EXPECT(name, CREBIND_OPEN_BY_CALLER);
  }
  begin();
  char longest[PATH_MAX + 1];
  memset(longest, '/', sizeof longest);
  longest[PATH_MAX] = 0;
  images[CALLER].folders[0] = longest;
  EXPECT(name, CREBIND_OPEN_BY_CALLER);
  // A folder for other processors.
  begin();
  char hwcaps[2 * PATH_MAX];
  snprintf(hwcaps, sizeof hwcaps, "%s/glibc-hwcaps", folders[CALLER]);
  CHECK(mkdir(hwcaps, 0755) == 0);
  EXPECT("libnamed.so", CREBIND_OPEN_BY_CALLER);
  CHECK(rmdir(hwcaps) == 0);
}

/// Writes the library as the caller's, and expects this opening.
#define EXPECT_WRITTEN(count, opening)                \
  do {                                                \
    write_file(folders[CALLER], "libnamed.so", count); \
    EXPECT("libnamed.so", opening);                   \
    read_library(library);                            \
    own_header = &header;                             \
  } while (0)

static void check_files(const char *library) {
  begin();
  read_library(library);
  const ElfW(Ehdr) header = *(const ElfW(Ehdr) *)contents;
  own_header = &header;
  ElfW(Ehdr) *written = (ElfW(Ehdr) *)contents;
  ElfW(Phdr) *segments = (ElfW(Phdr) *)(contents + header.e_phoff);
  EXPECT_WRITTEN(size, CREBIND_OPEN_PATH);
  CHECK(strncmp(path, folders[CALLER], strlen(folders[CALLER])) == 0);

  // It is loaded, by this name or another one.
  ElfW(Dyn) *other = images[PROGRAM].tags;
  loaded = &(struct link_map){.l_ld = other};
  EXPECT("libnamed.so", CREBIND_OPEN_BY_CALLER);
  void *image = dlopen(library, RTLD_NOW);
  CHECK(image != NULL);
  loaded = image;
  EXPECT("libnamed.so", CREBIND_OPEN_AS_IT_IS);
  CHECK(dlclose(image) == 0);
  loaded = NULL;

  // Those of another machine or class are passed over, what is broken is taken.
  written->e_machine++;
  EXPECT_WRITTEN(size, CREBIND_OPEN_AS_IT_IS);
  written->e_ident[EI_CLASS] ^= 3;
  EXPECT_WRITTEN(size, CREBIND_OPEN_AS_IT_IS);
  contents[0] = 'X';
  EXPECT_WRITTEN(size, CREBIND_OPEN_PATH);
  EXPECT_WRITTEN(5, CREBIND_OPEN_BY_CALLER);
  EXPECT_WRITTEN(sizeof header, CREBIND_OPEN_BY_CALLER);
  written->e_phnum = 33;
  EXPECT_WRITTEN(size, CREBIND_OPEN_BY_CALLER);
  written->e_phentsize++;
  EXPECT_WRITTEN(size, CREBIND_OPEN_BY_CALLER);
  for (int i = 0; i < 5; i++) {
    ElfW(Phdr) *table = segments;
    while (table->p_type != PT_DYNAMIC) table++;
    ElfW(Dyn) *tags = (ElfW(Dyn) *)(contents + table->p_offset), *soname = tags;
    while (soname->d_tag != DT_SONAME) soname++;
    ElfW(Dyn) *strings = tags;
    while (strings->d_tag != DT_STRTAB) strings++;
    if (i == 0) table->p_offset = 1 << 21;
    if (i == 1) table->p_type = PT_NULL;
    if (i == 2) strings->d_un.d_ptr = 1 << 30;
    if (i == 3) soname->d_un.d_val++;
    if (i == 4) soname->d_un.d_val = 1 << 21;
    EXPECT_WRITTEN(size, CREBIND_OPEN_BY_CALLER);
  }
  // More entries than libraries have: those behind do not count.
  ElfW(Phdr) *table = segments;
  while (table->p_type != PT_DYNAMIC) table++;
  table->p_filesz = 100 * sizeof(ElfW(Dyn));
  EXPECT_WRITTEN(size, CREBIND_OPEN_PATH);

  // A name that is longer than any file's, and one that the caller alone has.
  write_file(folders[CALLER], "libother.so", size);
  EXPECT("libother.so", CREBIND_OPEN_BY_CALLER);
  // Both have it, or ours alone.
  write_file(folders[OWN], "libnamed.so", size);
  EXPECT("libnamed.so", CREBIND_OPEN_PATH);
  images[OWN].folders[0] = folders[CALLER];
  EXPECT("libnamed.so", CREBIND_OPEN_AS_IT_IS);
  images[OWN].folders[0] = folders[OWN];
  images[CALLER].folders[0] = "/no/such/folder";
  images[CALLER].folders[1] = NULL;
  EXPECT("libnamed.so", CREBIND_OPEN_BY_CALLER);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  for (int i = OWN; i < WHO; i++) {
    snprintf(folders[i], sizeof folders[i], "%s/opening-%d", argv[1], i);
    CHECK(mkdir(folders[i], 0755) == 0);
  }
  check_loader();
  check_images();
  check_paths();
  read_library(argv[2]);
  const ElfW(Ehdr) header = *(const ElfW(Ehdr) *)contents;
  own_header = &header;
  check_folders();
  check_files(argv[2]);
  puts("opened");
}
