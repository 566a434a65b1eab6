/// Later images reach definitions that cannot be redirected all the same, through the notice. These
/// are functions that assembly left without a type, data, absolute symbols, and the loader's own.
///
/// Usage: unseen-kinds PLUGIN

#if defined(LIBRARY)

int counter = 1;
__asm__(".pushsection .text\n"
        ".globl untyped\n"
        "untyped:\n"
#if defined(__x86_64__) || defined(__i386__)
        "  mov $7, %eax\n"
        "  ret\n"
#elif defined(__aarch64__)
        "  mov w0, 7\n"
        "  ret\n"
#else
#error "Write the function for this machine."
#endif
        ".popsection\n");

#elif defined(PLUGIN)

extern int counter;
int untyped(void);
int *plugin_counter(void) { return &counter; }
int plugin_call(void) { return untyped(); }
__thread int plugin_local = 5;
int plugin_read(void) { return plugin_local; }

#else

#include "steps.h"

static int (*original_untyped)(void);
static int hook_untyped(void) { return 100 + original_untyped(); }
static int replacement_counter = 2;
static int *original_counter;

static int asked;
static void *(*original_address)(void *);
/// Not to keep the stack aligned would be the caller's fault: this is a tail call.
static void *hook_address(void *index) {
  asked++;
  return original_address(index);
}

int untyped(void);
extern int counter;

static crebind_handle *apply(crebind_rebinding rebinding) {
  crebind_report report;
  crebind_handle *handle = APPLY(&rebinding, 1, NULL, &report);
  CHECK(report.pending == 0);
  return handle;
}

/// Each alone: the notice that one has asked for would serve the others as well.
static void restore(crebind_handle *handle, void *plugin) {
  RESTORE(handle);
  CHECK(dlclose(plugin) == 0);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2 && untyped() == 7);
  void *plugin;
  crebind_handle *handle = apply((crebind_rebinding){.name = "untyped",
                                                     .replacement = (void *)hook_untyped,
                                                     .original = (void **)&original_untyped});
#ifdef __GLIBC__
  plugin = OPEN(argv[1], RTLD_LAZY);
  CHECK(CALL(plugin, "plugin_call") == 107);
  restore(handle, plugin);
  handle = apply((crebind_rebinding){.name = "counter",
                                     .replacement = &replacement_counter,
                                     .original = (void **)&original_counter});
  CHECK(*original_counter == 1);
  plugin = OPEN(argv[1], RTLD_LAZY);
  CHECK(((int *(*)(void))FIND(plugin, "plugin_counter"))() == &replacement_counter);
  restore(handle, plugin);
#else  // musl unloads nothing: one image has to do
  crebind_handle *other = apply((crebind_rebinding){.name = "counter",
                                                    .replacement = &replacement_counter,
                                                    .original = (void **)&original_counter});
  plugin = OPEN(argv[1], RTLD_LAZY);
  CHECK(CALL(plugin, "plugin_call") == 107);
  CHECK(((int *(*)(void))FIND(plugin, "plugin_counter"))() == &replacement_counter);
  restore(handle, plugin);
  restore(other, plugin);
#endif
#if defined(__GLIBC__) && defined(__x86_64__)
  handle = apply((crebind_rebinding){.name = "__tls_get_addr",
                                     .replacement = (void *)hook_address,
                                     .original = (void **)&original_address});
  plugin = OPEN(argv[1], RTLD_LAZY);
  int before = asked;
  CHECK(CALL(plugin, "plugin_read") == 5 && asked > before);
  restore(handle, plugin);
#endif
  (void)hook_address;
  printf("served by the notice\n");
}

#endif
