/// Calls fifty functions of libc, and says what each gave, as far as that is the same each
/// time. With a library of beside-hooks.c it writes into the file `uncounted` which of
/// them that has not counted.

#define _GNU_SOURCE
#include "beside.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#pragma weak beside_counts

#define SAY(name, value) printf("%s: %ld\n", #name, (long)(value))

static void use_files(void) {
  struct stat status;
  char bytes[64] = "";
  SAY(mkdir, mkdir("folder", 0755));
  SAY(chdir, chdir("folder"));
  SAY(getcwd, getcwd(bytes, 0) != NULL);
  char *folder = getcwd(NULL, 0);
  SAY(getcwd, folder != NULL && strcmp(strrchr(folder, '/'), "/folder") == 0);
  free(folder);
  int file = open("file", O_CREAT | O_RDWR, 0640);
  SAY(open, file >= 0);
  SAY(write, write(file, "contents", 8));
  SAY(lseek, lseek(file, 3, SEEK_SET));
  SAY(read, read(file, bytes, sizeof bytes));
  SAY(read, strcmp(bytes, "tents"));
  SAY(ftruncate, ftruncate(file, 4));
  SAY(fsync, fsync(file));
  SAY(fdatasync, fdatasync(file));
  SAY(fstat, fstat(file, &status));
  SAY(fstat, status.st_size);
  int other = dup(file);
  SAY(dup, other > file);
  SAY(dup2, dup2(file, other) == other);
  SAY(close, close(other));
  SAY(close, close(file));
  SAY(close, close(file));
  SAY(close, errno);
  SAY(chmod, chmod("file", 0600));
  SAY(stat, stat("file", &status));
  SAY(stat, status.st_mode & 0777);
  SAY(symlink, symlink("file", "link"));
  SAY(lstat, lstat("link", &status));
  SAY(lstat, S_ISLNK(status.st_mode));
  SAY(readlink, readlink("link", bytes, sizeof bytes));
  SAY(access, access("link", R_OK));
  SAY(access, access("absent", R_OK));
  file = openat(AT_FDCWD, "link", O_RDONLY, 0);
  SAY(openat, file >= 0);
  close(file);
  SAY(rename, rename("file", "renamed"));
  DIR *entries = opendir(".");
  SAY(opendir, entries != NULL);
  int count = 0;
  while (entries != NULL && readdir(entries) != NULL) count++;
  SAY(readdir, count);
  SAY(closedir, closedir(entries));
  FILE *stream = fopen("renamed", "r");
  SAY(fopen, stream != NULL);
  SAY(fgets, fgets(bytes, sizeof bytes, stream) != NULL && strcmp(bytes, "cont") == 0);
  SAY(fclose, fclose(stream));
  SAY(unlink, unlink("renamed"));
  SAY(unlink, unlink("link"));
  SAY(chdir, chdir(".."));
  SAY(rmdir, rmdir("folder"));
  int ends[2];
  SAY(pipe, pipe(ends));
  SAY(write, write(ends[1], "x", 1));
  SAY(read, read(ends[0], bytes, 1));
  close(ends[0]);
  close(ends[1]);
}

static void use_network(void) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_family = AF_INET}, *found = NULL;
  int result = getaddrinfo("127.0.0.1", "80", &hints, &found);
  SAY(getaddrinfo, result);
  if (result == 0) {
    SAY(getaddrinfo, found->ai_family == AF_INET);
    freeaddrinfo(found);
  }
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "absent"};
  int file = socket(AF_UNIX, SOCK_STREAM, 0);
  SAY(socket, file >= 0);
  SAY(connect, connect(file, (struct sockaddr *)&address, sizeof address));
  SAY(connect, errno);
  strcpy(address.sun_path, "socket");
  SAY(bind, bind(file, (struct sockaddr *)&address, sizeof address));
  close(file);
  SAY(unlink, unlink("socket"));
}

static void use_process(void) {
  struct timeval day;
  struct timespec moment, pause = {0, 1000000};
  SAY(getenv, getenv("BESIDE_ABSENT") == NULL && getenv("PATH") != NULL);
  SAY(getuid, getuid());
  SAY(geteuid, geteuid());
  SAY(getgid, getgid());
  struct passwd *user = getpwuid(0);
  SAY(getpwuid, user != NULL && strcmp(user->pw_name, "root") == 0);
  user = getpwnam("root");
  SAY(getpwnam, user != NULL && user->pw_uid == 0);
  struct group *group = getgrgid(0);
  SAY(getgrgid, group != NULL && strcmp(group->gr_name, "root") == 0);
  time_t now = time(NULL);
  SAY(time, now > 0);
  SAY(gettimeofday, gettimeofday(&day, NULL));
  SAY(gettimeofday, day.tv_sec - now <= 1);
  SAY(clock_gettime, clock_gettime(CLOCK_REALTIME, &moment));
  SAY(clock_gettime, moment.tv_sec - now <= 1);
  SAY(nanosleep, nanosleep(&pause, NULL));
}

static void use_memory(void) {
  char *volatile memory = malloc(100);
  SAY(malloc, memory != NULL);
  memory = realloc(memory, 200);
  SAY(realloc, memory != NULL);
  free(memory);
  char *volatile zeroed = calloc(3, 100);
  SAY(calloc, zeroed[299]);
  free(zeroed);
}

static void write_uncounted(void) {
  // Before we count on.
  struct beside_count counts[BESIDE_COUNT];
  for (int i = 0; i < BESIDE_COUNT; i++) counts[i] = beside_counts()[i];
  FILE *file = fopen("uncounted", "w");
  for (int i = 0; file != NULL && i < BESIDE_COUNT; i++)
    if (counts[i].count == 0) fprintf(file, "%s\n", counts[i].name);
  if (file != NULL) fclose(file);
}

int main(void) {
  use_files();
  use_network();
  use_process();
  use_memory();
  if (beside_counts != NULL) write_uncounted();
  return 0;
}
