#define _GNU_SOURCE
#include "libraries.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/// Libraries that take a process over, or are a C library of their own.
static const char *const unfit[] = {
    "asan", "tsan", "lsan", "ubsan", "hwasan", "memusage", "pcprofile", "mcheck", "jemalloc",
    "tcmalloc", "libc.so", "libc-", "musl", "ld-linux", "preload", "fakeroot", "eatmydata",
};

static void *shared_memory(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) abort();
  return memory;
}

// MARK: - Finding

static int is_candidate(const struct dirent *entry) {
  const char *suffix = strstr(entry->d_name, ".so");
  if (suffix == NULL || (suffix[3] != 0 && suffix[3] != '.')) return 0;
  for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
    if (strstr(entry->d_name, unfit[i]) != NULL) return 0;
  return 1;
}

/// A file has several names, and is one library.
static bool is_known(dev_t device, ino_t inode) {
  static struct {
    dev_t device;
    ino_t inode;
  } *known;
  static size_t count;
  for (size_t i = 0; i < count; i++)
    if (known[i].device == device && known[i].inode == inode) return true;
  known = realloc(known, (count + 1) * sizeof *known);
  if (known == NULL) abort();
  known[count].device = device;
  known[count++].inode = inode;
  return false;
}

struct libraries find_libraries(const char *const *folders, size_t count) {
  struct libraries libraries = {NULL, 0};
  for (size_t f = 0; f < count; f++) {
    struct dirent **entries;
    int found = scandir(folders[f], &entries, is_candidate, alphasort);
    for (int i = 0; i < found; i++) {
      char *path;
      struct stat status;
      if (asprintf(&path, "%s/%s", folders[f], entries[i]->d_name) < 0) abort();
      if (stat(path, &status) == 0 && S_ISREG(status.st_mode)
          && !is_known(status.st_dev, status.st_ino)) {
        libraries.items =
            realloc(libraries.items, (libraries.count + 1) * sizeof *libraries.items);
        if (libraries.items == NULL) abort();
        libraries.items[libraries.count++].path = path;
      } else {
        free(path);
      }
      free(entries[i]);
    }
    if (found >= 0) free(entries);
  }
  bool *refused = shared_memory(libraries.count + 1);
  for (size_t i = 0; i < libraries.count; i++) libraries.items[i].is_refused = &refused[i];
  return libraries;
}

// MARK: - Loading

static int count_image(struct dl_phdr_info *info, size_t size, void *count) {
  (void)info, (void)size;
  ++*(size_t *)count;
  return 0;
}

static size_t count_images(void) {
  size_t count = 0;
  dl_iterate_phdr(count_image, &count);
  return count;
}

/// \param at Is told which library is being loaded.
static void load(const struct libraries *libraries, size_t image_limit, volatile size_t *at,
                 void (*check)(void)) {
  for (size_t i = 0; i < libraries->count && count_images() < image_limit; i++) {
    if (*libraries->items[i].is_refused) continue;
    *at = i;
    if (dlopen(libraries->items[i].path, RTLD_LAZY | RTLD_LOCAL) == NULL)
      *libraries->items[i].is_refused = true;
    if (check != NULL) check();
  }
}

void load_libraries(const struct libraries *libraries, size_t image_limit) {
  size_t at;
  load(libraries, image_limit, &at, NULL);
}

// MARK: - Trial

/// A thread of a library's own could run into a slot while it is rebound.
static void exit_if_threaded(void) {
  size_t tasks = 0;
  DIR *folder = opendir("/proc/self/task");
  if (folder == NULL) return;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) tasks += entry->d_name[0] != '.';
  closedir(folder);
  if (tasks > 1) _exit(1);
}

struct trial {
  volatile size_t at;
  volatile bool is_done;
};

static void be_quiet(void) {
  int nowhere = open("/dev/null", O_RDWR);
  for (int i = 0; i < 3; i++) dup2(nowhere, i);
}

/// False if the child made no step for ten seconds.
static bool wait_for(pid_t child, const struct trial *trial) {
  size_t last = SIZE_MAX;
  for (int idle = 0; idle < 1000; idle++, usleep(10000)) {
    if (waitpid(child, NULL, WNOHANG) == child) return true;
    if (trial->at != last) idle = 0;
    last = trial->at;
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return false;
}

void try_libraries(struct libraries *libraries, size_t image_limit) {
  struct trial *trial = shared_memory(sizeof *trial);
  while (!trial->is_done) {
    trial->at = libraries->count;
    pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      be_quiet();
      load(libraries, image_limit, &trial->at, exit_if_threaded);
      trial->is_done = true;
      _exit(0);
    }
    if (child < 0) abort();
    if (!wait_for(child, trial) || !trial->is_done) {
      if (trial->at >= libraries->count) abort();
      *libraries->items[trial->at].is_refused = true;
    }
  }
  munmap(trial, sizeof *trial);
}
