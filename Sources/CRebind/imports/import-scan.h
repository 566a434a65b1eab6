/// The definitions that images import: each once, whatever images and slots lead to it.

#if defined(__linux__)
#pragma once

#include "transactions/attempt.h"
#include "world/gather.h"

#pragma GCC visibility push(hidden)

/// A definition, and who imports it. The strings are offsets.
struct crebind_found_import {
  /// The hash of the name, as in the GNU hash table.
  uint32_t hash;
  struct crebind_exact_definition exact;
  /// The version is 0 for a definition without one.
  size_t name, version;
  struct crebind_gathered_image image, definer;
  crebind_slot_kind kind;
  /// `STT_*`.
  uint8_t type;
};

/// The definitions that were asked about.
struct crebind_asked_imports {
  struct crebind_vector keys;    // struct crebind_asked_import, of import-scan.c
  struct crebind_vector places;  // uint32_t: the keys by hash, with linear probing; each plus one
  /// The number of keys that stay, whatever comes of the work under way.
  size_t settled;
};

void crebind_asked_imports_begin(struct crebind_asked_imports *asked);
void crebind_asked_imports_end(struct crebind_asked_imports *asked);

/// Takes a definition in. False without memory.
bool crebind_asked_imports_add(struct crebind_asked_imports *asked,
                               const struct crebind_found_import *import);

/// Keeps the definitions that were added, whatever comes of later work. With our lock.
void crebind_asked_imports_settle(struct crebind_asked_imports *asked);

/// Forgets the definitions that are not settled. With our lock.
void crebind_asked_imports_take_back(struct crebind_asked_imports *asked);

/// Forgets the definitions of images that have gone. The caller has settled all definitions. With our lock.
void crebind_asked_imports_forget_gone(struct crebind_asked_imports *asked);

/// True if an image with this serial number is loaded, as of the last look. With our lock.
bool crebind_is_serial_present(uint64_t serial);

/// A look for imports.
struct crebind_import_scan {
  /// The definitions that were asked about before. The scan leaves them out.
  const struct crebind_asked_imports *asked;
  /// Says which images are in scope.
  struct crebind_handle *handle;
  /// The ELF header of the only image to look at, or NULL for all in scope.
  const void *header;
  struct crebind_vector found;  // struct crebind_found_import
  struct crebind_strings strings;
  /// The number of references that no image defines, without weak ones. An image that is loaded
  /// later may define them.
  size_t undefined;
};

void crebind_import_scan_begin(struct crebind_import_scan *scan);
void crebind_import_scan_end(struct crebind_import_scan *scan);

/// Fills in `found`, in the order of the images and of their relocations.
///
/// - Complexity: O(relocations but the relative ones), and a lookup for each name and version.
crebind_status crebind_import_scan_run(struct crebind_import_scan *scan, crebind_error *error);

#pragma GCC visibility pop
#endif
