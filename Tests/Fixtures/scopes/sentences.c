/// Each outcome has a text of its own, and each reason that nothing happened a sentence. The
/// findings of the diagnosis, and the results of apply, are made up here.

#include "steps.h"

// MARK: - Texts

static void expect_texts(const char *(*text)(int), int first, int end) {
  for (int i = first; i < end; i++) {
    CHECK(text(i) != NULL && strncmp(text(i), "unknown", 7) != 0);
    for (int j = first; j < i; j++) CHECK(strcmp(text(i), text(j)) != 0);
  }
  CHECK(strncmp(text(end), "unknown", 7) == 0 && strncmp(text(99), "unknown", 7) == 0);
}

static const char *status_text(int i) {
  return crebind_status_description((crebind_status)i);
}
static const char *fault_text(int i) {
  return crebind_record_fault_description((crebind_record_fault)i);
}
static const char *reason_text(int i) {
  return crebind_reason_meaning((crebind_reason)i, i % 2 == 0 ? "" : NULL);
}

// MARK: - The sentence

enum { MOST = 5 };

/// A made-up diagnosis: reasons, each with an image and a detail.
struct finding {
  crebind_reason reason;
  /// NULL for none; "/..." is a path without a soname, "" the program.
  const char *image, *detail;
};
static const struct finding *findings;
static crebind_status look_status, diagnosis_status;
static const char header;

WRAPPED(crebind_status, crebind_images, crebind_image_visitor *visit, void *context,
        crebind_error *error) {
  (void)error;
  crebind_image_contents image = {.info = {.path = "", .soname = "", .header = &header}};
  visit(&image, context);
  image.is_main = true;
  visit(&image, context);
  return look_status;
}

WRAPPED(crebind_status, crebind_diagnose, const crebind_rebinding *rebinding,
        const crebind_options *options, crebind_diagnosis_visitor *visit, void *context,
        crebind_error *error) {
  (void)rebinding, (void)options, (void)error;
  for (const struct finding *finding = findings; finding->reason != 0; finding++) {
    const char *image = finding->image != NULL ? finding->image : "";
    crebind_diagnosis diagnosis = {
        .reason = finding->reason, .image = {.path = "", .soname = ""}, .detail = finding->detail};
    if (image[0] == '/')
      diagnosis.image.path = image;
    else
      diagnosis.image.soname = image;
    static const char other = 0;
    if (finding->image != NULL) diagnosis.image.header = image[0] == 0 ? &header : &other;
    visit(&diagnosis, context);
  }
  return diagnosis_status;
}

static char text[4096];
static void keep_text(const char *sentence, void *context) {
  (void)context;
  CHECK(text[0] == 0);
  strcpy(text, sentence);
}

#define IS(...) ((const struct finding[MOST + 1]){__VA_ARGS__})
#define R(reason) CREBIND_REASON_##reason

struct sentence {
  const struct finding *findings;
  /// "f" unless given.
  const char *name, *version, *library, *expected;
  const void *definer;
};

static void expect_sentence(const struct sentence *sentence, const crebind_options *options) {
  findings = sentence->findings;
  crebind_rebinding rebinding = {.name = sentence->name != NULL ? sentence->name : "f",
                                 .version = sentence->version, .library = sentence->library,
                                 .definer = sentence->definer};
  text[0] = 0;
  CHECK(crebind_explain(&rebinding, options, keep_text, NULL, NULL) == CREBIND_OK);
  if (strcmp(text, sentence->expected) != 0)
    fprintf(stderr, "'%s', not '%s'\n", text, sentence->expected);
  CHECK(strcmp(text, sentence->expected) == 0);
}

static const struct sentence sentences[] = {
    {IS({R(STATIC_EXECUTABLE), NULL, ""}),
     .expected = "the program is statically linked, so its calls go through no slots"},
    {IS({R(HAS_SLOTS), "liba.so", ""}), .expected = "slots of liba.so lead to f"},
    {IS({R(NOT_IMPORTED), NULL, ""}, {R(HAS_SLOTS), "liba.so", ""}, {R(HAS_SLOTS), "/b", ""},
        {R(HAS_SLOTS), "", ""}),
     .expected = "slots of liba.so and 2 more lead to f"},
    {IS({R(OTHER_SCOPE), "liba.so", ""}),
     .expected = "liba.so calls its own f: rebind it in that image alone"},
    {IS({R(NOT_IN_SCOPE), "/x/b.so", "kind"}),
     .expected = "the slots for f in b.so are of kinds that the scope leaves out: widen the scope"},
    {IS({R(NOT_IN_SCOPE), "/x/b.so", ""}),
     .expected = "no image in scope has a slot for f, but b.so: widen the scope"},
    {IS({R(OTHER_VERSION), "liba.so", "V2"}),
     .expected = "no image in scope asks for that version of f: liba.so asks for V2"},
    {IS({R(OTHER_LIBRARY), "liba.so", "libb.so"}),
     .expected = "no image in scope is bound to that library's f: liba.so is bound to libb.so"},
    {IS({R(UNCHANGEABLE), "liba.so", "assigned"}),
     .expected = "no slot for f can be changed: liba.so has put another pointer in its place"},
    {IS({R(UNCHANGEABLE), "liba.so", "packed"}),
     .expected = "no slot for f can be changed: liba.so has relocations packed for Android, which "
                 "this loader does not apply"},
    {IS({R(UNCHANGEABLE), "liba.so", ""}),
     .expected = "no slot for f can be changed: liba.so has it in code, or unaligned"},
    {IS({R(UNCHANGEABLE), "liba.so", "weak"}),
     .expected = "no slot for f can be changed: liba.so asks for it, but nothing defines it"},
    {IS({R(NOT_DEFINED), "liba.so", "version"}), "f@@V2",
     .expected = "liba.so exports f, but not in version V2"},
    {IS({R(NOT_DEFINED), "liba.so", "version"}), "f@V2", "V3",
     .expected = "liba.so exports f, but not in version V3"},
    {IS({R(NOT_DEFINED), "liba.so", "library"}), "@f", .library = "libb.so",
     .expected = "liba.so exports @f, but libb.so does not"},
    {IS({R(NOT_DEFINED), "liba.so", "library"}), .definer = &header,
     .expected = "liba.so exports f, but the image that is asked for does not"},
    {IS({R(NOT_DEFINED), "liba.so", "library"}), .version = "V2",
     .expected = "liba.so exports f"},
    {IS({R(NOT_DEFINED), "liba.so", "version"}, {R(OTHER_NAME), "libb.so", "f64"}),
     .version = "V2",
     .expected = "liba.so exports f, but not in version V2; libb.so imports f64: rebind that"},
    {IS({R(NOT_DEFINED), NULL, ""}),
     .expected = "no loaded image imports or defines f: check the spelling, or load its library "
                 "first"},
    {IS({R(NOT_DEFINED), NULL, ""}, {R(MAY_BE_INSIDE), "liba.so", "stripped"}),
     .expected = "no loaded image imports or defines f, but liba.so may have it for itself (it is "
                 "stripped): check the spelling, or load its library first"},
    {IS({R(NOT_DEFINED), NULL, ""}, {R(MAY_BE_INSIDE), "liba.so", "unreadable"}),
     .expected = "no loaded image imports or defines f, but liba.so may have it for itself (its "
                 "file cannot be read): check the spelling, or load its library first"},
    {IS({R(NOT_DEFINED), NULL, ""}, {R(BOUND_INSIDE), "liba.so", "local"},
        {R(SIMILAR_NAME), "libb.so", "g"}, {R(SIMILAR_NAME), "libc.so", "h"}),
     .expected = "no loaded image imports or defines f, but liba.so has a function of that name "
                 "for itself (static, or made local): did you mean g (libb.so) or h (libc.so)?"},
    {IS({R(NOT_DEFINED), NULL, ""}, {R(SIMILAR_NAME), "liba.so", "$s1a1fyyF"}),
     .expected = "no loaded image imports or defines f, and Swift's functions have mangled names: "
                 "did you mean $s1a1fyyF (liba.so)?"},
    {IS({R(NOT_DEFINED), NULL, ""}, {R(SIMILAR_NAME), "liba.so", "g"}), "Cache.f(_:)",
     .expected = "no loaded image imports or defines Cache.f(_:): the symbols of Swift's functions "
                 "have mangled names, which rebind-inspect symbols --demangle=only lists"},
    {IS({R(NOT_DEFINED), NULL, ""}, {R(SIMILAR_NAME), "liba.so", "g"}), "Cache::f(int)",
     .expected = "no loaded image imports or defines Cache::f(int): did you mean g (liba.so)?"},
    {IS({R(NOT_DEFINED), NULL, ""}), "f@V(1)",
     .expected = "no loaded image imports or defines f@V(1): check the spelling, or load its "
                 "library first"},
    {IS({R(BOUND_INSIDE), "liba.so", "unexported"}),
     .expected = "f is linked into liba.so itself and has no slot: make it a dynamic library"},
    {IS({R(BOUND_INSIDE), "liba.so", "hidden"}),
     .expected = "f is hidden in liba.so and has no slot: have a dynamic library export it"},
    {IS({R(BOUND_INSIDE), "liba.so", "local"}),
     .expected = "f is static in liba.so, or made local there, and has no slot: have a dynamic "
                 "library export it"},
    {IS({R(BOUND_INSIDE), "liba.so", "data"}), .expected = "f is data of liba.so, not a function"},
    {IS({R(BOUND_INSIDE), "liba.so", "sanitizer"}),
     .expected = "no image in scope imports f: a sanitizer defines it in liba.so, whose calls go "
                 "through no slot"},
    {IS({R(BOUND_INSIDE), "liba.so", ""}, {R(BOUND_INSIDE), "libb.so", "hidden"}),
     .expected = "no image in scope imports f: liba.so defines it, and its own calls, if it makes "
                 "any, go through no slot"},
    {IS({R(BOUND_INSIDE), "liba.so", "-Bsymbolic"}),
     .expected = "no image in scope imports f: liba.so defines it (-Bsymbolic), and its own calls, "
                 "if it makes any, go through no slot"},
    {IS({R(NOT_IMPORTED), NULL, ""}, {R(OTHER_NAME), "liba.so", "f64"},
        {R(OTHER_NAME), "libb.so", "f64"}, {R(OTHER_NAME), "libb.so", "g"}),
     .expected = "no image in scope imports f; liba.so imports f64, libb.so g: rebind these"},
    {IS({R(NOT_IMPORTED), NULL, ""}, {R(OTHER_NAME), "liba.so", "a"},
        {R(OTHER_NAME), "liba.so", "b"}, {R(OTHER_NAME), "liba.so", "c"},
        {R(OTHER_NAME), "liba.so", "d"}),
     .expected = "no image in scope imports f; liba.so imports a, liba.so b, liba.so c: rebind "
                 "these"},
};

static const struct finding not_imported[] = {{R(NOT_IMPORTED), NULL, ""}, {0}};

static void check_sentences(void) {
  for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
    expect_sentence(&sentences[i], NULL);

  // Later images are in scope, or not.
  struct sentence later = {not_imported, .expected = "no image in scope imports f"};
  struct sentence never = {not_imported,
                           .expected = "no image in scope imports f; widen the scope to serve "
                                       "images that come later"};
  expect_sentence(&later, &(crebind_options){.scope = CREBIND_SCOPE_ALL});
  expect_sentence(&never, &(crebind_options){.loaded_images_only = true});
  expect_sentence(&never, &(crebind_options){.scope = CREBIND_SCOPE_MAIN});
  expect_sentence(&never, &(crebind_options){.scope = CREBIND_SCOPE_IMAGES});

  // The program has no path of its own, and a name may be too long to be cut.
  findings = IS({R(BOUND_INSIDE), "", ""});
  crebind_rebinding rebinding = {.name = "f"};
  text[0] = 0;
  CHECK(crebind_explain(&rebinding, NULL, keep_text, NULL, NULL) == CREBIND_OK);
  CHECK(strcmp(text, "f is linked into program itself and has no slot: make it a dynamic library")
        == 0);
  char name[400];
  memset(name, 'n', sizeof name - 3);
  strcpy(name + sizeof name - 3, "@V");
  char expected[500];
  snprintf(expected, sizeof expected, "liba.so exports %s", name);
  expect_sentence(&(struct sentence){IS({R(NOT_DEFINED), "liba.so", "library"}), name,
                                     .expected = expected}, NULL);

  // Failures say nothing.
  void *volatile nothing = NULL;
  text[0] = 0;
  CHECK(crebind_explain(nothing, NULL, keep_text, NULL, NULL) == CREBIND_INVALID_ARGUMENT);
  CHECK(crebind_explain(&rebinding, NULL, nothing, NULL, NULL) == CREBIND_INVALID_ARGUMENT);
  diagnosis_status = CREBIND_BUSY;
  CHECK(crebind_explain(&rebinding, NULL, keep_text, NULL, NULL) == CREBIND_BUSY);
  look_status = CREBIND_OUT_OF_MEMORY;
  CHECK(crebind_explain(&rebinding, NULL, keep_text, NULL, NULL) == CREBIND_OUT_OF_MEMORY);
  CHECK(text[0] == 0);
}

// MARK: - fishhook

static crebind_status apply_status;
WRAPPED(crebind_status, crebind_apply, const crebind_rebinding *rebindings, size_t count,
        const crebind_options *options, crebind_handle **result, crebind_report *report,
        crebind_error *error) {
  (void)rebindings, (void)count, (void)options, (void)result, (void)report;
  error->system_error = EXDEV;
  return apply_status;
}

static void expect_errno(crebind_status status, int expected) {
  struct rebinding rebinding = {"f", (void *)&header, NULL};
  apply_status = status;
  errno = 0;
  CHECK(rebind_symbols(&rebinding, 1) == (status == CREBIND_OK ? 0 : -1));
  CHECK(errno == expected);
}

static void check_fishhook(void) {
  const struct {
    crebind_status status;
    int expected;
  } others[] = {
      {CREBIND_OK, 0},           {CREBIND_STATIC_EXECUTABLE, ENOTSUP},
      {CREBIND_BUSY, EAGAIN},    {CREBIND_BROKEN_IMAGE, ENOEXEC},
      {CREBIND_SEALED, EXDEV},   {CREBIND_OUT_OF_MEMORY, ENOMEM},
      {CREBIND_PROTECTION, EXDEV}, {CREBIND_LEFT_OPEN, EXDEV},
      {CREBIND_NOT_TAKEN_BACK, EXDEV},
  };
  for (int status = 0; status <= CREBIND_EMPTY_NAME + 1; status++) {
    int expected = EINVAL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
      if (others[i].status == (crebind_status)status) expected = others[i].expected;
    expect_errno((crebind_status)status, expected);
  }
}

int main(void) {
  expect_texts(status_text, 0, CREBIND_EMPTY_NAME + 1);
  expect_texts(fault_text, 0, CREBIND_RECORD_ACCESSOR + 1);
  expect_texts(reason_text, 1, CREBIND_REASON_OTHER_SCOPE + 1);
  // A detail of files alone has no sentence of its own here, but one seen from outside.
  CHECK(crebind_reason_meaning(CREBIND_REASON_UNCHANGEABLE, "null")
        == crebind_reason_description(CREBIND_REASON_UNCHANGEABLE));
  CHECK(strcmp(crebind_reason_outside(CREBIND_REASON_UNCHANGEABLE, "null"),
               "the % asks for it, but its slots are NULL")
        == 0);
  CHECK(strcmp(crebind_reason_word(CREBIND_REASON_HAS_SLOTS), "has-slots") == 0);
  CHECK(strcmp(crebind_reason_word((crebind_reason)999), "unknown") == 0);
  CHECK(strcmp(crebind_reason_meaning(CREBIND_REASON_HAS_SLOTS, "data"),
               reason_text(CREBIND_REASON_HAS_SLOTS)) != 0);
  check_sentences();
  check_fishhook();
  puts("said");
}
