// The treatment of sections that somebody fills by hand. SECTION is the section's name.
//
//   STRIDE    records of 40 bytes: prints the distance from one to the next
//   WEAK      nothing is in the section: prints whether the linker defines its start
//   UNUSED    records that nothing refers to, with KEPT as their attributes: prints how
//             many there are left
//
// ALIGNED are further attributes; HIDDEN is the visibility of what the linker defines.

#include <stdio.h>

#ifndef ALIGNED
#define ALIGNED
#endif

struct record {
  char bytes[40];
};

#define IN_SECTION(...) __attribute__((section(SECTION), __VA_ARGS__))

#ifdef STRIDE
IN_SECTION(used ALIGNED) static const struct record first = {"first"}, second = {"second"};

int main(void) {
  printf("%d\n", (int)((const char *)&second - (const char *)&first));
  return 0;
}
#endif

#ifdef WEAK
#ifdef HIDDEN
#pragma GCC visibility push(hidden)
#endif
extern const char __start_entries[] __attribute__((weak));

int main(void) {
  // Asked of memory: a compiler knows better what an array's address is.
  const char *volatile start = __start_entries;
  puts(start == NULL ? "null" : "not null");
  return 0;
}
#endif

#ifdef UNUSED
IN_SECTION(KEPT, aligned(8)) static const struct record first = {"first"}, second = {"second"};
extern const struct record __start_entries[] __attribute__((weak));
extern const struct record __stop_entries[] __attribute__((weak));

int main(void) {
  printf("%d\n", (int)(__stop_entries - __start_entries));
  return 0;
}
#endif
