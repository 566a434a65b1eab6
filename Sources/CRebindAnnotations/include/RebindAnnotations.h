/// Declares annotations: records that the compiler puts into the section
/// `rebind_annotations`, for a registry to find in the loaded images or in a file.
///
/// ```c
/// #include <RebindAnnotations.h>
///
/// REBIND_ANNOTATE(modules, "Mail")
/// REBIND_ANNOTATE_VALUE(services, "mail", "MailService", 10)
/// ```
///
/// No semicolon follows. This header needs nothing else: no library is linked and no
/// function is exported. C11 or C++11, gcc 11 or clang 13 and later. The records, the notes
/// that lead to them, and what linkers do to both are described in
/// Documentation/ABI/Annotations.md.

#if defined(__linux__) && !defined(REBIND_ANNOTATIONS_H)
#define REBIND_ANNOTATIONS_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/// Tells where a section of the image is, for `crebind_section_data` to find it without the
/// image's file.
///
/// Its name is a C identifier. Once is enough, at file scope; the other macros do it for
/// theirs.
#define REBIND_INDEX_SECTION(name) REBIND_INDEX(name)

/// Puts an annotation into a group, at file scope.
///
/// `group` is written without quotes and may be any words, `key` is a string literal that
/// is not empty. No semicolon follows.
#define REBIND_ANNOTATE(group, key) \
  REBIND_RECORD(__COUNTER__, #group, key, "", 0, REBIND_NULL)

/// Puts an annotation with a value and a priority into a group, at file scope.
///
/// `value` is a string literal, `priority` a constant that fits into 32 bits. Annotations with a
/// higher priority come first in their group.
#define REBIND_ANNOTATE_VALUE(group, key, value, priority) \
  REBIND_RECORD(__COUNTER__, #group, key, value, priority, REBIND_NULL)

/// Puts an annotation with an accessor into a group, at file scope.
///
/// `accessor` is a `rebind_accessor`, a function that a registry calls for the annotated type or
/// instance.
#define REBIND_ANNOTATE_ACCESSOR(group, key, value, priority, accessor) \
  REBIND_RECORD(__COUNTER__, #group, key, value, priority, accessor)

/// A request to an accessor, which stores its answer.
enum rebind_request {
  /// A Swift type, as `Any.Type`.
  REBIND_REQUEST_TYPE = 1,
  /// A new instance, as a Swift `Any`, which the accessor initialises.
  REBIND_REQUEST_INSTANCE = 2,
  /// A C pointer, as `void *`.
  REBIND_REQUEST_POINTER = 3,
};

/// Stores the answer to a `rebind_request` in `*result`; with no answer, returns 0 and leaves
/// `*result` alone.
typedef unsigned char rebind_accessor(uint32_t request, void *result);

/// The first word of a record: `RBA1`, read as little-endian bytes.
#define REBIND_RECORD_MAGIC 0x31414252u

/// The name of the notes, and their types.
#define REBIND_NOTE_NAME "Rebind"
enum {
  /// Where a section is: two self-relative words, its start and its end, and its name.
  REBIND_NOTE_SECTION = 1,
  /// Where a `rebind_listener *` is: a self-relative word.
  REBIND_NOTE_LISTENER = 2,
};

/// An image announces one of these.
enum rebind_event { REBIND_EVENT_LOADED = 1, REBIND_EVENT_UNLOADING = 2 };

/// Called for images that carry annotations, by their constructors and destructors.
///
/// \param address An address in the image.
typedef void rebind_listener(const void *address, uint32_t event);

// MARK: - Records

#ifdef __cplusplus
#define REBIND_ASSERT(condition, message) static_assert(condition, message)
#define REBIND_NULL nullptr
#define REBIND_NUMBER(value) static_cast<long long>(value)
#else
#define REBIND_ASSERT(condition, message) _Static_assert(condition, message)
#define REBIND_NULL NULL
#define REBIND_NUMBER(value) ((long long)(value))
#endif

#define REBIND_JOIN(a, b) REBIND_JOIN_EXPANDED(a, b)
#define REBIND_JOIN_EXPANDED(a, b) a##b
#define REBIND_STRING(value) REBIND_STRING_EXPANDED(value)
#define REBIND_STRING_EXPANDED(value) #value

/// Is it a string literal? Then, and only then, its length is asked for.
#define REBIND_ASSERT_LITERAL(text, name)                                                        \
  REBIND_ASSERT(__builtin_constant_p(text), "the annotation's " name " must be a string literal"); \
  REBIND_ASSERT(__builtin_constant_p(text) ? __builtin_strlen(text) + 1 == sizeof(text) : 1,     \
                "the annotation's " name " must not have a zero byte");

#define REBIND_ASSERT_FIELDS(group, key, value, priority)                                        \
  REBIND_ASSERT(sizeof(group) > 1, "the annotation's group must not be empty");                  \
  REBIND_ASSERT(__builtin_strncmp(group, "\"", 1) != 0,                                          \
                "the annotation's group must be written without quotes");                        \
  REBIND_ASSERT_LITERAL(key, "key")                                                              \
  REBIND_ASSERT(sizeof(key) > 1, "the annotation's key must not be empty");                      \
  REBIND_ASSERT_LITERAL(value, "value")                                                          \
  REBIND_ASSERT(REBIND_NUMBER(priority) >= INT32_MIN && REBIND_NUMBER(priority) <= INT32_MAX,    \
                "the annotation's priority must fit into 32 bits");

// In the order of the source, which gcc reverses from -O1 on.
#if defined(__GNUC__) && !defined(__clang__)
#define REBIND_ORDERED __attribute__((no_reorder))
#else
#define REBIND_ORDERED
#endif

// Kept by the compiler, and by a linker that drops what nothing refers to.
#define REBIND_KEPT REBIND_ORDERED __attribute__((section("rebind_annotations"), used, retain))
#define REBIND_ALIGNED __attribute__((aligned(__SIZEOF_POINTER__)))

// Not const: an accessor's address has to be relocated, and gcc refuses records with and
// without one in the same section of one file. Both the type and the variable say how they
// are aligned: else gcc aligns variables of 32 bytes and more to 32.
#define REBIND_RECORD(counter, group, key, value, priority, accessor)                            \
  REBIND_ASSERT_FIELDS(group, key, value, priority)                                              \
  REBIND_INDEX(rebind_annotations)                                                               \
  REBIND_TELL                                                                                    \
  REBIND_KEPT REBIND_ALIGNED static struct {                                                     \
    uint32_t record_magic, record_size;                                                          \
    int32_t record_priority;                                                                     \
    uint32_t record_line;                                                                        \
    rebind_accessor *record_accessor;                                                            \
    char record_group[sizeof(group)], record_key[sizeof(key)], record_value[sizeof(value)];      \
  } REBIND_ALIGNED REBIND_JOIN(rebind_record_, counter) = {                                      \
      REBIND_RECORD_MAGIC, sizeof REBIND_JOIN(rebind_record_, counter), priority, __LINE__,      \
      accessor,            group,                                       key,      value};

// MARK: - Notes

#if __SIZEOF_POINTER__ == 8
#define REBIND_WORD ".quad "
#else
#define REBIND_WORD ".long "
#endif

// A note of the owner `Rebind`, in the segment PT_NOTE. Its words are distances from
// themselves: an address would have to be relocated, and so make the headers writable.
#define REBIND_NOTE(type, description)                                                           \
  ".pushsection .note.rebind,\"a\",%note\n"                                                      \
  ".balign 4\n"                                                                                  \
  ".long 7, 3f - 2f, " type "\n"                                                                 \
  ".asciz \"" REBIND_NOTE_NAME "\"\n"                                                            \
  ".balign 4\n"                                                                                  \
  "2: " description "3:\n"                                                                       \
  ".balign 4\n"                                                                                  \
  ".popsection\n"

// Once a file. Weak, as a linker may have dropped the section: then both are 0. The declaration
// accepts only identifiers as names.
#define REBIND_INDEX(name)                                                                       \
  struct rebind_section_##name;                                                                  \
  __asm__(".ifndef .Lrebind_indexes_" #name "\n"                                                 \
          ".set .Lrebind_indexes_" #name ", 1\n"                                                 \
          ".weak __start_" #name ", __stop_" #name "\n"                                          \
          ".hidden __start_" #name ", __stop_" #name "\n"                                        \
          REBIND_NOTE("1", REBIND_WORD "__start_" #name " - .\n"                                 \
                           REBIND_WORD "__stop_" #name " - .\n"                                  \
                           ".asciz \"" #name "\"\n")                                             \
          ".endif\n");

// MARK: - Announcing load and unload

#define REBIND_FUNCTION_POINTER(section, type, function)                                         \
  ".pushsection " section ",\"aw\",%" type "\n"                                                  \
  ".balign " REBIND_STRING(__SIZEOF_POINTER__) "\n"                                              \
  REBIND_WORD function "\n"                                                                      \
  ".popsection\n"

// Once a file. By hand, so that a file that declares nothing has no constructor.
#define REBIND_TELL                                                                              \
  __asm__(".ifndef .Lrebind_tells\n"                                                             \
          ".set .Lrebind_tells, 1\n"                                                             \
          REBIND_FUNCTION_POINTER(".init_array", "init_array", "rebind_tell_loaded")             \
          REBIND_FUNCTION_POINTER(".fini_array", "fini_array", "rebind_tell_unloading")          \
          ".endif\n");

// Each image has one copy of the rest. A Swift importer does not need it.
#ifndef __swift__

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#define REBIND_SHARED __attribute__((weak, visibility("hidden"), used))

/// The fields that dl_iterate_phdr gives; link.h has them only with _GNU_SOURCE.
struct rebind_image {
  ElfW(Addr) bias;
  const char *path;
  const ElfW(Phdr) *headers;
  ElfW(Half) header_count;
};

/// The listeners in the process: a copy of Rebind each.
struct rebind_listeners {
  rebind_listener *items[16];
  size_t count;
};

extern unsigned char rebind_is_told;
extern int rebind_iterate_images(int (*visit)(struct rebind_image *, size_t, void *),
                                 void *context) __asm__("dl_iterate_phdr");
unsigned char rebind_is_loaded(const struct rebind_image *image, const char *bytes, size_t size);
int rebind_find_listeners(struct rebind_image *image, size_t size, void *context);
void rebind_tell(uint32_t event);
void rebind_tell_loaded(void);
void rebind_tell_unloading(void);

/// Do the bytes lie in one of the image's segments?
REBIND_SHARED unsigned char rebind_is_loaded(const struct rebind_image *image, const char *bytes,
                                             size_t size) {
  for (size_t i = 0; i < image->header_count; i++) {
    const ElfW(Phdr) *segment = &image->headers[i];
    size_t offset = (size_t)bytes - image->bias - segment->p_vaddr;
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) != 0 && size <= segment->p_memsz
        && offset <= segment->p_memsz - size)
      return 1;
  }
  return 0;
}

/// Collects the listeners that an image's notes name.
REBIND_SHARED int rebind_find_listeners(struct rebind_image *image, size_t size, void *context) {
  struct rebind_listeners *listeners = (struct rebind_listeners *)context;
  (void)size;
  for (size_t i = 0; i < image->header_count; i++) {
    const ElfW(Phdr) *segment = &image->headers[i];
    const char *note = (const char *)(image->bias + segment->p_vaddr);
    size_t rest = segment->p_memsz, step = segment->p_align == 8 ? 8 : 4;
    if (segment->p_type != PT_NOTE || !rebind_is_loaded(image, note, rest)) continue;
    while (rest >= 12) {
      uint32_t sizes[3]; // and the type
      __builtin_memcpy(sizes, note, 12);
      if (sizes[0] > rest - 12) break;
      size_t description = (12 + sizes[0] + step - 1) / step * step;
      if (description > rest || sizes[1] > rest - description) break;
      if (sizes[2] == REBIND_NOTE_LISTENER && sizes[0] == sizeof REBIND_NOTE_NAME
          && __builtin_memcmp(note + 12, REBIND_NOTE_NAME, sizeof REBIND_NOTE_NAME) == 0
          && sizes[1] >= sizeof(intptr_t)) {
        intptr_t distance;
        __builtin_memcpy(&distance, note + description, sizeof distance);
        const char *place = note + description + distance;
        if (rebind_is_loaded(image, place, sizeof(rebind_listener *))
            && listeners->count < sizeof listeners->items / sizeof *listeners->items) {
          rebind_listener *listener =
              __atomic_load_n((rebind_listener *const *)(uintptr_t)place, __ATOMIC_ACQUIRE);
          if (listener != REBIND_NULL) listeners->items[listeners->count++] = listener;
        }
      }
      size_t next = (description + sizes[1] + step - 1) / step * step;
      if (next > rest) break;
      note += next;
      rest -= next;
    }
  }
  return 0;
}

/// Has the image announced that it is loaded? Each of its files calls the two functions below.
REBIND_SHARED unsigned char rebind_is_told = 0;

REBIND_SHARED void rebind_tell(uint32_t event) {
  struct rebind_listeners listeners;
  listeners.count = 0;
  rebind_iterate_images(rebind_find_listeners, &listeners);
  // Not in the callback, so that a listener may look at the images as well.
  for (size_t i = 0; i < listeners.count; i++) listeners.items[i](&rebind_is_told, event);
}

REBIND_SHARED void rebind_tell_loaded(void) {
  if (rebind_is_told) return;
  rebind_is_told = 1;
  rebind_tell(REBIND_EVENT_LOADED);
}

REBIND_SHARED void rebind_tell_unloading(void) {
  if (!rebind_is_told) return;
  rebind_is_told = 0;
  rebind_tell(REBIND_EVENT_UNLOADING);
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif

#endif
