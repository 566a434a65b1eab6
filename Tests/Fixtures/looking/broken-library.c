/// A library for the tests to break: it imports functions in each way, and defines
/// some.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pid_t (*broken_pointer)(void) = getppid;

pid_t broken_parent(void) { return getppid(); }
size_t broken_length(const char *string) { return strlen(string); }
void *broken_allocate(size_t size) { return calloc(1, size); }
pid_t broken_twice(void) { return broken_parent() + broken_pointer(); }
