/// The rebound functions: those of the C library that most images import first. The benchmark
/// itself calls none of them while they are rebound.

#ifndef NAMES_H
#define NAMES_H

enum { NAME_COUNT = 100 };

static const char *const names[NAME_COUNT] = {
    "memcpy", "strlen", "free", "malloc", "strcmp", "memset", "memmove", "realloc", "calloc",
    "memcmp", "strchr", "fclose", "close", "strncmp", "fwrite", "getenv", "strtol", "strdup",
    "strcpy", "read", "abort", "strrchr", "fopen", "strncpy", "open", "write", "exit", "strstr",
    "fflush", "fputc", "strerror", "qsort", "fread", "strtoul", "pthread_mutex_lock",
    "pthread_mutex_unlock", "getpid", "time", "stat", "sysconf", "memchr", "fstat", "munmap",
    "fputs", "fgets", "strcasecmp", "fcntl", "closedir", "opendir", "getuid",
    "pthread_mutex_init", "ferror", "stpcpy", "gettimeofday", "feof", "unlink", "fileno",
    "socket", "mmap", "readdir", "geteuid", "ioctl", "pthread_mutex_destroy", "fdopen", "dlsym",
    "access", "snprintf", "sigaction", "lseek", "connect", "strspn", "readlink", "mkdir",
    "isatty", "strtod", "strcspn", "dlopen", "waitpid", "sigemptyset", "rename", "fork",
    "dlclose", "select", "pthread_once", "pthread_create", "poll", "fseek", "dup2", "strftime",
    "setsockopt", "pthread_join", "localtime_r", "getsockopt", "uname", "strpbrk", "setlocale",
    "pipe", "kill", "gmtime_r", "puts",
};

#endif
