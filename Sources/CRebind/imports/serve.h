/// Work on the imports that a predicate chooses among: who works, and looking, asking and applying.
///
/// One thread at a time works: it looks, asks and applies. An image that comes meanwhile is noted, and
/// the thread that works looks again. Nobody waits in a dlopen. The code of others, `choose` and
/// `options.matches`, runs in the work, without a lock.

#if defined(__linux__)
#pragma once

#include "imports/import-scan.h"

#pragma GCC visibility push(hidden)

/// Does a thread work, and has an image come meanwhile?
enum crebind_import_work {
  CREBIND_IDLE,
  CREBIND_WORKING,
  CREBIND_WORKING_AND_CALLED,
};

/// The batch of what was found at one time.
struct crebind_import_part {
  /// NULL while it is being applied.
  crebind_handle *handle;
  /// How many rebindings there were before.
  size_t first;
};

struct crebind_imports {
  crebind_import_predicate *choose;
  void *context;
  crebind_options options;
  struct crebind_vector headers;  // const void *: a copy of options.images
  crebind_observation *observation;
  /// No batch asks for the notice of later images, so this does.
  bool asks_for_notice;
  int work;  // enum crebind_import_work; atomic
  /// A thread waits for the work to end for good. Atomic.
  bool is_ending;
  // The following fields belong to the thread that works. Vectors change their size under our lock,
  // so that a forked child finds them whole.
  int worker;
  struct crebind_vector parts;  // struct crebind_import_part
  struct crebind_asked_imports asked;
  size_t chosen;
  /// Something is still to be served: a look has failed, or its thread does not exist in this process.
  /// Atomic.
  bool is_behind;
  /// Images have references that nothing defines yet.
  bool has_undefined;
  /// The next of all.
  struct crebind_imports *next;
};

static inline struct crebind_import_part *crebind_imports_part(
    const struct crebind_imports *imports, size_t index) {
  return crebind_vector_at(&imports->parts, index);
}

/// Adds it to those that a forked child sets right, or takes it out.
void crebind_imports_link(struct crebind_imports *imports);
void crebind_imports_unlink(struct crebind_imports *imports);

/// Waits for the thread that works. False if that takes longer than a third of a second.
bool crebind_imports_begin_work(struct crebind_imports *imports);

/// Ends the work, after a look at what has come meanwhile.
void crebind_imports_end_work(struct crebind_imports *imports);

/// The definitions that were found, and the rebindings of those that were chosen.
struct crebind_import_choices {
  struct crebind_import_scan scan;
  struct crebind_vector rebindings;  // crebind_rebinding
  struct crebind_vector exact;       // struct crebind_exact_definition, of each rebinding
};

/// Finds what has not been asked about, and asks. Free the choices in any case.
///
/// \param header The only image to look at, or NULL for all in scope.
crebind_status crebind_imports_find_and_ask(const struct crebind_imports *imports,
                                            const void *header,
                                            struct crebind_import_choices *choices,
                                            crebind_error *error);
void crebind_import_choices_free(struct crebind_import_choices *choices);

/// Finds, asks and applies.
crebind_status crebind_imports_serve(struct crebind_imports *imports, const void *header,
                                     crebind_report *report, crebind_error *error);

/// Serves an image. Serves all images if `header` is NULL, or if an earlier call did not serve all of
/// them. Notes a failure, for the next call.
crebind_status crebind_imports_catch_up(struct crebind_imports *imports, const void *header,
                                        crebind_error *error);

/// Serves an image that has come; `context` is the imports.
void crebind_imports_image_added(const crebind_image_info *image, void *context);

#pragma GCC visibility pop
#endif
