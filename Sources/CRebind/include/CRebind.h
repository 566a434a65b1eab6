/// Points the symbols that loaded ELF images import at other functions.
///
/// This is fishhook's interface for Linux, and what it is made of. A call to a
/// function of another image goes through a *slot*: a pointer-sized word that
/// the loader filled with the function's address. Rebinding a symbol stores the
/// replacement in the slots that refer to it, in every image or in some.
///
/// What a slot rebinding cannot reach: calls inside the image that defines the
/// function (unless they go through a slot), inlined and fortified calls under
/// another name (`__open_2`), system calls made without the C library, and
/// static executables, which have no slots.
///
/// `open`, `fcntl`, `ioctl` and other variadic functions: on x86-64 and AArch64
/// Linux their arguments arrive in the same registers as a fixed signature's,
/// so a replacement declared as `int (const char *, int, mode_t)` is right.

#ifndef CREBIND_H
#define CREBIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#define CREBIND_NULLABLE _Nullable
#define CREBIND_UNSPECIFIED _Null_unspecified
#else
#define CREBIND_NULLABLE
#define CREBIND_UNSPECIFIED
#endif

// MARK: - fishhook

/// A symbol's name, the function that its callers shall reach, and where to
/// store the function that they would reach otherwise.
struct rebinding {
  const char *CREBIND_UNSPECIFIED name;
  void *CREBIND_UNSPECIFIED replacement;
  /// Written before the first slot is, and kept right while other rebindings
  /// of the symbol come and go; may be NULL. Must stay valid while the
  /// rebinding is active.
  void *CREBIND_NULLABLE *CREBIND_NULLABLE replaced;
};

/// Rebinds each symbol in every loaded image but the loader and the vDSO.
///
/// All or nothing: either every slot of every symbol is changed, or none. The
/// array and the names may go when the call returns. A name that no image
/// imports is no failure. Of several calls for one name the last is reached
/// first, and its `replaced` leads to the one before.
///
/// \returns 0, or -1 with `errno` set: EINVAL for an empty batch, a NULL or
///   duplicate name or a NULL replacement; ENOTSUP in a static executable;
///   ENOEXEC for an image whose dynamic table is broken; EACCES, EPERM or
///   ENOMEM as mprotect(2) and mmap(2) give them; EAGAIN if images kept being
///   loaded meanwhile.
int rebind_symbols(struct rebinding rebindings[CREBIND_NULLABLE], size_t rebindings_nel);

/// Rebinds each symbol in one image.
///
/// \param header The address of the image's ELF header in memory.
/// \param slide The image's load bias (`dlpi_addr`).
/// \returns 0, or -1 with `errno` set as for `rebind_symbols`, and EINVAL if no
///   loaded image has this header and slide.
int rebind_symbols_image(void *CREBIND_NULLABLE header, intptr_t slide,
                         struct rebinding rebindings[CREBIND_NULLABLE], size_t rebindings_nel);

// MARK: - Errors

/// Why a call failed. `crebind_status_description` gives the text.
typedef enum crebind_status {
  CREBIND_OK = 0,
  /// A NULL name or replacement, an empty name or an empty batch.
  CREBIND_INVALID_ARGUMENT = 1,
  /// Two rebindings of one batch select the same symbol.
  CREBIND_DUPLICATE_NAME = 2,
  /// No loaded image has the given header and slide.
  CREBIND_NO_SUCH_IMAGE = 3,
  /// The program is statically linked: it has no slots.
  CREBIND_STATIC_EXECUTABLE = 4,
  /// A tag of the image's dynamic table points outside of its segments.
  CREBIND_BROKEN_IMAGE = 5,
  /// mmap(2) gave no memory for the records.
  CREBIND_OUT_OF_MEMORY = 6,
  /// mprotect(2) refused to open or close a page.
  CREBIND_PROTECTION = 7,
  /// Images kept being loaded or unloaded while the call tried to look at them.
  CREBIND_BUSY = 8,
} crebind_status;

/// What failed, where. Filled in by a call that returns anything but
/// `CREBIND_OK`.
typedef struct crebind_error {
  crebind_status status;
  /// The `errno` of the system call that failed, or 0.
  int system_error;
  /// The dynamic tag that is broken (`DT_*`), or 0.
  int64_t tag;
  /// The address concerned, or 0.
  uintptr_t address;
  /// The index in the batch of the rebinding concerned, or -1.
  int64_t rebinding;
  /// The path of the image concerned, as the loader gives it; "" for glibc's
  /// main program and if no image is concerned.
  char image[4096];
} crebind_error;

/// An English sentence for a status, without a full stop. Never NULL.
const char *crebind_status_description(crebind_status status);

// MARK: - Slots

/// What kind of relocation fills a slot.
typedef enum crebind_slot_kind {
  /// A call's slot (`R_*_JUMP_SLOT`), bound lazily or at load.
  CREBIND_JUMP_SLOT = 1 << 0,
  /// A slot that code loads the address from (`R_*_GLOB_DAT`).
  CREBIND_GLOB_DAT = 1 << 1,
  /// A pointer in data (`R_X86_64_64`, `R_AARCH64_ABS64`).
  CREBIND_ABSOLUTE = 1 << 2,
  CREBIND_ALL_SLOT_KINDS = CREBIND_JUMP_SLOT | CREBIND_GLOB_DAT | CREBIND_ABSOLUTE,
} crebind_slot_kind;

// MARK: - Rebinding with a handle

/// One rebinding of a batch.
typedef struct crebind_rebinding {
  const char *CREBIND_UNSPECIFIED name;
  void *CREBIND_UNSPECIFIED replacement;
  /// Receives the original; may be NULL. See `struct rebinding`.
  void *CREBIND_NULLABLE *CREBIND_NULLABLE original;
} crebind_rebinding;

/// Which images and slots a batch applies to. Zeroed: everything.
typedef struct crebind_options {
  /// The ELF header of the only image to change, or NULL for all images.
  const void *CREBIND_NULLABLE image;
  /// A set of `crebind_slot_kind`; 0 means all kinds.
  unsigned slot_kinds;
} crebind_options;

/// What a call did, slot by slot, in numbers.
typedef struct crebind_report {
  /// Slots that hold our value now (apply), or their former one (restore).
  size_t changed;
  /// The images that these slots are in.
  size_t images;
  /// Apply: slots that already held the replacement.
  /// Restore: slots whose image is gone.
  size_t unchanged;
  /// Apply: absolute slots that no longer hold the original, and slots that no
  /// aligned store can reach. Restore: slots that someone else has changed
  /// since. They are left alone.
  size_t skipped;
} crebind_report;

/// An active batch of rebindings.
typedef struct crebind_handle crebind_handle;

/// Applies a batch of rebindings: all of it, or nothing.
///
/// \param handle Receives what `crebind_restore` takes.
/// \param report May be NULL.
/// \param error May be NULL.
/// Safe on any thread, not in a signal handler. In proportion to the number of
/// symbols that the images import, not to the number of names times that.
crebind_status crebind_apply(const crebind_rebinding *CREBIND_NULLABLE rebindings, size_t count,
                             const crebind_options *CREBIND_NULLABLE options,
                             crebind_handle *CREBIND_NULLABLE *CREBIND_UNSPECIFIED handle,
                             crebind_report *CREBIND_NULLABLE report,
                             crebind_error *CREBIND_NULLABLE error);

/// Puts back what the slots of a batch held, where our value still stands, and
/// frees the handle. On failure nothing has changed and the handle stays valid.
///
/// Handles may be restored in any order: a rebinding that was applied on top of
/// this one gets this one's original as its own.
crebind_status crebind_restore(crebind_handle *handle, crebind_report *CREBIND_NULLABLE report,
                               crebind_error *CREBIND_NULLABLE error);

/// The address that a program that asks for `name` now would get in the global
/// scope, with our own rebindings looked through; NULL if nothing defines it.
void *CREBIND_NULLABLE crebind_lookup(const char *name);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
