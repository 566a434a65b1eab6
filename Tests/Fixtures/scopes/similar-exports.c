/// Exported functions with nearly the wanted name are listed, the best first, then by the alphabet. Of
/// several names for one address, the one that tells most is listed.
///
/// With -DLIBRARY a library of such names; a second one, with -DMORE as well. With -DCALLER one
/// that calls by several names.
///
/// Usage: similar-exports LIBRARY MORE CALLER

#ifdef LIBRARY
#ifdef MORE
int quite_similar_c(void) { return 3; }
int quite_similar_e(void) { return 11; }
int quite_similar_z(void) { return 12; }
int quite_similar_a(void) { return 1; }
#else
int quite_similar_d(void) { return 4; }
int quite_similar_b(void) { return 2; }
int quite_similar_a(void) { return 1; }
int quite_similar_ab(void) { return 5; }
int quite_similarxyz(void) { return 6; }
int quite_similar_data = 7;
/// Names for one address; those of the other one all have an underscore.
int _alias_first(void) { return 8; }
int alias_second(void) __attribute__((alias("_alias_first")));
int alias_third(void) __attribute__((alias("_alias_first")));
int _alias_fourth(void) __attribute__((alias("_alias_first")));
int _lone_first(void) { return 9; }
int _lone_second(void) __attribute__((alias("_lone_first")));
static int hidden_function(void) { return 10; }
int (*get_hidden(void))(void) { return hidden_function; }
/// Swift mangles shop.refunds() and shop.Store.otherReceipt() so.
int mangled_function(void) __asm__("$s4shop7refundsSiyF");
int mangled_function(void) { return 14; }
int mangled_method(void) __asm__("$s4shop5StoreV12otherReceiptSiyF");
int mangled_method(void) { return 15; }
/// With a suffix, and by the rules of Swift 4.
int mangled_with_suffix(void) __asm__("$s4shop5auditSiyF.7resumed");
int mangled_with_suffix(void) { return 17; }
int mangled_before(void) __asm__("$S4shop7voucherSiyF");
int mangled_before(void) { return 18; }
int refund(void) { return 16; }
#endif
#elif defined CALLER
int _alias_first(void), alias_second(void), alias_third(void);
__attribute__((weak)) int nobody_has_it(void);
int call_all(void);
int call_all(void) {
  return _alias_first() + alias_second() + alias_third() + (nobody_has_it ? nobody_has_it() : 0);
}
#else
#include "steps.h"

static char names[256];
static void add_name(const crebind_diagnosis *diagnosis, void *context) {
  (void)context;
  if (diagnosis->reason != CREBIND_REASON_SIMILAR_NAME) return;
  strcat(strcat(names, diagnosis->detail), " ");
}

static void expect_names(const char *name, const char *expected) {
  names[0] = 0;
  const crebind_rebinding rebinding = {.name = name};
  CHECK(crebind_diagnose(&rebinding, NULL, add_name, NULL, NULL) == CREBIND_OK);
  if (strcmp(names, expected) != 0) fprintf(stderr, "%s: %s\n", name, names);
  CHECK(strcmp(names, expected) == 0);
}

static void take_name(const crebind_target *target, void *context) {
  (void)context;
  strcpy(names, target->symbol);
}

/// \param start The start of the symbol's name; "" for any.
static void expect_symbol(void *address, const char *start) {
  names[0] = '-';
  CHECK(crebind_describe_address((uintptr_t)address, take_name, NULL, NULL) == CREBIND_OK);
  if (strncmp(names, start, strlen(start)) != 0) fprintf(stderr, "'%s', not '%s'\n", names, start);
  CHECK(strncmp(names, start, strlen(start)) == 0 && (names[0] == 0) == (start[0] == 0));
}

/// A slot's target has the slot's name, where that is one of the target's.
static void check_slot(const crebind_slot_contents *slot, void *context) {
  if (strstr(slot->symbol, "alias") == NULL) return;
  CHECK(strcmp(slot->target.symbol, slot->symbol) == 0);
  ++*(int *)context;
}

static const void *caller;
static void count_reason(const crebind_diagnosis *diagnosis, void *context) {
  if (diagnosis->image.header == caller) ++((int *)context)[diagnosis->reason];
}

static void expect_reason(const char *name, const char *version, const char *image,
                          crebind_reason reason) {
  int counts[CREBIND_REASON_SIMILAR_NAME + 1] = {0};
  const crebind_rebinding rebinding = {.name = name, .version = version, .library = image};
  CHECK(crebind_diagnose(&rebinding, NULL, count_reason, counts, NULL) == CREBIND_OK);
  for (int i = 1; i <= CREBIND_REASON_SIMILAR_NAME && counts[reason] == 0; i++)
    if (counts[i] != 0) fprintf(stderr, "%s: reason %d, not %d\n", name, i, reason);
  CHECK(counts[reason] == 1);
}

static void check_caller(const char *path, const char *definer) {
  void *library = dlopen(path, RTLD_NOW);
  CHECK(library != NULL);
  caller = crebind_image_containing(dlsym(library, "call_all"));
  int slots = 0;
  CHECK(crebind_image_slots(caller, true, check_slot, &slots, NULL) == CREBIND_OK && slots == 3);
  expect_reason("alias_second", NULL, NULL, CREBIND_REASON_HAS_SLOTS);
  expect_reason("alias_second", NULL, definer, CREBIND_REASON_HAS_SLOTS);
  expect_reason("alias_second", NULL, "libother.so", CREBIND_REASON_OTHER_LIBRARY);
  expect_reason("alias_second", "V1", NULL, CREBIND_REASON_OTHER_LIBRARY);
  expect_reason("alias_second", "V1", definer, CREBIND_REASON_OTHER_VERSION);
  expect_reason("alias_second", "V1", "libother.so", CREBIND_REASON_OTHER_LIBRARY);
  expect_reason("nobody_has_it", NULL, NULL, CREBIND_REASON_UNCHANGEABLE);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  CHECK(library != NULL);
  expect_names("quite_similar_x", "quite_similar_a quite_similar_b quite_similar_d ");
  CHECK(dlopen(argv[2], RTLD_NOW) != NULL);
  // The fourth one by the alphabet is left out, and one that two libraries have is named once.
  expect_names("quite_similar_x", "quite_similar_a quite_similar_b quite_similar_c ");
  expect_names("quite_similar_aa", "quite_similar_a quite_similar_ab ");
  expect_names("quite_similarxy", "quite_similarxyz ");
  expect_names("qu", "");
  expect_names("quite_other", "");
  expect_names("refunds", "$s4shop7refundsSiyF ");
  expect_names("otherReceipt", "$s4shop5StoreV12otherReceiptSiyF ");
  expect_names("resumed", "$s4shop5auditSiyF.7resumed ");
  expect_names("voucher", "");
  // Not 2otherReceipt behind another figure, and no part of an identifier.
  expect_names("refundsSiyF", "");
  expect_names("refundz", "refund ");
  expect_symbol(dlsym(library, "_alias_first"), "alias_");
  expect_symbol(dlsym(library, "_lone_first"), "_lone_");
  expect_symbol(dlsym(library, "quite_similar_d"), "quite_similar_d");
  expect_symbol(((void *(*)(void))dlsym(library, "get_hidden"))(), "");
  expect_symbol(&argc, "");
  check_caller(argv[3], argv[1]);
  puts("named");
}
#endif
