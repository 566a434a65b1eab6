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
/// This header needs nothing else: no library is linked and no symbol is exported.
/// C11 or C++11, gcc 11 or clang 13 and later. The records, and the notes that lead to
/// them, are described in Documentation/ABI/Annotations.md.

#ifndef REBIND_ANNOTATIONS_H
#define REBIND_ANNOTATIONS_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/// Tells where a section of the image is, whose name is a C identifier, for
/// `crebind_section_data` to find it without the image's file. Once is enough, at file
/// scope; the other macros do it for theirs.
#define REBIND_INDEX_SECTION(name) REBIND_INDEX(name)

/// Puts an annotation into a group, at file scope. `group` is written without quotes
/// and may be any word, `key` is a string literal that is not empty.
#define REBIND_ANNOTATE(group, key) REBIND_ANNOTATE_VALUE(group, key, "", 0)

/// The same with a value, a string literal, and a priority, a constant that fits into 32
/// bits: of a group, those with a higher one come first.
#define REBIND_ANNOTATE_VALUE(group, key, value, priority) \
  REBIND_RECORD(__COUNTER__, #group, key, value, priority, 0)

/// The same with an accessor, a function that a registry calls for what the annotation
/// stands for.
#define REBIND_ANNOTATE_ACCESSOR(group, key, value, priority, accessor) \
  REBIND_RECORD(__COUNTER__, #group, key, value, priority, accessor)

/// What an accessor is asked for, and where it stores the answer.
enum rebind_request {
  /// A Swift type, as `Any.Type`.
  REBIND_REQUEST_TYPE = 1,
  /// A new instance, as a Swift `Any`, which the accessor initialises.
  REBIND_REQUEST_INSTANCE = 2,
  /// A C pointer, as `void *`.
  REBIND_REQUEST_POINTER = 3,
};

/// Stores the answer to a `rebind_request` in `*result`; 0 if it has none, and then it
/// leaves `*result` alone.
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

/// What an image tells of itself.
enum rebind_event { REBIND_EVENT_LOADED = 1, REBIND_EVENT_UNLOADING = 2 };

/// Is told of images that carry annotations, by their constructors and destructors.
///
/// \param address An address in the image.
typedef void rebind_listener(const void *address, uint32_t event);

// MARK: - Records

#ifdef __cplusplus
#define REBIND_ASSERT(condition, message) static_assert(condition, message)
#else
#define REBIND_ASSERT(condition, message) _Static_assert(condition, message)
#endif

#define REBIND_JOIN(a, b) REBIND_JOIN_EXPANDED(a, b)
#define REBIND_JOIN_EXPANDED(a, b) a##b

// Not const: an accessor's address has to be relocated, and gcc refuses records with and
// without one in the same section of one file. Aligned by ourselves: else gcc aligns to 32.
#define REBIND_RECORD(counter, group, key, value, priority, accessor)                       \
  REBIND_ASSERT(sizeof(group) > 1 && sizeof(key) > 1, "the group or the key is empty");     \
  REBIND_ASSERT(__builtin_strlen(key "") == sizeof(key) - 1                                 \
                    && __builtin_strlen(value "") == sizeof(value) - 1,                     \
                "the key or the value has a zero byte");                                    \
  REBIND_INDEX(rebind_annotations)                                                          \
  REBIND_TELL                                                                               \
  __attribute__((section("rebind_annotations"), used, retain,                               \
                 aligned(sizeof(void *)))) static struct {                                  \
    uint32_t record_magic, record_size;                                                     \
    int32_t record_priority;                                                                \
    uint32_t record_line;                                                                   \
    rebind_accessor *record_accessor;                                                       \
    char record_group[sizeof(group)], record_key[sizeof(key)], record_value[sizeof(value)]; \
  } __attribute__((aligned(sizeof(void *)))) REBIND_JOIN(rebind_record_, counter) = {       \
      REBIND_RECORD_MAGIC, sizeof REBIND_JOIN(rebind_record_, counter),                     \
      priority, __LINE__, accessor, group, key "", value ""};

// MARK: - Notes

#if __SIZEOF_POINTER__ == 8
#define REBIND_WORD ".quad"
#else
#define REBIND_WORD ".long"
#endif

/// A note of the owner `Rebind`, in the segment PT_NOTE. Self-relative, as a pointer would
/// have to be relocated, and so make the headers writable.
#define REBIND_NOTE(type, description)    \
  ".pushsection .note.rebind,\"a\",%note\n" \
  ".balign 4\n"                           \
  ".long 7, 3f - 2f, " type "\n"          \
  ".asciz \"" REBIND_NOTE_NAME "\"\n"     \
  ".balign 4\n"                           \
  "2:" description "3:"                   \
  ".balign 4\n"                           \
  ".popsection\n"

// Once a file. Weak, as a linker may have dropped the section: then both are 0.
#define REBIND_INDEX(name)                          \
  __asm__(".ifndef rebind_index_" #name "\n"        \
          ".set rebind_index_" #name ", 1\n"        \
          ".weak __start_" #name ", __stop_" #name "\n"   \
          ".hidden __start_" #name ", __stop_" #name "\n" \
          REBIND_NOTE("1", REBIND_WORD " __start_" #name " - .\n" \
                           REBIND_WORD " __stop_" #name " - .\n"  \
                           ".asciz \"" #name "\"\n")              \
          ".endif\n");

// MARK: - Telling of load and unload

// Once a file, and once an image by rebind_told. By hand, so that a file that declares
// nothing has no constructor.
#define REBIND_TELL                                        \
  __asm__(".ifndef rebind_tells\n"                         \
          ".set rebind_tells, 1\n"                         \
          ".pushsection .init_array,\"aw\",%init_array\n"  \
          ".balign " REBIND_STRING(__SIZEOF_POINTER__) "\n" REBIND_WORD " rebind_tell_loaded\n"    \
          ".popsection\n"                                  \
          ".pushsection .fini_array,\"aw\",%fini_array\n"  \
          ".balign " REBIND_STRING(__SIZEOF_POINTER__) "\n" REBIND_WORD " rebind_tell_unloading\n" \
          ".popsection\n"                                  \
          ".endif\n");

#define REBIND_STRING(value) REBIND_STRING_EXPANDED(value)
#define REBIND_STRING_EXPANDED(value) #value

#ifndef __swift__

#ifdef __cplusplus
extern "C" {
#endif

#define REBIND_SHARED __attribute__((weak, visibility("hidden"), used, unused))

/// What dl_iterate_phdr gives; link.h has it only with _GNU_SOURCE.
struct rebind_phdr_info {
  ElfW(Addr) bias;
  const char *path;
  const ElfW(Phdr) * headers;
  ElfW(Half) header_count;
};
extern int rebind_iterate_images(int (*visit)(struct rebind_phdr_info *, size_t, void *),
                                 void *context) __asm__("dl_iterate_phdr");

/// The listeners in the process: a copy of Rebind each.
struct rebind_listeners {
  rebind_listener *items[16];
  size_t count;
};

/// Collects the listeners that an image's notes name.
REBIND_SHARED int rebind_find_listeners(struct rebind_phdr_info *image, size_t size,
                                        void *context) {
  struct rebind_listeners *listeners = (struct rebind_listeners *)context;
  (void)size;
  for (size_t i = 0; i < image->header_count; i++) {
    if (image->headers[i].p_type != PT_NOTE) continue;
    const char *note = (const char *)(image->bias + image->headers[i].p_vaddr);
    size_t rest = image->headers[i].p_memsz;
    size_t step = image->headers[i].p_align == 8 ? 8 : 4;
    while (rest >= 12) {
      uint32_t header[3];
      __builtin_memcpy(header, note, 12);
      size_t name = 12, description, next;
      if (header[0] > rest - 12) break;
      description = (name + header[0] + step - 1) & ~(step - 1);
      if (description > rest || header[1] > rest - description) break;
      if (header[0] == sizeof REBIND_NOTE_NAME && header[2] == REBIND_NOTE_LISTENER
          && header[1] >= sizeof(intptr_t)
          && __builtin_memcmp(note + name, REBIND_NOTE_NAME, sizeof REBIND_NOTE_NAME) == 0
          && listeners->count < sizeof listeners->items / sizeof *listeners->items) {
        intptr_t distance;
        __builtin_memcpy(&distance, note + description, sizeof distance);
        rebind_listener *const *place = (rebind_listener *const *)(note + description + distance);
        rebind_listener *listener = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        if (listener != NULL) listeners->items[listeners->count++] = listener;
      }
      next = (description + header[1] + step - 1) & ~(step - 1);
      if (next > rest) break;
      note += next;
      rest -= next;
    }
  }
  return 0;
}

REBIND_SHARED unsigned char rebind_told = 0;

REBIND_SHARED void rebind_tell(uint32_t event) {
  struct rebind_listeners listeners;
  listeners.count = 0;
  rebind_iterate_images(rebind_find_listeners, &listeners);
  // Not in the callback: the loader's lock is held there.
  for (size_t i = 0; i < listeners.count; i++) listeners.items[i](&rebind_told, event);
}

REBIND_SHARED void rebind_tell_loaded(void) {
  if (rebind_told++ == 0) rebind_tell(REBIND_EVENT_LOADED);
}

REBIND_SHARED void rebind_tell_unloading(void) {
  if (--rebind_told == 0) rebind_tell(REBIND_EVENT_UNLOADING);
}

#ifdef __cplusplus
}
#endif

#endif

#endif
