/// The ways by which calls come: backtraces, and a table of those that calls share.
///
/// Backtraces and the table are made at a call, inside whatever is rebound or counted. They take no lock, and call no
/// function that allocates. All other functions are for the code that makes and reads a table.

#if defined(__linux__) && !defined(CREBIND_SITES_H)
#define CREBIND_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#elif !defined(_Nullable)
#define _Nullable
#endif

// MARK: - Backtraces

/// The largest number of frames of a site.
#define CREBIND_REACH_SITE_FRAMES 48

/// The largest number of places by which a stack is recognised.
#define CREBIND_REACH_LINKS 64

/// A place of the stack, and the return address there.
typedef struct crebind_reach_link {
  const uintptr_t *place;
  uintptr_t address;
} crebind_reach_link;

/// The return addresses on this thread's stack, the caller's first.
typedef struct crebind_reach_frames {
  uint32_t count;
  /// There were more frames than are kept, or than were found.
  bool is_cut;
  uintptr_t addresses[CREBIND_REACH_SITE_FRAMES];
  /// The places of all frames behind the caller's, those that are left out too. The stack has the same frames as long
  /// as the caller's place is the same, and these have the same addresses. `is_linked` requests these places; it is
  /// false if one is unknown.
  bool is_linked;
  uint32_t link_count;
  crebind_reach_link links[CREBIND_REACH_LINKS];
} crebind_reach_frames;

/// Finds the frames from a caller on: those that the unwinder of exceptions finds, which neither allocates nor, with
/// glibc 2.35 and GCC 12 or newer, takes a lock. Behind a function without an unwind table, the frames go on by frame
/// pointers, on x86-64 and AArch64 with such a glibc. There, functions that keep no frame pointer are missing. Without
/// glibc, a program that does not have the unwinder gets the caller's frame alone.
void crebind_reach_find_frames(crebind_reach_frames *frames, const void *caller);

typedef bool crebind_reach_is_inside(const void *_Nullable context, uintptr_t address);

/// The first frame of this thread, from a caller on, that is in other code; 0 for none.
///
/// \param is_inside Whether an address is in the code that is passed over.
uintptr_t crebind_reach_frame_outside(uintptr_t caller, crebind_reach_is_inside *is_inside,
                                      const void *_Nullable context);

/// Marks a function whose frame is in no backtrace, such as a counter. The linker says where their section is.
#define CREBIND_REACH_LEFT_OUT __attribute__((section("crebind_left_out")))

/// The unwinder's first call prepares constants, under a lock. Call this before a rebound or counted call needs
/// the unwinder.
void crebind_reach_prepare_frames(void);

// MARK: - Sites

/// A table of backtraces, and how many calls came by each.
typedef struct crebind_reach_sites crebind_reach_sites;

/// The calls of a function that came by the same way.
typedef struct crebind_reach_site {
  /// The owner's number of the function.
  uint32_t function;
  uint64_t calls;
  /// The sum of what was noted with the calls, such as bytes or nanoseconds, and the greatest of these numbers.
  uint64_t amount, greatest;
  /// The return addresses, the caller's first. It is not NULL in a site that has been read.
  const uintptr_t *_Nullable frames;
  size_t frame_count;
  bool is_cut;
} crebind_reach_site;

/// \param limit The largest number of sites. Calls of further sites are counted as dropped.
/// \returns NULL if memory runs out.
crebind_reach_sites *_Nullable crebind_reach_make_sites(size_t limit);
void crebind_reach_free_sites(crebind_reach_sites *sites);

/// Counts a call of this thread for its site, or as dropped. Takes some microseconds, and on x86-64 less than one for a
/// call whose stack is that of a recent one.
///
/// \param place Where the caller's address was on the stack; NULL for a call that is no recent one's kin.
/// \returns 1 more than the position that gives the site; 0 for a call that was dropped.
size_t crebind_reach_note_call(crebind_reach_sites *sites, uint32_t function, const void *caller,
                               const void *_Nullable place, uint64_t amount);

/// Gives one site. Its frames last as long as the table.
///
/// \param position 0 for the first one. Receives what gives the next one.
/// \returns false for no more.
bool crebind_reach_next_site(const crebind_reach_sites *sites, size_t *position,
                             crebind_reach_site *site);

/// The calls that have no site, because there were too many.
uint64_t crebind_reach_dropped_calls(const crebind_reach_sites *sites);

/// Whether the image at a frame's address has been there since the table was made. Otherwise its names may be wrong.
/// Call this after you have read the names.
bool crebind_reach_is_certain(const crebind_reach_sites *sites, uintptr_t address);

// MARK: - Images that come and go

/// The images that the loader has loaded so far, and those that it has unloaded. The loader may reuse an unloaded
/// image's place for another image.
typedef struct crebind_reach_loader_counts {
  unsigned long long loaded, unloaded;
} crebind_reach_loader_counts;

/// The counts now.
crebind_reach_loader_counts crebind_reach_loader_counts_now(void);

/// Whether an address has certainly had no other image since these counts. True if no image was unloaded, if none
/// was loaded, or if the image at it now is as old as this code.
bool crebind_reach_has_stayed(crebind_reach_loader_counts since, uintptr_t address);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
