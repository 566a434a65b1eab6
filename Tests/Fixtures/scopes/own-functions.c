/// Functions that images have for themselves, and names that nothing has: a rebinding of them says
/// so, and fails where it is expected to reach something.

#include "steps.h"

__attribute__((noinline)) long price_of(long units) { return units * 7; }
static __attribute__((noinline, used)) long discount_of(long units) { return units / 2; }
long call_prices(long units);
long own_count = 3;

static long replacement(long units) { return units; }

// MARK: - Looking

static char found[8192];

static const char *name_of(const crebind_image_info *image) {
  return image->header == NULL ? "none" : image->soname[0] == 0 ? "main" : file_name(image->path);
}

static void add(const crebind_diagnosis *diagnosis, void *context) {
  (void)context;
  CHECK(crebind_reason_meaning(diagnosis->reason, diagnosis->detail)[0] != 0);
  snprintf(found + strlen(found), sizeof found - strlen(found), "%s:%d:%s ",
           name_of(&diagnosis->image), (int)diagnosis->reason, diagnosis->detail);
}

static void diagnose(const char *name) {
  crebind_rebinding rebinding = {.name = name};
  found[0] = 0;
  CHECK(crebind_diagnose(&rebinding, NULL, add, NULL, NULL) == CREBIND_OK);
}

static bool has(const char *text) { return strstr(found, text) != NULL; }

static void expect(const char *text) {
  if (!has(text)) fprintf(stderr, "expected '%s' in: %s\n", text, found);
  CHECK(has(text));
}

static void expect_diagnosis(const char *name, const char *text) {
  diagnose(name);
  expect(text);
}

static void expect_no_reason(const char *name, const char *text) {
  diagnose(name);
  CHECK(!has(text));
}

static void copy(const char *text, void *context) {
  (void)context;
  snprintf(found, sizeof found, "%s", text);
}

/// \param expected `@` stands for the program's file name.
static void explain_rebinding(crebind_rebinding rebinding, const crebind_options *options,
                              const char *expected) {
  char sentence[512] = "";
  for (; *expected != 0; expected++)
    snprintf(sentence + strlen(sentence), sizeof sentence - strlen(sentence), "%.*s",
             *expected == '@' ? 256 : 1,
             *expected == '@' ? program_invocation_short_name : expected);
  CHECK(crebind_explain(&rebinding, options, copy, NULL, NULL) == CREBIND_OK);
  if (strcmp(found, sentence) != 0)
    fprintf(stderr, "expected: %s\nfound:    %s\n", sentence, found);
  CHECK(strcmp(found, sentence) == 0);
}

static void explain(const char *name, const crebind_options *options, const char *expected) {
  explain_rebinding((crebind_rebinding){.name = name}, options, expected);
}

// MARK: - Applying

/// Applies a batch of a name that is reached and of this one, which has nothing changed if it fails.
static crebind_status apply(const char *name, crebind_options options, crebind_report *report) {
  void *original = NULL;
  crebind_rebinding batch[] = {{.name = "call_prices", .replacement = (void *)replacement},
                               {.name = name,
                                .replacement = (void *)replacement,
                                .original = &original}};
  crebind_handle *handle = NULL;
  crebind_error error;
  crebind_status status = crebind_apply(batch, 2, &options, &handle, report, &error);
  CHECK((call_prices(1) == 1) == (status == CREBIND_OK));
  if (status == CREBIND_OK) {
    RESTORE(handle);
  } else {
    CHECK(handle == NULL);
    CHECK(error.rebinding == (status == CREBIND_INVALID_ARGUMENT ? -1 : 1));
  }
  CHECK(call_prices(1) == 15);
  return status;
}

static crebind_status expecting(const char *name, crebind_expectation expectation) {
  return apply(name, (crebind_options){.expects = expectation}, NULL);
}

static void check_applying(void) {
  crebind_report report;
  const char *nowhere[] = {"no_such_price", "discount_of", "hidden_price"};
  for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
    CHECK(expecting(nowhere[i], CREBIND_EXPECT_DEFINED) == CREBIND_UNDEFINED);
    CHECK(expecting(nowhere[i], CREBIND_EXPECT_LATER) == CREBIND_OK);
    CHECK(apply(nowhere[i], (crebind_options){.expects = CREBIND_EXPECT_NOTHING}, &report)
          == CREBIND_OK);
    CHECK(report.unreached == 1 && report.pending == 1 && report.changed != 0);
  }
  // It may be bound to later.
  CHECK(apply("unused_price", (crebind_options){.expects = CREBIND_EXPECT_DEFINED}, &report)
        == CREBIND_OK);
  CHECK(report.unreached == 1 && report.pending == 0);
  CHECK(apply("getpid", (crebind_options){.expects = CREBIND_EXPECT_DEFINED}, &report)
        == CREBIND_OK);
  CHECK(report.unreached == 0);
  // Nothing comes later.
  const crebind_options closed[] = {
      {.expects = CREBIND_EXPECT_DEFINED, .loaded_images_only = true},
      {.expects = CREBIND_EXPECT_LATER, .loaded_images_only = true},
      {.expects = CREBIND_EXPECT_DEFINED, .scope = CREBIND_SCOPE_MAIN},
      {.expects = CREBIND_EXPECT_LATER, .scope = CREBIND_SCOPE_MAIN},
  };
  for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
    CHECK(apply("unused_price", closed[i], NULL) == CREBIND_UNREACHED);
    // Then it does not help to say that it may come later.
    CHECK(apply("price_of", closed[i], NULL) == CREBIND_UNREACHED);
    CHECK(apply("no_such_price", closed[i], NULL) == CREBIND_UNREACHED);
    CHECK(apply("getpid", closed[i], NULL) == CREBIND_OK);
  }
  // A version that nothing has.
  CHECK(expecting("getpid@NO_SUCH_1.0", CREBIND_EXPECT_DEFINED) == CREBIND_UNDEFINED);
  // A weak reference that nothing defines has a slot, which stays NULL.
  CHECK(expecting("weak_price", CREBIND_EXPECT_DEFINED) == CREBIND_UNDEFINED);
  CHECK(expecting("weak_price", CREBIND_EXPECT_LATER) == CREBIND_OK);
  crebind_rebinding later[] = {
      {.name = "no_such_price", .replacement = (void *)replacement, .may_come_later = true},
      {.name = "no_such_prize", .replacement = (void *)replacement}};
  crebind_options options = {.expects = CREBIND_EXPECT_DEFINED};
  crebind_handle *handle;
  crebind_error error;
  CHECK(crebind_apply(later, 2, &options, &handle, NULL, &error) == CREBIND_UNDEFINED);
  CHECK(error.rebinding == 1);
  RESTORE(APPLY(later, 1, &options, NULL));
  CHECK(expecting("getpid", (crebind_expectation)3) == CREBIND_INVALID_ARGUMENT);
}

// MARK: -

/// The program exports its functions.
static void check_exported(void) {
  crebind_options in_main = {.scope = CREBIND_SCOPE_MAIN};
  expect_diagnosis("price_of", "main:3: none:2: ");
  CHECK(!has("none:8:"));
  explain("price_of", &in_main,
          "price_of is linked into @ itself and has no slot: make it a dynamic library");
  expect_diagnosis("own_count", "main:3:data ");
  CHECK(expecting("price_of", CREBIND_EXPECT_DEFINED) == CREBIND_OK);
}

/// The program's symbols can be read.
static void check_symbols(void) {
  CHECK(expecting("price_of", CREBIND_EXPECT_DEFINED) == CREBIND_UNDEFINED);
  expect_diagnosis("price_of", "main:3:unexported ");
  CHECK(!has("none:8:"));
  expect_diagnosis("discount_of", "main:3:local ");
  explain("price_of", NULL,
          "price_of is linked into @ itself and has no slot: make it a dynamic "
          "library");
  explain("discount_of", NULL,
          "discount_of is static in @, or made local there, and has no slot: have a "
          "dynamic library export it");
  expect_diagnosis("own_count", "main:3:data ");
  CHECK(!has("none:8:"));
  explain("own_count", NULL, "own_count is data of @, not a function");
  // A static function of any library is not what was meant.
  expect_diagnosis("local_price", "none:8: ");
  explain("local_price", NULL,
          "no loaded image imports or defines local_price, but libprices.so has a function of "
          "that name for itself (static, or made local): check the spelling, or load its library first");
  explain("cal_prices", NULL,
          "no loaded image imports or defines cal_prices: did you mean call_prices "
          "(libprices.so)?");
  explain("no_such_price", NULL,
          "no loaded image imports or defines no_such_price: check the spelling, or load its "
          "library first");
}

/// They cannot.
static void check_stripped(void) {
  expect_diagnosis("price_of", "main:13:stripped none:2: none:8: ");
  explain("price_of", NULL,
          "no loaded image imports or defines price_of, but @ may have it for itself "
          "(it is stripped): check the spelling, or load its library first");
  explain("cal_prices", NULL,
          "no loaded image imports or defines cal_prices, but @ may have it for itself "
          "(it is stripped): did you mean call_prices (libprices.so)?");
  expect_no_reason("own_price", ":13:");
}

int main(int count, char **arguments) {
  CHECK(price_of(1) == 7 && discount_of(2) == 1 && call_prices(1) == 15 && getpid() != 1);
  bool is_stripped = count > 1 && strcmp(arguments[1], "stripped") == 0;
  bool is_exported = count > 1 && strcmp(arguments[1], "exported") == 0;
  is_exported ? check_exported() : is_stripped ? check_stripped() : check_symbols();

  // GNU ld makes hidden symbols local and forgets their visibility.
  diagnose("hidden_price");
  if (!has("libprices.so:3:local ")) {
    expect("libprices.so:3:hidden none:2: ");
    explain("hidden_price", NULL,
            "hidden_price is hidden in libprices.so and has no slot: have a dynamic library export "
            "it");
  }
  expect_diagnosis("local_price", "libprices.so:3:local ");
  expect_diagnosis("protected_price", "libprices.so:3:protected none:2: ");
  expect_diagnosis("own_price", "libprices.so:3:-Bsymbolic ");
  explain("own_price", NULL,
          "no image in scope imports own_price: libprices.so defines it (-Bsymbolic), and its own "
          "calls, if it makes any, go through no slot");
  expect_diagnosis("call_prices", "main:1: ");

  // The nearest names alone, and none for what is too short to be misspelt.
  expect_diagnosis("protected_pirce", "libprices.so:14:protected_price ");
  expect_diagnosis("unsued_pric", "libprices.so:14:unused_price ");
  expect_no_reason("unsued_pri", ":14:");
  expect_no_reason("zq", ":14:");
  crebind_options in_main = {.scope = CREBIND_SCOPE_MAIN};
  explain("unused_price", &in_main,
          "no image in scope imports unused_price; widen the scope to serve images that come later");

  expect_diagnosis("untyped_price", "libprices.so:3:-Bsymbolic none:2: ");
  expect_diagnosis("unused_count", "libprices.so:3:data none:2: ");
  explain("unused_count", NULL, "unused_count is data of libprices.so, not a function");
  expect_diagnosis("weak_price", "libprices.so:10:weak ");
  CHECK(!has("none:2:"));
  explain("weak_price", NULL,
          "no slot for weak_price can be changed: libprices.so asks for it, but nothing defines it");
  explain_rebinding((crebind_rebinding){.name = "unused_price", .library = "libother.so"}, NULL,
                    "libprices.so exports unused_price, but libother.so does not");
  explain("unused_price@V1", NULL, "libprices.so exports unused_price, but not in version V1");
  explain_rebinding((crebind_rebinding){.name = "unused_price", .version = "V1"}, &in_main,
                    "libprices.so exports unused_price, but not in version V1");
  CHECK(expecting("unused_price@V1", CREBIND_EXPECT_DEFINED) == CREBIND_UNDEFINED);
  crebind_options in_data = {.scope = CREBIND_SCOPE_MAIN, .slot_kinds = CREBIND_ABSOLUTE};
  explain("getpid", &in_data,
          "the slots for getpid in @ are of kinds that the scope leaves out: widen the scope");
  check_applying();
  puts("own functions");
}
