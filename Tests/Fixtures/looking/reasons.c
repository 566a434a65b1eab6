/// From facts about an image to the reasons of `why`: each row has the facts, and the reasons that
/// follow, in their order.

#include "check.h"
#include "runtime/reasons.h"

#include <elf.h>
#include <string.h>

/// Collects `word detail slots` of each reason.
static void add(crebind_reason reason, const char *detail, size_t slots, void *text) {
  char *end = (char *)text + strlen(text);
  sprintf(end, "%s%s %s %zu", end == text ? "" : ", ", crebind_reason_word(reason), detail, slots);
}

static const struct crebind_fixed_slots fixed[] = {{1, "weak"}, {2, "assigned"}};

static const struct {
  struct crebind_image_facts facts;
  const char *reasons;
  /// The image's file may know more.
  bool is_open;
} images[] = {
    {{.is_in_scope = true}, "", true},
    {{.changeable = 0}, "", false},
    {{.changeable = 2, .in_data = 2, .definition = ""}, "not-in-scope  2", false},
    {{.is_in_scope = true, .changeable = 3, .in_data = 1}, "has-slots  3", false},
    {{.is_in_scope = true, .changeable = 3, .in_data = 3}, "has-slots data 3", false},
    // Code reaches its own definition past the pointers in data.
    {{.is_in_scope = true, .changeable = 1, .in_data = 1, .definition = "protected"},
     "has-slots data 1, bound-inside protected 0", false},
    {{.is_in_scope = true, .changeable = 1, .definition = "protected"}, "has-slots  1", false},
    {{.is_in_scope = true, .definition = "-Bsymbolic", .asks = true}, "bound-inside -Bsymbolic 0",
     false},
    {{.is_in_scope = true, .other_definition = "version", .asks = true}, "not-defined version 0",
     false},
    {{.is_in_scope = true, .asks = true}, "unchangeable  0", false},
    {{.is_in_scope = true, .asks = true, .is_packed = true}, "unchangeable packed 0", false},
    {{.is_in_scope = true, .is_packed = true, .changeable = 1},
     "has-slots  1, unchangeable packed 0", false},
    {{.is_in_scope = true, .fixed = fixed, .fixed_count = 2, .definition = ""},
     "unchangeable weak 1, unchangeable assigned 2", false},
    {{.is_in_scope = true, .other_kinds = 4, .definition = ""}, "not-in-scope kind 4", false},
    {{.is_in_scope = true, .other_kinds = 4, .changeable = 1}, "has-slots  1", false},
    {{.is_in_scope = true, .has_other_references = true, .definition = ""}, "", false},
    {{.is_in_scope = true, .left_alone = 2}, "other-scope  2", false},
    {{.is_in_scope = true, .sealed = 2}, "sealed  2", false},
    {{.is_in_scope = true, .changeable = 2, .to_be_sealed = 2},
     "has-slots  2, sealed requested 2", false},
    // Where calls bypass all slots, that is the answer.
    {{.is_in_scope = true, .changeable = 2, .bypassed = 2}, "bypassed  2, has-slots  2", false},
    {{.is_in_scope = true, .changeable = 2, .bypassed = 1}, "has-slots  2, bypassed  1", false},
    {{.is_in_scope = true, .changeable = 2, .may_be_bypassed = 1},
     "has-slots  2, bypassed possible 1", false},
};

static const struct {
  struct crebind_reference_facts facts;
  crebind_reason reason;
} references[] = {
    {{.is_defined = true}, 0},
    {{.asks_for_version = true, .has_version = true, .is_version = true}, 0},
    {{.asks_for_version = true, .has_version = true}, CREBIND_REASON_OTHER_VERSION},
    {{.asks_for_version = true}, CREBIND_REASON_UNCHANGEABLE},
    {{.asks_for_version = true, .is_defined = true}, CREBIND_REASON_OTHER_LIBRARY},
    {{.asks_for_version = true, .asks_for_library = true, .is_defined = true},
     CREBIND_REASON_OTHER_LIBRARY},
    {{.asks_for_version = true, .asks_for_library = true, .is_defined = true, .is_library = true},
     CREBIND_REASON_OTHER_VERSION},
    {{.asks_for_library = true, .is_defined = true, .is_library = true}, 0},
    {{.asks_for_library = true, .is_defined = true}, CREBIND_REASON_OTHER_LIBRARY},
    {{.asks_for_library = true}, 0},
};

static const struct {
  struct crebind_definition_facts facts;
  const char *detail;
} definitions[] = {
    {{.is_data = false}, ""},
    {{.is_symbolic = true}, "-Bsymbolic"},
    {{.is_symbolic = true, .is_protected = true}, "protected"},
    {{.is_data = true, .is_protected = true}, "data"},
    {{.is_data = true, .is_copied = true}, "copied"},
    {{.is_interceptor = true, .is_symbolic = true}, "sanitizer"},
};

static const struct {
  uint8_t type, binding, visibility;
  uint16_t section;
  const char *detail;
} symbols[] = {
    {STT_FUNC, STB_GLOBAL, STV_DEFAULT, 1, "unexported"},
    {STT_NOTYPE, STB_WEAK, STV_PROTECTED, 1, "unexported"},
    {STT_GNU_IFUNC, STB_LOCAL, STV_DEFAULT, 1, "local"},
    {STT_FUNC, STB_LOCAL, STV_HIDDEN, 1, "hidden"},
    {STT_FUNC, STB_GLOBAL, STV_INTERNAL, 1, "hidden"},
    {STT_OBJECT, STB_LOCAL, STV_HIDDEN, 1, "data"},
    {STT_COMMON, STB_GLOBAL, STV_DEFAULT, 1, "data"},
    {STT_TLS, STB_GLOBAL, STV_DEFAULT, 1, "data"},
    {STT_SECTION, STB_LOCAL, STV_DEFAULT, 1, NULL},
    {STT_FUNC, STB_GLOBAL, STV_DEFAULT, SHN_UNDEF, NULL},
    {STT_FUNC, STB_GLOBAL, STV_DEFAULT, SHN_ABS, NULL},
};

#define EACH(table) (size_t i = 0; i < sizeof table / sizeof *table; i++)

int main(void) {
  for EACH(images) {
    char text[256] = "";
    bool is_open = crebind_visit_reasons(&images[i].facts, add, text);
    if (strcmp(text, images[i].reasons) != 0) fprintf(stderr, "row %zu: %s\n", i, text);
    CHECK(strcmp(text, images[i].reasons) == 0 && is_open == images[i].is_open);
  }
  for EACH(references)
    CHECK(crebind_reason_of_reference(&references[i].facts) == references[i].reason);
  for EACH(definitions)
    CHECK(strcmp(crebind_detail_of_definition(&definitions[i].facts), definitions[i].detail) == 0);
  for EACH(symbols) {
    const char *detail = crebind_detail_of_own(crebind_own_of(
        symbols[i].type, symbols[i].binding, symbols[i].visibility, symbols[i].section));
    CHECK(detail == symbols[i].detail || strcmp(detail, symbols[i].detail) == 0);
  }
  CHECK(strcmp(crebind_detail_of_undefined(true), "weak") == 0
        && strcmp(crebind_detail_of_undefined(false), "undefined") == 0);
  puts("followed");
}
