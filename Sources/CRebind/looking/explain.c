/// One sentence for a rebinding that no slot leads to: why, and what to do.

#if defined(__linux__)
#define _GNU_SOURCE
#include "runtime/status.h"
#include "world/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

/// A reason with its image and its detail, which are offsets.
struct reason {
  crebind_reason reason;
  size_t image, detail;
  bool is_of_program;
};

struct explanation {
  /// The symbol as it was asked for.
  const char *name;
  const crebind_rebinding *rebinding;
  /// The scope has images that are loaded later.
  bool serves_later_images;
  /// The program's ELF header.
  const void *program;
  struct crebind_vector reasons;  // struct reason
  struct crebind_strings strings;
  /// The sentence.
  struct crebind_vector text;  // char
  bool lacks_memory;
};

// MARK: - Collecting

/// The file name of the program, which glibc's loader gives no path.
static void find_program_name(char *name, size_t room) {
  long length = crebind_system_call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", name, room - 1);
  name[crebind_has_failed(length) ? 0 : length] = 0;
}

static size_t add_image(struct crebind_strings *strings, const crebind_image_info *image) {
  char path[4096];
  if (image->header == NULL) return 0;
  if (image->soname[0] != 0) return crebind_strings_add(strings, image->soname);
  if (image->path[0] == 0) find_program_name(path, sizeof path);
  const char *name = crebind_basename(image->path[0] == 0 ? path : image->path);
  return crebind_strings_add(strings, name[0] == 0 ? "the program" : name);
}

static void find_program(const crebind_image_contents *image, void *context) {
  struct explanation *explanation = context;
  if (image->is_main) explanation->program = image->info.header;
}

static void add_reason(const crebind_diagnosis *diagnosis, void *context) {
  struct explanation *explanation = context;
  struct reason *reason = crebind_vector_append(&explanation->reasons, 1);
  if (reason == NULL) {
    explanation->lacks_memory = true;
    return;
  }
  reason->reason = diagnosis->reason;
  const void *header = diagnosis->image.header;
  reason->is_of_program = header != NULL && header == explanation->program;
  reason->image = add_image(&explanation->strings, &diagnosis->image);
  reason->detail = crebind_strings_add(&explanation->strings, diagnosis->detail);
}

// MARK: - Writing

static void say(struct explanation *explanation, const char *text) {
  size_t length = crebind_length(text);
  if (length == 0) return;
  char *room = crebind_vector_append(&explanation->text, length);
  if (room == NULL)
    explanation->lacks_memory = true;
  else
    memcpy(room, text, length);
}

/// Says each text up to a NULL.
static void say_all(struct explanation *explanation, const char *const texts[]) {
  for (; *texts != NULL; texts++) say(explanation, *texts);
}

#define SAY(...) say_all(explanation, (const char *const[]){__VA_ARGS__, NULL})

static const char *image_of(const struct explanation *explanation, const struct reason *reason) {
  return crebind_strings_at(&explanation->strings, reason->image);
}

static const char *detail_of(const struct explanation *explanation, const struct reason *reason) {
  return crebind_strings_at(&explanation->strings, reason->detail);
}

/// The first reason of a kind with this detail, NULL for any; NULL without one.
static const struct reason *find(const struct explanation *explanation, crebind_reason kind,
                                 const char *detail) {
  for (size_t i = 0; i < explanation->reasons.count; i++) {
    const struct reason *reason = crebind_vector_at(&explanation->reasons, i);
    if (reason->reason == kind
        && (detail == NULL || crebind_equal(detail_of(explanation, reason), detail)))
      return reason;
  }
  return NULL;
}

// MARK: - Sentences

/// Says the cure for a reason, if it has one.
static void say_cure(struct explanation *explanation, const struct reason *reason) {
  const char *cure = crebind_reason_cure(reason->reason, detail_of(explanation, reason));
  if (cure[0] != 0) SAY(": ", cure);
}

/// "a and 2 more", of the images that a reason is given for.
static void say_images(struct explanation *explanation, crebind_reason kind) {
  size_t count = 0;
  for (size_t i = 0; i < explanation->reasons.count; i++)
    count += ((struct reason *)crebind_vector_at(&explanation->reasons, i))->reason == kind;
  SAY(image_of(explanation, find(explanation, kind, NULL)));
  if (count < 2) return;
  char digits[24];
  size_t at = sizeof digits - 1;
  digits[at] = 0;
  for (size_t rest = count - 1; rest != 0; rest /= 10) digits[--at] = (char)('0' + rest % 10);
  SAY(" and ", digits + at, " more");
}

/// Says that some image has the function for itself; false if none has with this detail.
static bool say_own(struct explanation *explanation, const char *own, const char *before,
                    const char *behind) {
  const struct reason *reason = find(explanation, CREBIND_REASON_BOUND_INSIDE, own);
  if (reason == NULL) return false;
  SAY(explanation->name, before, image_of(explanation, reason), behind);
  say_cure(explanation, reason);
  return true;
}

/// Some image exports the name, but not in the version or from the library that is asked for.
static void say_otherwise(struct explanation *explanation, const struct reason *reason) {
  const char *version = explanation->rebinding->version;
  const char *name = explanation->rebinding->name;
  char plain[256];
  size_t length = 0;
  for (; name[length] != 0 && (length == 0 || name[length] != '@'); length++) CREBIND_KEEP_LOOP();
  if (name[length] == '@' && length < sizeof plain) {
    if (version == NULL) version = name + length + (name[length + 1] == '@' ? 2 : 1);
    memcpy(plain, name, length);
    plain[length] = 0;
    name = plain;
  }
  SAY(image_of(explanation, reason), " exports ", name);
  if (version != NULL && crebind_equal(detail_of(explanation, reason), "version"))
    SAY(", but not in version ", version);
  else if (explanation->rebinding->library != NULL)
    SAY(", but ", explanation->rebinding->library, " does not");
  else if (explanation->rebinding->definer != NULL)
    SAY(", but the image that is asked for does not");
}

/// True for a name as Swift's source has it, such as `Cache.store(_:)`: no C function is called so.
static bool is_of_swift(const char *name) {
  bool has_parenthesis = false;
  for (; *name != 0 && *name != '@'; name++) {
    // C++ has these, too.
    if (name[0] == ':' && name[1] == ':') return false;
    has_parenthesis |= *name == '(';
    CREBIND_KEEP_LOOP();
  }
  return has_parenthesis;
}

/// Nothing has the function.
static void say_nowhere(struct explanation *explanation) {
  SAY("no loaded image imports or defines ", explanation->name);
  const struct reason *guess = find(explanation, CREBIND_REASON_MAY_BE_INSIDE, NULL);
  if (guess != NULL) {
    const char *detail = detail_of(explanation, guess);
    SAY(", but ", image_of(explanation, guess), " may have it for itself (",
        crebind_equal(detail, "stripped") ? "it is stripped" : "its file cannot be read",
        ")");
  } else if ((guess = find(explanation, CREBIND_REASON_BOUND_INSIDE, "local")) != NULL) {
    SAY(", but ", image_of(explanation, guess), 
        " has a function of that name for itself (static, or made local)");
  }
  if (is_of_swift(explanation->name)) {
    SAY(": the symbols of Swift's functions have mangled names, which rebind-inspect symbols "
        "--demangle=only lists");
    return;
  }
  const char *between = ": did you mean ";
  for (size_t i = 0; i < explanation->reasons.count; i++) {
    const struct reason *reason = crebind_vector_at(&explanation->reasons, i);
    if (reason->reason != CREBIND_REASON_SIMILAR_NAME) continue;
    if (detail_of(explanation, reason)[0] == '$') SAY(", and Swift's functions have mangled names");
    SAY(between, detail_of(explanation, reason), " (", image_of(explanation, reason), ")");
    between = " or ";
  }
  if (between[0] == ':')
    SAY(": ", crebind_reason_cure(CREBIND_REASON_NOT_DEFINED, NULL));
  else
    SAY("?");
}

/// The image that exports the function; NULL if none in scope does.
static const struct reason *find_exporter(const struct explanation *explanation) {
  static const char *const details[] = {"sanitizer", "", "protected", "-Bsymbolic"};
  const struct reason *found = NULL;
  for (size_t i = 0; i < sizeof details / sizeof *details && found == NULL; i++)
    found = find(explanation, CREBIND_REASON_BOUND_INSIDE, details[i]);
  return found;
}

/// Some image has the function, and no image in scope a slot for it.
static void say_inside(struct explanation *explanation) {
  const char *name = explanation->name;
  const struct reason *exporter = find_exporter(explanation);
  const char *detail = exporter == NULL ? "" : detail_of(explanation, exporter);
  bool is_sanitizer = crebind_equal(detail, "sanitizer");
  if (exporter != NULL && exporter->is_of_program && !is_sanitizer) {
    SAY(name, " is linked into ", image_of(explanation, exporter),
        " itself and has no slot: ",
        crebind_reason_cure(CREBIND_REASON_BOUND_INSIDE, "unexported"));
    return;
  }
  if (say_own(explanation, "unexported", " is linked into ", " itself and has no slot")
      || (exporter == NULL
          && (say_own(explanation, "hidden", " is hidden in ", " and has no slot")
              || say_own(explanation, "local", " is static in ",
                         ", or made local there, and has no slot")
              || say_own(explanation, "data", " is data of ", ", not a function"))))
    return;
  SAY("no image in scope imports ", name);
  const char *image = exporter == NULL ? "" : image_of(explanation, exporter);
  if (is_sanitizer) {
    SAY(": a sanitizer defines it in ", image, ", whose calls go through no slot");
  } else if (exporter != NULL) {
    SAY(": ", image, " defines it");
    if (detail[0] != 0) SAY(" (", detail, ")");
    SAY(", and its own calls, if it makes any, go through no slot");
  }
  if (!explanation->serves_later_images)
    SAY("; widen the scope to serve images that come later");
}

/// Names that are imported instead.
static void say_other_names(struct explanation *explanation) {
  size_t count = 0;
  for (size_t i = 0; i < explanation->reasons.count && count < 3; i++) {
    const struct reason *reason = crebind_vector_at(&explanation->reasons, i);
    const char *name = detail_of(explanation, reason);
    if (reason->reason != CREBIND_REASON_OTHER_NAME
        || find(explanation, CREBIND_REASON_OTHER_NAME, name) != reason)
      continue;
    if (count++ == 0)
      SAY("; ", image_of(explanation, reason), " imports ", name);
    else
      SAY(", ", image_of(explanation, reason), " ", name);
  }
  if (count != 0) SAY(": rebind ", count == 1 ? "that" : "these");
}

static void explain(struct explanation *explanation) {
  const struct reason *reason;
  if ((reason = find(explanation, CREBIND_REASON_STATIC_EXECUTABLE, NULL)) != NULL) {
    SAY(crebind_reason_description(reason->reason));
  } else if (find(explanation, CREBIND_REASON_HAS_SLOTS, NULL) != NULL) {
    SAY("slots of ");
    say_images(explanation, CREBIND_REASON_HAS_SLOTS);
    SAY(" lead to ", explanation->name);
  } else if ((reason = find(explanation, CREBIND_REASON_OTHER_SCOPE, NULL)) != NULL) {
    SAY(image_of(explanation, reason), " calls its own ", explanation->name);
    say_cure(explanation, reason);
  } else if ((reason = find(explanation, CREBIND_REASON_NOT_IN_SCOPE, "kind")) != NULL) {
    SAY("the slots for ", explanation->name, " in ", image_of(explanation, reason),
        " are of kinds that the scope leaves out");
    say_cure(explanation, reason);
  } else if ((reason = find(explanation, CREBIND_REASON_UNCHANGEABLE, "packed")) != NULL) {
    SAY("no slot for ", explanation->name, " can be changed: ", image_of(explanation, reason),
        " has relocations packed for Android, which this loader does not apply");
  } else if ((reason = find(explanation, CREBIND_REASON_NOT_IN_SCOPE, NULL)) != NULL) {
    SAY("no image in scope has a slot for ", explanation->name, ", but ");
    say_images(explanation, CREBIND_REASON_NOT_IN_SCOPE);
    say_cure(explanation, reason);
  } else if ((reason = find(explanation, CREBIND_REASON_OTHER_VERSION, NULL)) != NULL) {
    SAY("no image in scope asks for that version of ", explanation->name, ": ",
        image_of(explanation, reason), " asks for ", detail_of(explanation, reason));
  } else if ((reason = find(explanation, CREBIND_REASON_OTHER_LIBRARY, NULL)) != NULL) {
    SAY("no image in scope is bound to that library's ", explanation->name, ": ",
        image_of(explanation, reason), " is bound to ", detail_of(explanation, reason));
  } else if ((reason = find(explanation, CREBIND_REASON_UNCHANGEABLE, NULL)) != NULL) {
    const char *detail = detail_of(explanation, reason);
    SAY("no slot for ", explanation->name, " can be changed: ", image_of(explanation, reason),
        crebind_equal(detail, "assigned")   ? " has put another pointer in its place"
        : detail[0] == 0                    ? " has it in code, or unaligned"
                                            : " asks for it, but nothing defines it");
  } else if ((reason = find(explanation, CREBIND_REASON_NOT_DEFINED, "version")) != NULL
             || (reason = find(explanation, CREBIND_REASON_NOT_DEFINED, "library")) != NULL) {
    say_otherwise(explanation, reason);
    say_other_names(explanation);
  } else {
    if (find(explanation, CREBIND_REASON_NOT_DEFINED, NULL) != NULL)
      say_nowhere(explanation);
    else
      say_inside(explanation);
    say_other_names(explanation);
  }
}

crebind_status crebind_explain(const crebind_rebinding *rebinding, const crebind_options *options,
                               crebind_text_visitor *visit, void *context, crebind_error *error) {
  if (visit == NULL || rebinding == NULL)
    return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct explanation explanation = {
      .name = rebinding->name,
      .rebinding = rebinding,
      .serves_later_images =
          options == NULL
          || (!options->loaded_images_only && options->scope != CREBIND_SCOPE_MAIN
              && options->scope != CREBIND_SCOPE_IMAGES),
      .reasons = CREBIND_VECTOR(struct reason),
      .text = CREBIND_VECTOR(char),
  };
  crebind_strings_begin(&explanation.strings);
  crebind_status status = crebind_images(find_program, &explanation, error);
  if (status == CREBIND_OK)
    status = crebind_diagnose(rebinding, options, add_reason, &explanation, error);
  if (status == CREBIND_OK) {
    explain(&explanation);
    bool has_end = crebind_vector_append(&explanation.text, 1) != NULL;
    if (!has_end || explanation.lacks_memory || explanation.strings.lacks_memory)
      status = crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
  }
  errno = saved_errno;
  if (status == CREBIND_OK) visit(explanation.text.data, context);
  crebind_vector_free(&explanation.reasons);
  crebind_vector_free(&explanation.text);
  crebind_vector_free(&explanation.strings.bytes);
  return status;
}
#endif
