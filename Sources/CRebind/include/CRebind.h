/// Points the symbols that loaded ELF images import at other functions.
///
/// This is fishhook's interface for Linux, and the functions beneath it. A call to a function of
/// another image goes through a *slot*: a pointer-sized word that the loader filled with the
/// function's address. Rebinding a symbol stores the replacement in the slots that refer to it, in
/// every image or in some.
///
/// Slots do not carry calls inside the image that defines the function (mostly), inlined calls,
/// fortified calls under another name (`__open_2`), and system calls made without the C library.
/// Static executables have no slots.
///
/// Declare the replacement of a variadic function (`open`, `fcntl`, `ioctl`) with fixed arguments,
/// such as `int (const char *, int, mode_t)`. On x86-64 and AArch64 Linux both kinds of arguments
/// arrive in the same registers.
///
/// On AArch64 Swift calls `swift_retain`, `swift_release` and their variants by the convention
/// preserve_most, which keeps nearly all registers: a plain C function breaks their callers.

#if defined(__ANDROID__)
#error "Rebind knows the loaders of glibc and musl, and not the one of Android."
#elif defined(__linux__) && !defined(CREBIND_H)
#define CREBIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#pragma clang assume_nonnull begin
#define CREBIND_NULLABLE _Nullable
#define CREBIND_UNSPECIFIED _Null_unspecified
#else
#define CREBIND_NULLABLE
#define CREBIND_UNSPECIFIED
#endif

// MARK: - fishhook

/// A symbol's name, its replacement, and where to store the original: the function that callers
/// would reach otherwise.
struct rebinding {
  const char *CREBIND_UNSPECIFIED name;
  void *CREBIND_UNSPECIFIED replacement;
  /// Written before the first slot is, and kept right while other rebindings
  /// of the symbol and the images that define it come and go; may be NULL. Must
  /// stay valid while the rebinding is active.
  ///
  /// Each slot has an original of its own. If these differ, this is what dlsym(RTLD_DEFAULT) would
  /// return without our rebindings, or the first slot's original if dlsym finds nothing. It is NULL
  /// once nothing defines the symbol any more.
  ///
  /// For a slot not yet bound, the original is what the loader would bind. (It is not known whether
  /// the image was opened with RTLD_DEEPBIND: its own dependencies are not put before the global
  /// scope.)
  ///
  /// Read it plainly, once per call of the replacement: other calls of this interface may change it
  /// meanwhile. (An atomic load does no harm.) It is written in one store, before the replacement
  /// can be reached, on every machine.
  ///
  /// A failed call may leave its value here: a thread may be inside the replacement, through a
  /// slot that briefly held the replacement.
  void *CREBIND_NULLABLE *CREBIND_NULLABLE replaced;
};

/// Rebinds each symbol in every image but the loader and the vDSO, loaded now or
/// later; see `crebind_apply` for when later images are served.
///
/// All or nothing: either every slot of every symbol is changed, or none. The
/// array and the names may go when the call returns. A name that no image
/// imports is no failure. If several calls rebind one name, the replacement of the last call is
/// reached first, and its `replaced` leads to the replacement of the call before.
///
/// \returns 0, also for an empty array, or -1 with `errno` set:
///   - EINVAL for a NULL or duplicate name, a NULL replacement or a missing array;
///   - ENOTSUP in a static executable;
///   - ENOEXEC for an image whose dynamic table is broken;
///   - EACCES, EPERM or ENOMEM, which mprotect(2) and mmap(2) give;
///   - EAGAIN if images kept being loaded meanwhile.
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
  /// A NULL where something is needed, an empty version or library, an empty batch, a version
  /// together with `unversioned_only`, or options that contradict themselves.
  CREBIND_INVALID_ARGUMENT = 1,
  /// Two rebindings of one batch select the same symbol.
  CREBIND_DUPLICATE_NAME = 2,
  /// No loaded image has the given header and slide, or the header of a rebinding's `definer`.
  CREBIND_NO_SUCH_IMAGE = 3,
  /// The program is statically linked: it has no slots.
  CREBIND_STATIC_EXECUTABLE = 4,
  /// A tag of the image's dynamic table points outside of its segments, or to a table that
  /// contradicts itself or cannot be read here (DT_CREL).
  CREBIND_BROKEN_IMAGE = 5,
  /// mmap(2) gave no memory for the records.
  CREBIND_OUT_OF_MEMORY = 6,
  /// mprotect(2) refused to open a page.
  CREBIND_PROTECTION = 7,
  /// Images kept being loaded or unloaded while the call tried to look at them.
  CREBIND_BUSY = 8,
  /// The image has no section of that name.
  CREBIND_NO_SECTION = 9,
  /// The section is not part of what is loaded.
  CREBIND_SECTION_NOT_LOADED = 10,
  /// The image carries no note of the section, and its file cannot be opened or read.
  CREBIND_NO_FILE = 11,
  /// The image carries no note of the section, and the file at its path is another one.
  CREBIND_OTHER_FILE = 12,
  /// The image carries no note of the section, and its file has no section headers.
  CREBIND_NO_SECTION_HEADERS = 13,
  /// A header of the image's file points outside of the file or of the image.
  CREBIND_BROKEN_FILE = 14,
  /// Restore: another thread has been in the batch's predicate for a third of a second. The
  /// caller may soon free what the predicate uses; retry once it has returned. For imports:
  /// also verify and slots, and during work on later images.
  CREBIND_PREDICATE_RUNS = 15,
  /// A slot that has to be changed lies in an image that is sealed: glibc does so with
  /// mseal(2) from 2.43 on (`-z memory-seal`). See `crebind_options.skips_sealed_images`.
  CREBIND_SEALED = 16,
  /// mprotect(2) refused to close pages that it had opened. Every slot and definition holds
  /// what it did before the call, and these pages of the image stay writable:
  /// `crebind_error` has its name, the first of them and the size.
  CREBIND_LEFT_OPEN = 17,
  /// Restore: somebody else's hook lies on top of some slots, such as that of another copy of
  /// CRebind, and may lead on to ours. `crebind_error` names the first of them. All others
  /// are restored. See `crebind_restore`.
  CREBIND_COVERED = 18,
  /// Apply: the kernel refused to close a page and then to open again one that was closed
  /// (mprotect), or to move one and then to move another one back (mremap). So some slots or
  /// definitions lead to the replacements still, and pages may stay writable; all others hold what
  /// they did. `crebind_error` names the first such word. The caller gets no handle. The words are
  /// put back by the next call of this copy that can do so: an apply, restore, verify or refresh,
  /// or a load that gives notice. The replacements, and what receives their originals, stay in use
  /// until then.
  CREBIND_NOT_TAKEN_BACK = 19,
  /// Apply, with an expectation: the symbol has no slot in scope that can be changed. No loaded
  /// image exports the symbol in the version and from the library that the rebinding names. Images
  /// that are loaded later are in scope: with CREBIND_EXPECT_LATER the call succeeds. The same
  /// holds for a weak reference that nothing defines: its slots stay NULL. `crebind_explain` says
  /// more about this status and the next.
  CREBIND_UNDEFINED = 20,
  /// Apply, with an expectation: the symbol has no slot in scope that can be changed, and images
  /// loaded later are not in scope.
  CREBIND_UNREACHED = 21,
  /// A rebinding's name is empty.
  CREBIND_EMPTY_NAME = 22,
} crebind_status;

/// The place and the cause of a failure. Filled in by a call that returns anything but
/// `CREBIND_OK`.
typedef struct crebind_error {
  crebind_status status;
  /// The `errno` of the system call that failed, or 0.
  int system_error;
  /// The dynamic tag that is broken (`DT_*`), or 0.
  int64_t tag;
  /// The address concerned, or 0. CREBIND_BROKEN_FILE: the header's place in the file, or the
  /// note's in memory.
  uintptr_t address;
  /// CREBIND_LEFT_OPEN: how many bytes from `address` on are writable still; else 0.
  size_t size;
  /// The index in the batch of the rebinding concerned, or -1.
  int64_t rebinding;
  /// The path of the image concerned, as the loader gives it; "" for glibc's
  /// main program and if no image is concerned.
  char image[4096];
} crebind_error;

/// An English sentence for a status, without a full stop. Never NULL.
const char *crebind_status_description(crebind_status status);

// MARK: - Slots

/// The kind of relocation that fills a slot.
typedef enum crebind_slot_kind {
  /// A call's slot (`R_*_JUMP_SLOT`), bound lazily or at load.
  CREBIND_JUMP_SLOT = 1 << 0,
  /// A slot that code loads the address from (`R_*_GLOB_DAT`).
  CREBIND_GLOB_DAT = 1 << 1,
  /// A pointer in data (`R_X86_64_64`, `R_AARCH64_ABS64`). RISC-V does not tell
  /// it from a glob dat: asking for one of the two selects both.
  CREBIND_ABSOLUTE = 1 << 2,
  CREBIND_ALL_SLOT_KINDS = CREBIND_JUMP_SLOT | CREBIND_GLOB_DAT | CREBIND_ABSOLUTE,
} crebind_slot_kind;

// MARK: - Rebinding with a handle

/// One rebinding of a batch.
typedef struct crebind_rebinding {
  /// The symbol, as `name` or `name@VERSION`.
  const char *CREBIND_UNSPECIFIED name;
  void *CREBIND_UNSPECIFIED replacement;
  /// Receives the original; may be NULL. See `struct rebinding`.
  void *CREBIND_NULLABLE *CREBIND_NULLABLE original;
  /// Only references to this version of the symbol, default or not; NULL for any. A reference
  /// without a version counts by the version that it is bound to.
  const char *CREBIND_NULLABLE version;
  /// Only references that are bound to a definition in this library: its
  /// soname, its path or its file name; NULL for any.
  const char *CREBIND_NULLABLE library;
  /// Only references that are bound to a definition in the image with this ELF header; NULL for
  /// any. Once that image has gone, none.
  const void *CREBIND_NULLABLE definer;
  /// Only references without a version, whatever they are bound to. Another rebinding of the batch
  /// may ask for a version of the symbol: it does not get these. The definition is not redirected,
  /// since later references with a version may be bound to it, too.
  bool unversioned_only;
  /// With CREBIND_EXPECT_DEFINED: CREBIND_EXPECT_LATER is enough for this one.
  bool may_come_later;
} crebind_rebinding;

/// An image as callbacks see it. The strings last as long as the call.
typedef struct crebind_image_info {
  /// The path that the loader gives; "" for glibc's main program.
  const char *path;
  /// DT_SONAME, or "".
  const char *soname;
  /// The address of the ELF header; NULL where no image is meant.
  const void *CREBIND_NULLABLE header;
  /// The load bias.
  intptr_t slide;
} crebind_image_info;

/// The images whose slots a batch changes. The vDSO and the loader are never
/// among them.
typedef enum crebind_scope {
  /// Every image, loaded now or later.
  CREBIND_SCOPE_ALL = 0,
  /// The main program.
  CREBIND_SCOPE_MAIN = 1,
  /// The images in `crebind_options.images`.
  CREBIND_SCOPE_IMAGES = 2,
  /// The images that `crebind_options.matches` accepts, loaded now or later.
  CREBIND_SCOPE_MATCHING = 3,
} crebind_scope;

/// How much each rebinding of a batch has to reach: otherwise crebind_apply fails before it has
/// changed anything.
typedef enum crebind_expectation {
  /// Nothing: a rebinding without effect is no failure, but counted. fishhook does the same.
  CREBIND_EXPECT_NOTHING = 0,
  /// A slot in scope now, or later images in scope; else CREBIND_UNREACHED.
  CREBIND_EXPECT_LATER = 1,
  /// A slot in scope now, or later images in scope and some loaded image that exports the
  /// symbol; else CREBIND_UNREACHED without later images in scope, and CREBIND_UNDEFINED with them.
  CREBIND_EXPECT_DEFINED = 2,
} crebind_expectation;

/// The images and slots that a batch applies to. Zeroed: everything.
typedef struct crebind_options {
  crebind_scope scope;
  /// CREBIND_SCOPE_IMAGES: the images' ELF headers.
  const void *CREBIND_UNSPECIFIED const *CREBIND_NULLABLE images;
  size_t image_count;
  /// The predicate of CREBIND_SCOPE_MATCHING. It is called without our locks, once for each image,
  /// now or later, mostly on the thread that loads the image. If a constructor or libc loads the
  /// image, the loader's lock is held. Then the predicate must not wait for a thread that may load
  /// something. It may call this interface. The image that it is asked about is not served before
  /// it has answered, and other calls do not wait for the answer. It does not run any more after
  /// the batch has been restored. While another thread is in it, crebind_restore of the batch fails
  /// with CREBIND_PREDICATE_RUNS.
  bool (*CREBIND_NULLABLE matches)(const crebind_image_info *image,
                                   void *CREBIND_NULLABLE context);
  void *CREBIND_NULLABLE context;
  /// A set of `crebind_slot_kind`; 0 means all kinds.
  unsigned slot_kinds;
  /// Leaves out the image that holds this code and those that hold the
  /// replacements.
  bool excludes_self;
  /// Leaves out the images that are loaded later.
  bool loaded_images_only;
  /// Changes slots and redirects no definition: later images are served right before the
  /// dlopen that loads them returns. Choose it where no page of a symbol table may be
  /// changed, or where code keeps or compares the addresses that dlsym returns. Calls from
  /// the constructors of later images, and through what dlsym returns, are not seen then.
  bool slots_only;
  /// Leaves out the images that have a slot to change in sealed pages, and counts the slots,
  /// instead of failing with CREBIND_SEALED.
  bool skips_sealed_images;
  /// For crebind_apply alone.
  crebind_expectation expects;
} crebind_options;

/// The effects of a call, slot by slot, in numbers.
typedef struct crebind_report {
  /// Slots that hold our value (apply, verify) or their former value (restore), or lead to that
  /// value through our wrappers on top.
  size_t changed;
  /// The images that these slots are in.
  size_t images;
  /// Apply: slots that already held the replacement. Verify: slots that hold
  /// what they should. Restore: slots that another rebinding goes on to hold. The slots
  /// of images that have gone are counted nowhere.
  size_t unchanged;
  /// Slots that were left alone:
  /// - apply: absolute ones that no longer hold the original, and weak ones that nothing defines;
  /// - verify, restore: those that someone else has changed since;
  /// - all: those that no aligned store reaches, and text relocations, whose pages hold code.
  size_t skipped;
  /// Apply: rebindings that have changed nothing, and whose symbol nothing in the
  /// global scope defines yet.
  size_t pending;
  /// Apply: rebindings whose slots, or redirected definitions, have different
  /// originals, so that the one original of the rebinding is not every caller's: a
  /// name with two versions, for example. `crebind_slots` has each slot's.
  size_t ambiguous;
  /// Apply: jump slots among these that calls bypass, so that they go on to the function. Since
  /// 2.39, glibc rewrites the PLT into direct jumps if it is told to (`glibc.cpu.plt_rewrite`) and
  /// the image was linked for it (`-z mark-plt`). Run the program with
  /// GLIBC_TUNABLES=glibc.cpu.plt_rewrite=0, or link the image without.
  size_t bypassed;
  /// Apply with `skips_sealed_images`: slots that were left alone, as their images are sealed.
  size_t sealed;
  /// Apply: rebindings to which no slot in scope leads: no image there refers to the symbol, or
  /// none of its slots can be changed. No call reaches the replacement before an image is loaded
  /// that has one. `crebind_explain` says why. This number includes pending rebindings.
  size_t unreached;
  /// Apply: rebindings whose symbol a sanitizer defines in the program, which is in scope. The
  /// program's own calls go through no slot then, so that they do not reach the replacement.
  size_t intercepted;
  /// Apply: images in scope that ask for a symbol, but whose relocations are packed for Android
  /// (DT_ANDROID_RELA, DT_ANDROID_REL). Neither glibc's nor musl's loader applies them, so that slots
  /// of theirs hold the file's words, and were left alone. `crebind_diagnose` names the images. Link
  /// them without `--pack-dyn-relocs=android`.
  size_t packed;
  /// Apply: slots that were left alone, as they lead to another definition than the one that the
  /// rebinding publishes, in a local scope. Two plug-ins may have a function of one name: the
  /// replacement would lead the calls of both to the function of one. `crebind_diagnose` names the
  /// images. Rebind the function in that image alone (CREBIND_SCOPE_IMAGES).
  size_t left_alone;
  /// Apply: definitions that are not redirected yet. Code of a replacement's image may still be in
  /// a dlsym call from before the batch, which would return the replacement as the original. Such
  /// a thread had not left dlsym while the call waited. Once it leaves, the next call of any kind
  /// redirects definitions. Until then the batch has slots alone.
  size_t postponed;
} crebind_report;

/// An active batch of rebindings.
typedef struct crebind_handle crebind_handle;

/// Applies a batch of rebindings: all of it, or nothing. The pages of all images are opened
/// before the first word is stored, so that a refusal to open one (ENOMEM at vm.max_map_count,
/// for example) changes nothing. See CREBIND_LEFT_OPEN and CREBIND_NOT_TAKEN_BACK for a refusal
/// to close one.
///
/// Images to come: with CREBIND_SCOPE_ALL and all slot kinds, the symbol is also redirected where
/// it is defined. For each version, the first definition in the global scope is redirected, or else
/// the only one in a local scope. Everything that is bound to it later reaches the replacement:
/// images that anyone loads (before their constructors run), dlsym, and a lazy resolver that is
/// under way. dladdr and backtraces then name another symbol near the function, or none.
/// Definitions after the first one are never redirected, since RTLD_NEXT leads to them. If several
/// local scopes have a definition, none of them is redirected, since dlsym finds them by the
/// handles of unrelated images. This is judged anew when images come and go: a definition is turned
/// back when a second one comes, and when a definition goes, another one takes over.
///
/// A pointer that somebody got while the symbol was rebound leads to the replacement even after
/// `crebind_restore`. Keep the replacement able to run, and have it call the original.
///
/// Everything else is served right before the dlopen that loads it returns:
/// - a symbol that nothing defines yet;
/// - definitions that can be unloaded, or that are not redirected;
/// - definitions that cannot be redirected: data, functions without a type, the loader's own, those
///   in pages that cannot be opened, and IFUNCs beyond 512 at a time;
/// - all, with `slots_only`, fewer kinds of slots or CREBIND_SCOPE_MATCHING.
///
/// To serve these, CRebind rebinds the slots of dlopen, from the first call that meets such a case
/// until the last batch is restored. An image that is loaded without a call through these slots, or
/// while they are not rebound, is served at the next call of this interface. The same holds if only
/// the loader can find the file, since the caller or this code's image searches its own RUNPATH or
/// RPATH. The same goes for a file whose soname is not the name. In these cases the caller asks the
/// loader itself, so that each load finds what it finds without us. A later image that cannot be
/// changed is passed over until the next call. Images that dlmopen puts into other namespaces are
/// left alone.
///
/// If another thread is loading an image, the call waits until the image is relocated; after a
/// tenth of a second it waits for the loader's lock. The call also waits for a thread in its first
/// call of a function, which may store after us. This wait lasts a second at most while that thread
/// gets no processor, and a second more while it waits for the loader. Then each later call of any
/// kind compares the slots until the thread has left; `crebind_verify` compares them at any time.
/// If the image of a replacement has called dlsym, the call waits for that thread in the same way;
/// see `crebind_report.postponed`. Nobody waits for a thread that sleeps in an IFUNC's resolver or
/// in a signal handler, or for a thread whose slot another thread has already bound. Without /proc
/// the wait is 20 ms.
///
/// No page is ever writable and executable. Where a symbol's definition shares its segment with
/// code, as GNU ld has it on AArch64 and others, a copy of its page covers it until
/// `crebind_restore`. /proc/self/maps shows the copy and, at another address, the page. Such a page
/// cannot be changed before Linux 5.13, nor if mremap(2) or madvise(2) is refused, nor if the page
/// has been written to (text relocations, breakpoints).
///
/// If a symbol is an IFUNC, its resolver is called, which is code of the symbol's library. It runs
/// on the calling thread, without our locks, and while the library is held. The loader's lock is
/// held only if a constructor or libc loads an image, or if an image that was loaded later defines
/// the symbol. In the latter case the loader may have to be asked for the symbol, and calls the
/// resolver, as dlsym does. So the resolver must not wait for a thread that may load something.
///
/// The images that contain the replacements, and those that contain the variables for the
/// originals, stay loaded from now on, even if the call fails.
///
/// In the images that hold replacements, dlsym and dlvsym do not lead back to them while a batch
/// redirects definitions. If the replacement of a name lives in the caller's image, RTLD_NEXT of
/// that name gives the original of the rebinding, or of the first one of several. If any other
/// answer would be a replacement of such a name, the caller gets the original instead, and from
/// dlvsym the original of the version. Nothing else changes for these images, and nothing changes
/// for other images. So a replacement may ask for the function behind it as in a library for
/// LD_PRELOAD. No report counts the slots changed for this. If one cannot be changed, the call
/// fails; if not restored, the next call restores it. With `excludes_self` these images are left
/// alone.
///
/// \param handle Receives the handle for `crebind_restore`.
/// \param report May be NULL.
/// \param error May be NULL. Safe on any thread that may call dlopen, as it may wait for the
/// loader. If a constructor waits for the calling thread, the call hangs as dlopen would. Not in a
/// signal handler, nor in a callback of dl_iterate_phdr. A child of fork(2) can go on calling this
/// interface, with two exceptions. If a signal handler interrupted such a call on its own thread
/// and forked, the child may only exec or _exit. If another thread loaded or unloaded an image
/// during the fork, glibc's dl_iterate_phdr may hang in the child. The child has a copy of the
/// loader's lock that nobody gives back. So fork before such threads start, or exec in the child,
/// and call nothing there that walks the images, as apply and restore do.
///
/// In proportion to the number of symbols that the images import, not to the number of names times
/// that. A slot that the loader has not bound yet costs a system call for each thread of the
/// process. Each thread that has run since the last call costs reading a file of /proc. On machines
/// that reorder loads, such as AArch64, a new original costs a membarrier(2).
crebind_status crebind_apply(const crebind_rebinding *CREBIND_NULLABLE rebindings, size_t count,
                             const crebind_options *CREBIND_NULLABLE options,
                             crebind_handle *CREBIND_NULLABLE *CREBIND_UNSPECIFIED handle,
                             crebind_report *CREBIND_NULLABLE report,
                             crebind_error *CREBIND_NULLABLE error);

/// Puts back what the slots of a batch held, where our value still stands, and frees the handle. On
/// failure the handle stays valid, and but for CREBIND_COVERED nothing has changed. If undoing the
/// restore also lacks memory or a page, the definitions stay as without the batch until it is
/// restored. With CREBIND_LEFT_OPEN some slots do, too.
///
/// Handles of one copy of this library may be restored in any order. A rebinding that was
/// applied on top of this one gets this one's original as its own. Calls that are inside of
/// the replacement go on. The call waits for a lazy resolver that has found the replacement, as
/// `crebind_apply` does.
///
/// A process has room for about fifty copies that dlopen loads, with glibc 2.36: each keeps its
/// variables for threads in the static TLS block. The next dlopen fails with "cannot allocate
/// memory in static TLS block". GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096 makes room.
///
/// Several copies in one process know nothing of each other, so any hook on top of our slots counts
/// as somebody else's. Such a hook calls our replacement next, so the replacement stays in the
/// chain. A hook that is removed puts our replacement back into the slot. The error is
/// CREBIND_COVERED. Once such a slot holds our value again, the next call of this copy gives it
/// back: any apply, restore, verify or refresh, and a load that gives notice. Restoring the handle
/// again does that, too, and frees it when no such slot is left; until then the replacement and its
/// original stay in use. The program may assign other values to pointers in writable data, so these
/// alone are no reason to fail.
crebind_status crebind_restore(crebind_handle *handle, crebind_report *CREBIND_NULLABLE report,
                               crebind_error *CREBIND_NULLABLE error);

/// Looks whether every slot of an active batch still leads to it, directly or through the batches
/// on top. Stores again into slots that a pending lazy resolver has overwritten. A word that
/// someone else has stored is left alone, and counted as skipped.
crebind_status crebind_verify(crebind_handle *handle, crebind_report *CREBIND_NULLABLE report,
                              crebind_error *CREBIND_NULLABLE error);

/// Serves the images that came and went since the last call, and tells the
/// observers. For loads that go past dlopen's slot, such as libc's own.
crebind_status crebind_refresh(crebind_error *CREBIND_NULLABLE error);

/// The address that a lookup of `name` in the global scope would give now without our own
/// rebindings; NULL if nothing defines it.
void *CREBIND_NULLABLE crebind_lookup(const char *name);

// MARK: - Rebinding whatever is imported

/// A definition that images in scope import. The strings last as long as the call.
typedef struct crebind_import {
  const char *name;
  /// The version of the definition; NULL for none.
  const char *CREBIND_NULLABLE version;
  /// The kind of the slot that was found first.
  crebind_slot_kind kind;
  /// The definition's `st_type`, `STT_*`.
  uint8_t type;
  /// The type is STT_FUNC or STT_GNU_IFUNC. Others are data, or say nothing; they may lie in code.
  bool is_function;
  /// The image that the slot is in, and the one that defines the symbol.
  crebind_image_info image, definer;
} crebind_import;

/// The answer of a predicate.
typedef struct crebind_import_choice {
  /// NULL at first, and to leave the definition alone.
  void *CREBIND_NULLABLE replacement;
  /// See `crebind_rebinding`.
  void *CREBIND_NULLABLE *CREBIND_NULLABLE original;
} crebind_import_choice;

typedef void crebind_import_predicate(const crebind_import *import, crebind_import_choice *choice,
                                      void *CREBIND_NULLABLE context);

/// Active rebindings of imports.
typedef struct crebind_imports crebind_imports;

/// Asks `choose` about each definition that images in scope import, and rebinds those that it gives
/// a replacement for, in one pass. The same is done after each load of an image, for definitions that
/// no image has imported before. A weak reference that nothing defines is not asked about.
///
/// `choose` runs without our locks, once for each definition. For the images that are loaded it runs
/// on the calling thread, and for a later one mostly on the thread that loads it. It is asked again if
/// the rebinding fails, or if the image that has the definition was unloaded and comes again. It must
/// not wait for a thread that loads an image, nor call the functions below for the same
/// `crebind_imports`. `options.matches` may be asked several times about an image.
///
/// Each rebinding changes the references that are bound to that definition, whatever version they ask
/// for. Definitions are redirected, and later images served, as of `crebind_apply`. But a definition
/// that no image has imported before is rebound only after the constructors of its image have run:
/// right before the dlopen that loads it returns. If another thread is then loading an image, the
/// rebinding may follow soon.
///
/// \param options `expects` here says whether something must be chosen, or else the call fails
///   with CREBIND_UNREACHED (CREBIND_EXPECT_LATER: only if later images are not in scope).
/// \param result Set on success, and with CREBIND_NOT_TAKEN_BACK: then some slots lead to
///   replacements still, and `crebind_restore_imports` gives them back once it can.
/// \param report The effects on the images that are loaded, as `crebind_apply` reports them. May be
///   NULL.
crebind_status crebind_apply_imports(crebind_import_predicate *choose,
                                     void *CREBIND_NULLABLE context,
                                     const crebind_options *CREBIND_NULLABLE options,
                                     crebind_imports *CREBIND_NULLABLE *CREBIND_UNSPECIFIED result,
                                     crebind_report *CREBIND_NULLABLE report,
                                     crebind_error *CREBIND_NULLABLE error);

/// Restores all of these rebindings, as `crebind_restore` does, and frees `imports`. The names that
/// came with later images are restored first. On failure `imports` stays valid, with the rebindings
/// that could not be restored, and later images are not served any more. The call fails with
/// CREBIND_PREDICATE_RUNS if another thread has been working on later images for a third of a
/// second. Then nothing has changed. The same happens if `choose` or `options.matches` makes this
/// call. These two do not run any more after the call.
///
/// \param report Sums: an image counts once for each load that brought new names.
crebind_status crebind_restore_imports(crebind_imports *imports,
                                       crebind_report *CREBIND_NULLABLE report,
                                       crebind_error *CREBIND_NULLABLE error);

/// Looks whether all of these rebindings still hold, as `crebind_verify` does, and serves later
/// images that could not be served when they were loaded. CREBIND_PREDICATE_RUNS as of
/// `crebind_restore_imports`.
crebind_status crebind_verify_imports(crebind_imports *imports,
                                      crebind_report *CREBIND_NULLABLE report,
                                      crebind_error *CREBIND_NULLABLE error);

// MARK: - Looking at slots

/// One slot that a batch changes or has changed. The strings last as long as
/// the call.
typedef struct crebind_slot_info {
  crebind_image_info image;
  /// The index of the rebinding in its batch.
  size_t rebinding;
  const char *symbol;
  /// The version that the image asks for, or NULL.
  const char *CREBIND_NULLABLE version;
  uintptr_t address;
  crebind_slot_kind kind;
  /// The word in the slot now, and the one that the batch stores.
  uintptr_t current, value;
  /// The function that the slot leads to without the batch.
  void *CREBIND_NULLABLE original;
  /// The loader had not bound the slot when the batch was applied.
  bool is_lazy;
  /// The slot lies in pages that are read-only after relocation.
  bool is_relro;
} crebind_slot_info;

typedef void crebind_slot_visitor(const crebind_slot_info *slot, void *CREBIND_NULLABLE context);

/// A dry run of `crebind_apply`: visits the slots that it would change. `visit` is called without
/// any lock.
crebind_status crebind_plan(const crebind_rebinding *CREBIND_NULLABLE rebindings, size_t count,
                            const crebind_options *CREBIND_NULLABLE options,
                            crebind_slot_visitor *visit, void *CREBIND_NULLABLE context,
                            crebind_error *CREBIND_NULLABLE error);

/// The slots of an active batch, each with its own original.
crebind_status crebind_slots(const crebind_handle *handle, crebind_slot_visitor *visit,
                             void *CREBIND_NULLABLE context,
                             crebind_error *CREBIND_NULLABLE error);

/// A dry run of `crebind_apply_imports`: it asks `choose`, and changes no slot and no original.
crebind_status crebind_plan_imports(crebind_import_predicate *choose,
                                    void *CREBIND_NULLABLE context,
                                    const crebind_options *CREBIND_NULLABLE options,
                                    crebind_slot_visitor *visit,
                                    void *CREBIND_NULLABLE visit_context,
                                    crebind_error *CREBIND_NULLABLE error);

/// The slots of active rebindings of imports. `rebinding` counts the replacements in the order in
/// which they were given. CREBIND_PREDICATE_RUNS as of `crebind_restore_imports`.
crebind_status crebind_imports_slots(crebind_imports *imports, crebind_slot_visitor *visit,
                                     void *CREBIND_NULLABLE context,
                                     crebind_error *CREBIND_NULLABLE error);

// MARK: - Images

/// Callbacks for images that come and go; either may be NULL.
typedef struct crebind_image_observer {
  void (*CREBIND_NULLABLE added)(const crebind_image_info *image, void *CREBIND_NULLABLE context);
  void (*CREBIND_NULLABLE removed)(const crebind_image_info *image,
                                   void *CREBIND_NULLABLE context);
  void *CREBIND_NULLABLE context;
} crebind_image_observer;

/// An active observer.
typedef struct crebind_observation crebind_observation;

/// Reports every loaded image to an observer now, and each that comes or goes later, until
/// `crebind_unobserve`.
///
/// Runs without our locks, one event at a time for an observer, in the order in which the images
/// came and went. This call reports the images that are there already. Later events come on the
/// thread that called dlopen or dlclose, before that returns to its caller, or on one that calls
/// `crebind_refresh`. If another thread is calling the observer just then, that thread goes on with
/// it, and nobody waits. Images that a constructor loads are reported when the outer dlopen is
/// done, with the loader's lock free, unless libc itself loads (an NSS module for example). The
/// callbacks may call anything; images that they load are reported before that dlopen returns.
///
/// \param result Set before the first callback; left alone on failure.
crebind_status crebind_observe(const crebind_image_observer *observer,
                               crebind_observation *CREBIND_NULLABLE *CREBIND_UNSPECIFIED result,
                               crebind_error *CREBIND_NULLABLE error);

/// Waits for a callback that another thread is in. After this has returned, no callback runs any
/// more, except one that has itself called this function.
void crebind_unobserve(crebind_observation *observation);

// MARK: - Audit

/// A slot that does not lead where the loader would have bound it. The strings
/// last as long as the call.
typedef struct crebind_finding {
  crebind_slot_info slot;
  /// The image that the slot leads to, the symbol that covers the target, "" for
  /// none, and the distance in bytes from that, or else from the ELF header.
  crebind_image_info target;
  const char *target_symbol;
  uintptr_t target_offset;
  /// The target is a replacement of an active rebinding of this copy of CRebind, or a wrapper of
  /// its own. The wrappers are around dlopen and dlclose, and around dlsym and dlvsym in the images
  /// that hold replacements.
  bool is_ours;
} crebind_finding;

typedef void crebind_finding_visitor(const crebind_finding *finding,
                                     void *CREBIND_NULLABLE context);

/// Compares every slot of every image with what the loader would bind, and
/// visits the foreign ones: who else has hooked this process?
///
/// Pointers in writable data are skipped: the program may assign them. A slot that leads to
/// another definition of its own symbol's name is no finding.
crebind_status crebind_audit(crebind_finding_visitor *visit, void *CREBIND_NULLABLE context,
                             crebind_error *CREBIND_NULLABLE error);

// MARK: - Diagnosis

#define CREBIND_REASON_ROW(constant, number, word, sentence, outside, cure) \
  CREBIND_REASON_##constant = number,

/// Why a rebinding of a symbol sees the calls of an image, or does not. CRebindReasons.def describes
/// each constant.
#if defined(__clang__)
#pragma clang assume_nonnull end  // it allows no include
#endif
typedef enum crebind_reason {
#include "CRebindReasons.def"
} crebind_reason;
#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef struct crebind_diagnosis {
  crebind_reason reason;
  /// The image concerned; its header is NULL if the reason concerns no particular image.
  crebind_image_info image;
  /// The other name or version that the image asks for, the library that it is
  /// bound to, the similar name, a word that the reason explains, or "".
  const char *detail;
  /// How many slots the image has for the symbol, or for the other name.
  size_t slots;
} crebind_diagnosis;

typedef void crebind_diagnosis_visitor(const crebind_diagnosis *diagnosis,
                                       void *CREBIND_NULLABLE context);

/// Says for a rebinding that was or would be made what it does in each image
/// concerned, and if it does nothing, why. The replacement may be NULL. A broken
/// image is passed over.
///
/// Reads the files of the images in scope that neither import nor export the symbol, if they are
/// proven to be the images': their symbol tables may have it. Where nothing exports the symbol, all
/// exported names are compared with it. No file is read under a lock.
crebind_status crebind_diagnose(const crebind_rebinding *rebinding,
                                const crebind_options *CREBIND_NULLABLE options,
                                crebind_diagnosis_visitor *visit, void *CREBIND_NULLABLE context,
                                crebind_error *CREBIND_NULLABLE error);

typedef void crebind_name_visitor(const char *name, void *CREBIND_NULLABLE context);

/// Calls `visit` with other names for the function: fortified (`__open_2`), large-file (`open64`),
/// relative (`openat`), and those that compilers use instead (`puts` for `printf`). Some names do
/// not exist, and some come twice.
crebind_status crebind_other_names(const char *name, crebind_name_visitor *visit,
                                   void *CREBIND_NULLABLE context);

/// The edit distance of two similar function names: the number of letters that are inserted,
/// deleted, replaced, or exchanged with the next one. Names of six letters or more are similar
/// with up to two edits, shorter ones with one, and those of more than 63 letters never. 0 if they
/// are not similar, or equal.
size_t crebind_name_edits(const char *name, const char *other);

/// An English sentence for a reason, without a full stop. Never NULL.
const char *crebind_reason_description(crebind_reason reason);

/// The same for a reason and the word that it comes with; a name, version or library in `detail` is
/// ignored. Never NULL.
const char *crebind_reason_meaning(crebind_reason reason, const char *detail);

/// A word for a reason, such as "has-slots". Never NULL.
const char *crebind_reason_word(crebind_reason reason);

/// The meaning for a file, or for an image of another process: a sentence in which % stands for the
/// word "file" or "image". Never NULL.
const char *crebind_reason_outside(crebind_reason reason, const char *detail);

typedef void crebind_text_visitor(const char *text, void *CREBIND_NULLABLE context);

/// Says in one English sentence, without a full stop, why no slot in scope leads to a rebinding,
/// and what to do about it. It is `crebind_diagnose` for a person who asks once. Calls `visit` once
/// with it, with the names of the images and of the symbol: "price_of is linked into app itself and
/// has no slot: make it a dynamic library".
crebind_status crebind_explain(const crebind_rebinding *rebinding,
                               const crebind_options *CREBIND_NULLABLE options,
                               crebind_text_visitor *visit, void *CREBIND_NULLABLE context,
                               crebind_error *CREBIND_NULLABLE error);

// MARK: - Reentrancy

/// Enters a section of this thread that must not be entered again from within, such as a
/// replacement for malloc that prints. Offered to replacements, never forced on them; a few
/// instructions, no allocation.
///
/// \param guard A number from 0 to 63 of the caller's choice.
/// \returns false if this thread is in that section already: go on to the
///   original then, and do not call `crebind_leave`.
///
/// A child of vfork(2) shares the memory of its parent. If it enters a section and then calls
/// execve or _exit, its parent's thread stays in that section. So leave the section before the
/// original of execve is called, or do not enter one there.
bool crebind_enter(unsigned guard);
void crebind_leave(unsigned guard);

#if defined(__clang__)
#pragma clang assume_nonnull end
#pragma clang diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#include "CRebindImages.h"
#include "CRebindSections.h"

#endif
