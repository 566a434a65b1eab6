/// A library that counts the calls of one function, as one writes it by hand for LD_PRELOAD.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdio.h>

static void (*original)(int);
static __thread unsigned long calls;

__attribute__((constructor)) static void find(void) {
  original = (void (*)(int))dlsym(RTLD_NEXT, "counted");
}

__attribute__((destructor)) static void print(void) { fprintf(stderr, "%lu calls\n", calls); }

void counted(int number) {
  calls++;
  original(number);
}
