#if defined(__linux__)
#include "runtime/status.h"
#include "runtime/runtime.h"

crebind_status crebind_fail(crebind_error *error, crebind_status status, int64_t rebinding) {
  if (error == NULL) return status;
  memset(error, 0, sizeof *error);
  error->status = status;
  error->rebinding = rebinding;
  return status;
}

const char *crebind_status_description(crebind_status status) {
  switch (status) {
  case CREBIND_OK: return "success";
  case CREBIND_INVALID_ARGUMENT:
    return "an argument is missing, a version or library is empty, or the batch is";
  case CREBIND_EMPTY_NAME: return "the name is empty";
  case CREBIND_DUPLICATE_NAME: return "two rebindings of one batch name the same symbol";
  case CREBIND_NO_SUCH_IMAGE: return "no loaded image has this header and slide";
  case CREBIND_STATIC_EXECUTABLE:
    return "the program is statically linked, so its calls go through no slots";
  case CREBIND_BROKEN_IMAGE:
    return "a table of the image lies outside of its segments, or cannot be read";
  case CREBIND_OUT_OF_MEMORY: return "mmap gave no memory";
  case CREBIND_PROTECTION: return "mprotect refused to change the protection of a page";
  case CREBIND_BUSY: return "images kept being loaded or unloaded";
  case CREBIND_NO_SECTION: return "the image has no section of that name";
  case CREBIND_SECTION_NOT_LOADED: return "the section is not part of what is loaded";
  case CREBIND_NO_FILE:
    return "the image has no note of the section, and its file cannot be opened";
  case CREBIND_OTHER_FILE:
    return "the image has no note of the section, and the file at its path is another one";
  case CREBIND_NO_SECTION_HEADERS:
    return "the image has no note of the section, and its file has no section headers";
  case CREBIND_BROKEN_FILE:
    return "a header of the image's file points outside of the file or of the image";
  case CREBIND_SEALED: return "the image is sealed (mseal), so that no slot of it can be changed";
  case CREBIND_LEFT_OPEN: return "mprotect refused to close a page, which stays writable";
  case CREBIND_NOT_TAKEN_BACK:
    return "mprotect refused even the way back, so that some words lead to the replacement";
  case CREBIND_COVERED:
    return "another hook lies on top of a slot, and leads on to ours for as long as it stays";
  case CREBIND_PREDICATE_RUNS: return "another thread is in the batch's predicate";
  case CREBIND_UNDEFINED:
    return "no slot in scope is the symbol's and can be changed, and no loaded image exports it";
  case CREBIND_UNREACHED:
    return "no slot in scope is the symbol's and can be changed, and later images are not in "
           "scope";
  }
  return "unknown status";
}

// MARK: - Reasons

/// The texts of a reason, or of a reason with a detail.
struct saying {
  crebind_reason reason;
  const char *word, *sentence, *outside, *cure;
};

#define CREBIND_REASON_ROW(constant, number, word, sentence, outside, cure) \
  {CREBIND_REASON_##constant, word, sentence, outside, cure},
static const struct saying reasons[] = {
#include "CRebindReasons.def"
};

// The word is the detail.
#define CREBIND_REASON_ROW(constant, number, word, sentence, outside, cure)
#define CREBIND_DETAIL_ROW(constant, detail, sentence, outside, cure) \
  {CREBIND_REASON_##constant, detail, sentence, outside, cure},
static const struct saying details[] = {
#include "CRebindReasons.def"
};

static const struct saying *find_reason(crebind_reason reason) {
  static const struct saying unknown = {.word = "unknown", .sentence = "unknown reason",
                                        .outside = "unknown reason"};
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (reasons[i].reason == reason) return &reasons[i];
  return &unknown;
}

static const struct saying *find_detail(crebind_reason reason, const char *detail) {
  for (size_t i = 0; i < sizeof details / sizeof *details && detail != NULL; i++)
    if (details[i].reason == reason && crebind_equal(details[i].word, detail)) return &details[i];
  return find_reason(reason);
}

const char *crebind_reason_word(crebind_reason reason) { return find_reason(reason)->word; }

const char *crebind_reason_description(crebind_reason reason) {
  return find_reason(reason)->sentence;
}

const char *crebind_reason_meaning(crebind_reason reason, const char *detail) {
  const char *sentence = find_detail(reason, detail)->sentence;
  return sentence != NULL ? sentence : crebind_reason_description(reason);
}

const char *crebind_reason_outside(crebind_reason reason, const char *detail) {
  return find_detail(reason, detail)->outside;
}

const char *crebind_reason_cure(crebind_reason reason, const char *detail) {
  const char *cure = find_detail(reason, detail)->cure;
  return cure != NULL ? cure : "";
}
#endif
