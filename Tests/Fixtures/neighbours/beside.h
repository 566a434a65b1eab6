/// Fifty functions of libc that people interpose: NAME, what it returns, its parameters
/// and its arguments. `FUNCTIONS(X, V)`: V has those that return nothing.

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS(X, V)                                                                        \
  X(open, int, (const char *path, int flags, mode_t mode), (path, flags, mode))                \
  X(openat, int, (int folder, const char *path, int flags, mode_t mode),                       \
    (folder, path, flags, mode))                                                               \
  X(close, int, (int file), (file))                                                            \
  X(read, ssize_t, (int file, void *bytes, size_t size), (file, bytes, size))                  \
  X(write, ssize_t, (int file, const void *bytes, size_t size), (file, bytes, size))           \
  X(lseek, off_t, (int file, off_t offset, int whence), (file, offset, whence))                \
  X(ftruncate, int, (int file, off_t size), (file, size))                                      \
  X(fsync, int, (int file), (file))                                                            \
  X(fdatasync, int, (int file), (file))                                                        \
  X(dup, int, (int file), (file))                                                              \
  X(dup2, int, (int file, int other), (file, other))                                           \
  X(pipe, int, (int files[2]), (files))                                                        \
  X(stat, int, (const char *path, struct stat *status), (path, status))                        \
  X(lstat, int, (const char *path, struct stat *status), (path, status))                       \
  X(fstat, int, (int file, struct stat *status), (file, status))                               \
  X(access, int, (const char *path, int mode), (path, mode))                                   \
  X(chmod, int, (const char *path, mode_t mode), (path, mode))                                 \
  X(readlink, ssize_t, (const char *path, char *target, size_t size), (path, target, size))    \
  X(symlink, int, (const char *target, const char *path), (target, path))                      \
  X(mkdir, int, (const char *path, mode_t mode), (path, mode))                                 \
  X(rmdir, int, (const char *path), (path))                                                    \
  X(unlink, int, (const char *path), (path))                                                   \
  X(rename, int, (const char *path, const char *other), (path, other))                         \
  X(chdir, int, (const char *path), (path))                                                    \
  X(getcwd, char *, (char *path, size_t size), (path, size))                                   \
  X(opendir, DIR *, (const char *path), (path))                                                \
  X(readdir, struct dirent *, (DIR * folder), (folder))                                        \
  X(closedir, int, (DIR * folder), (folder))                                                   \
  X(fopen, FILE *, (const char *path, const char *mode), (path, mode))                         \
  X(fclose, int, (FILE * file), (file))                                                        \
  X(getenv, char *, (const char *name), (name))                                                \
  X(getuid, uid_t, (void), ())                                                                 \
  X(geteuid, uid_t, (void), ())                                                                \
  X(getgid, gid_t, (void), ())                                                                 \
  X(getpwuid, struct passwd *, (uid_t user), (user))                                           \
  X(getpwnam, struct passwd *, (const char *name), (name))                                     \
  X(getgrgid, struct group *, (gid_t group), (group))                                          \
  X(socket, int, (int domain, int type, int protocol), (domain, type, protocol))               \
  X(connect, int, (int file, const struct sockaddr *address, socklen_t size),                  \
    (file, address, size))                                                                     \
  X(bind, int, (int file, const struct sockaddr *address, socklen_t size),                     \
    (file, address, size))                                                                     \
  X(getaddrinfo, int,                                                                          \
    (const char *node, const char *service, const struct addrinfo *hints,                      \
     struct addrinfo **found),                                                                 \
    (node, service, hints, found))                                                             \
  V(freeaddrinfo, (struct addrinfo * found), (found))                                          \
  X(time, time_t, (time_t * now), (now))                                                       \
  X(gettimeofday, int, (struct timeval * now, void *zone), (now, zone))                        \
  X(clock_gettime, int, (clockid_t clock, struct timespec *now), (clock, now))                 \
  X(nanosleep, int, (const struct timespec *pause, struct timespec *left), (pause, left))      \
  X(malloc, void *, (size_t size), (size))                                                     \
  X(calloc, void *, (size_t count, size_t size), (count, size))                                \
  X(realloc, void *, (void *memory, size_t size), (memory, size))                              \
  V(free, (void *memory), (memory))

struct beside_count {
  const char *name;
  unsigned long count;
};

enum { BESIDE_COUNT = 50 };

/// The counts of the preloaded library.
const struct beside_count *beside_counts(void);
