/// A library with a function of its own, a caller that goes through a slot, and one that
/// asks for it.

#define _GNU_SOURCE
#include <dlfcn.h>

int library_variable;
int library_function(int number) { return number + 1; }
int library_call(int number) { return library_function(number); }
int library_find(int number) {
  return ((int (*)(int))dlsym(RTLD_DEFAULT, "library_function"))(number);
}
