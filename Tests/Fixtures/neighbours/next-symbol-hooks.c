/// A library with a replacement, and a function that the next library has too.

#define _GNU_SOURCE
#include "next-symbol.h"

int value(void);

const char *hooks_way = "next";
void *hooks_library;
int hooks_depth;

int hooks_value(void) {
  if (hooks_depth > 3) return -1000;
  hooks_depth++;
  function *behind = ask(hooks_way, "value", hooks_library);
  int result = 100 + (behind != NULL ? behind() : -1000);
  hooks_depth--;
  return result;
}

function *hooks_ask(const char *how, const char *name, void *library) {
  return ask(how, name, library);
}
int hooks_call(void) { return value(); }
int other(void) { return 3; }

/// Both are led to us as well: one in data, and one that code loads.
void *(*hooks_pointer)(void *, const char *) = dlsym;
void *(*hooks_address(void))(void *, const char *) { return dlsym; }
