#include <CModuleKit.h>
#include <RebindAnnotations.h>
#include <stdio.h>
#include <string.h>

static void set_up(void) { puts("  Tides is set up"); }
static void tear_down(void) { puts("  Tides is torn down"); }

static void handle(const char *event, const char *details) {
  printf("  Tides hears of %s: %s\n", event, details != NULL ? details : "");
}

static struct module_functions module = {set_up, NULL, tear_down, handle};

static unsigned char give_module(uint32_t request, void *result) {
  if (request != REBIND_REQUEST_POINTER) return 0;
  *(void **)result = &module;
  return 1;
}

REBIND_ANNOTATE_ACCESSOR(modules, "Tides", "normal", 30, give_module)

static int call(const char *method, const char *argument, char *answer, size_t size) {
  if (strcmp(method, "next") != 0) return 0;
  snprintf(answer, size, "High water at %s", argument);
  return 1;
}

static struct service_functions service = {call};

static unsigned char give_service(uint32_t request, void *result) {
  if (request != REBIND_REQUEST_POINTER) return 0;
  *(void **)result = &service;
  return 1;
}

REBIND_ANNOTATE_ACCESSOR(services, "Tides", "", 0, give_service)
