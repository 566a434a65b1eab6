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

const char *crebind_reason_description(crebind_reason reason) {
  switch (reason) {
  case CREBIND_REASON_HAS_SLOTS: return "has slots for the symbol";
  case CREBIND_REASON_NOT_IMPORTED: return "no image in scope imports the symbol";
  case CREBIND_REASON_BOUND_INSIDE:
    return "has the function, and its own calls, if it makes any, go through no slot";
  case CREBIND_REASON_OTHER_NAME: return "imports another name of the function";
  case CREBIND_REASON_OTHER_VERSION: return "imports another version of the symbol";
  case CREBIND_REASON_OTHER_LIBRARY: return "is bound to another library's definition";
  case CREBIND_REASON_NOT_IN_SCOPE: return "has slots for the symbol, but is not in scope";
  case CREBIND_REASON_NOT_DEFINED: return "no loaded image defines the symbol";
  case CREBIND_REASON_STATIC_EXECUTABLE:
    return "the program is statically linked, so its calls go through no slots";
  case CREBIND_REASON_UNCHANGEABLE:
    return "asks for the symbol, but has no slot of it that can be changed";
  case CREBIND_REASON_SEALED:
    return "has slots for the symbol in pages that are sealed (mseal)";
  case CREBIND_REASON_BYPASSED:
    return "calls the symbol past its slots, as glibc has rewritten the PLT";
  case CREBIND_REASON_MAY_BE_INSIDE:
    return "may have the function for itself alone: its file does not tell";
  case CREBIND_REASON_SIMILAR_NAME: return "exports a function of a similar name";
  case CREBIND_REASON_OTHER_SCOPE:
    return "calls its own function of that name: rebind it in that image alone";
  }
  return "unknown reason";
}

/// Sentences for reasons that come with a word.
static const struct {
  crebind_reason reason;
  const char *detail, *meaning;
} meanings[] = {
    {CREBIND_REASON_HAS_SLOTS, "data",
     "has slots for the symbol in data alone: calls through these pointers are seen"},
    {CREBIND_REASON_BOUND_INSIDE, "data", "has data of that name, which no call reaches"},
    {CREBIND_REASON_BOUND_INSIDE, "unexported",
     "has the function for itself alone, not exported: calls of it go through no slot"},
    {CREBIND_REASON_BOUND_INSIDE, "hidden",
     "has the function for itself alone, hidden: calls of it go through no slot"},
    {CREBIND_REASON_BOUND_INSIDE, "local",
     "has a function of that name for itself alone, static or made local: calls of it go through "
     "no slot"},
    {CREBIND_REASON_BOUND_INSIDE, "protected",
     "exports the function as protected: its own calls, if it makes any, go through no slot"},
    {CREBIND_REASON_BOUND_INSIDE, "-Bsymbolic",
     "exports the function and is linked with -Bsymbolic: its own calls, if it makes any, go "
     "through no slot"},
    {CREBIND_REASON_BOUND_INSIDE, "sanitizer",
     "a sanitizer defines the function here: calls of this image go through no slot"},
    {CREBIND_REASON_UNCHANGEABLE, "weak",
     "asks for the symbol, but nothing defines it, and the slot stays NULL"},
    {CREBIND_REASON_UNCHANGEABLE, "undefined",
     "asks for the symbol, but nothing defines it: a call of it ends the program"},
    {CREBIND_REASON_UNCHANGEABLE, "assigned",
     "asks for the symbol, but the program has put another pointer in its place"},
    {CREBIND_REASON_NOT_IN_SCOPE, "kind",
     "has slots for the symbol, but only of kinds that are not in scope"},
    {CREBIND_REASON_NOT_DEFINED, "version",
     "exports the symbol, but not in the version that was asked for"},
    {CREBIND_REASON_NOT_DEFINED, "library",
     "exports the symbol, but another library was asked for"},
    {CREBIND_REASON_UNCHANGEABLE, "unfilled",
     "asks for the symbol, but its relocations are packed for Android, and the loader does not fill "
     "the slot"},
    {CREBIND_REASON_MAY_BE_INSIDE, "stripped",
     "may have the function for itself alone: it is stripped"},
    {CREBIND_REASON_MAY_BE_INSIDE, "unreadable",
     "may have the function for itself alone: its file cannot be read, or is another one"},
};

const char *crebind_reason_meaning(crebind_reason reason, const char *detail) {
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (meanings[i].reason == reason && detail != NULL
        && crebind_equal(meanings[i].detail, detail))
      return meanings[i].meaning;
  return crebind_reason_description(reason);
}
