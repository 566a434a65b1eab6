// Three annotations, and a section of pointers: what a file has to be read for.
#include <RebindAnnotations.h>

static unsigned char accessor(uint32_t request, void *result) {
  (void)request;
  (void)result;
  return 0;
}

REBIND_ANNOTATE(modules, "Mail")
REBIND_ANNOTATE_VALUE(services, "mail", "Mail Service", 10)
REBIND_ANNOTATE_ACCESSOR(services, "calendar", "", -3, accessor)

int exported = 4;
#ifdef WITH_UNDEFINED
extern int imported;
#else
int imported;
#endif

#define IN_NAMES __attribute__((section("names"), used, retain)) static
IN_NAMES const char *first = "first name";
IN_NAMES const char *second = "second";
IN_NAMES int *third = &exported;
IN_NAMES int *fourth = &imported;
IN_NAMES void *fifth = 0;

#ifdef WITH_MAIN
#include <stdio.h>
int main(void) {
  puts("ready");
  fflush(stdout);
  getchar();
  return 0;
}
#endif
