/// The sections of the loaded images, and the annotations in them.
///
/// A loaded image has no section headers. A section is known from a note that the image carries, or
/// from the image's file, once that is proven to be the same. Documentation/ABI/Annotations.md
/// describes notes and records.
///
/// CRebind.h includes this file.

#if defined(__linux__) && !defined(CREBIND_SECTIONS_H)
#define CREBIND_SECTIONS_H

#include "CRebindImages.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#pragma clang assume_nonnull begin
#endif

// MARK: - Sections

/// The source that says where a section is.
typedef enum crebind_section_source {
  /// A note of type NT_REBIND_SECTION in the image.
  CREBIND_SECTION_FROM_NOTE = 1,
  /// The section headers of the image's file.
  CREBIND_SECTION_FROM_FILE = 2,
  /// The section headers of the vDSO, which are in memory.
  CREBIND_SECTION_FROM_MEMORY = 3,
} crebind_section_source;

/// A section of a loaded image. The name lasts as long as the call.
typedef struct crebind_section {
  const char *name;
  /// The run-time address; 0 for a section that is in the file alone.
  uintptr_t address;
  /// In bytes.
  size_t size;
  /// `sh_type` and `sh_flags`. For a section from a note, these are SHT_PROGBITS and the flags that
  /// match the segment's permissions.
  uint32_t type;
  uint64_t flags;
  /// `sh_addralign` and `sh_entsize`; 1 and 0 for a section from a note.
  uint64_t alignment, entry_size;
  crebind_section_source source;
} crebind_section;

typedef void crebind_section_visitor(const crebind_section *section,
                                     void *CREBIND_NULLABLE context);

/// Visits all sections of a loaded image, in the order of its file's section headers.
///
/// \param header The address of the image's ELF header. The first call reads the image's file; a
/// second one reads nothing.
crebind_status crebind_sections(const void *header, crebind_section_visitor *visit,
                                void *CREBIND_NULLABLE context,
                                crebind_error *CREBIND_NULLABLE error);

/// Visits a section of a loaded image, once: the first of that name that is loaded.
/// macOS has getsectiondata for this.
///
/// Asks the image's notes, then its file. The file must have the same build ID, or no build ID but
/// the same headers and the same read-only segments. The vDSO has its own headers. The errors
/// CREBIND_NO_SECTION, CREBIND_SECTION_NOT_LOADED, CREBIND_NO_FILE, CREBIND_OTHER_FILE,
/// CREBIND_NO_SECTION_HEADERS and CREBIND_BROKEN_FILE say why it failed.
crebind_status crebind_section_data(const void *header, const char *name,
                                    crebind_section_visitor *visit,
                                    void *CREBIND_NULLABLE context,
                                    crebind_error *CREBIND_NULLABLE error);

// MARK: - Annotations

/// Why bytes of the section `rebind_annotations` are no record.
typedef enum crebind_record_fault {
  CREBIND_RECORD_VALID = 0,
  /// The magic is missing where a record has to start.
  CREBIND_RECORD_NO_MAGIC = 1,
  /// A version that this copy of CRebind does not know.
  CREBIND_RECORD_VERSION = 2,
  /// The size is too small, too large, or no multiple of a word.
  CREBIND_RECORD_SIZE = 3,
  /// The section ends before the record does.
  CREBIND_RECORD_TRUNCATED = 4,
  /// A string has no zero byte at its end, or bytes follow the last one.
  CREBIND_RECORD_STRINGS = 5,
  /// A string is not UTF-8.
  CREBIND_RECORD_ENCODING = 6,
  /// The group or the key is empty.
  CREBIND_RECORD_EMPTY = 7,
  /// The accessor does not lie in an executable segment of the image.
  CREBIND_RECORD_ACCESSOR = 8,
} crebind_record_fault;

/// The fault as a sentence.
const char *crebind_record_fault_description(crebind_record_fault fault);

/// A record, or what stands in a record's place. The strings point into the bytes.
typedef struct crebind_record {
  crebind_record_fault fault;
  /// From the start of the bytes.
  size_t offset;
  /// The size of the record; for a fault, the number of bytes up to where reading goes on.
  size_t size;
  /// "" if the record has a fault.
  const char *group, *key, *value;
  int32_t priority;
  uint32_t line;
  /// 0 for none.
  uint64_t accessor;
} crebind_record;

/// How the bytes were written.
typedef struct crebind_record_format {
  /// The image's addresses have 8 bytes, not 4.
  bool is_64_bit;
  /// The image's byte order is not this machine's.
  bool is_swapped;
} crebind_record_format;

/// Reads the first record at or after an offset, or finds the first fault there: the
/// caller goes on at `record->offset + record->size`. Accessors are not looked at.
///
/// \param bytes The contents of a section, of this process or read from a file; aligned
///   in any way.
/// \returns False if only padding follows.
bool crebind_next_record(const void *bytes, size_t size, crebind_record_format format,
                         size_t offset, crebind_record *record);

/// An annotation of a loaded image, or a fault in its section. The strings last as long
/// as the call.
typedef struct crebind_annotation {
  crebind_record record;
  /// The image that carries it.
  crebind_image_info image;
  /// The same as in `crebind_image_contents`.
  uintptr_t dynamic;
  uint64_t generation;
  /// The image's place in the loader's order.
  size_t image_index;
  /// Where the section is.
  uintptr_t section;
  crebind_section_source source;
} crebind_annotation;

typedef void crebind_annotation_visitor(const crebind_annotation *annotation,
                                        void *CREBIND_NULLABLE context);

/// Visits the annotations of all loaded images, in the order of the images and of the
/// section, faults included.
///
/// Records are copied under the loader's lock, and visited without any. An image that carries no
/// note is skipped if its file cannot be read, or is a different file.
///
/// \param group Only those of this group, and the faults; NULL for all.
/// In proportion to the images and their annotations; each file is read once.
crebind_status crebind_annotations(const char *CREBIND_NULLABLE group,
                                   crebind_annotation_visitor *visit,
                                   void *CREBIND_NULLABLE context,
                                   crebind_error *CREBIND_NULLABLE error);

/// Changes when an image that may carry annotations comes or goes. Equal values mean that
/// `crebind_annotations` visits the same annotations. Never 0. One walk over the images, with
/// nothing read.
uint64_t crebind_annotations_generation(void);

/// A reference to a loaded image, which keeps it loaded.
typedef struct crebind_image_hold crebind_image_hold;

/// Keeps an image loaded until `crebind_release_image`, by asking the loader for one more
/// reference. An image with Swift code is kept for good, as unloading one leaves the Swift
/// runtime with dangling pointers.
///
/// \param header,dynamic,generation As in `crebind_image_contents`: CREBIND_NO_SUCH_IMAGE
///   if it is not that image any more.
/// \param hold Set to NULL for an image that is never unloaded.
crebind_status crebind_hold_image(const void *header, uintptr_t dynamic, uint64_t generation,
                                  crebind_image_hold *CREBIND_NULLABLE *CREBIND_UNSPECIFIED hold,
                                  crebind_error *CREBIND_NULLABLE error);

/// Gives the reference back: unloads the image if it was the last one.
void crebind_release_image(crebind_image_hold *CREBIND_NULLABLE hold);

/// Called for images that carry annotations and announce themselves: by their constructors, and by
/// their destructors, before they are gone.
///
/// Called on the thread that loads or unloads, with the loader's lock held: it must not
/// wait for a thread that may ask the loader something. `header` is the address of the
/// image's ELF header.
typedef void crebind_annotation_listener(const void *header, bool is_loaded,
                                         void *CREBIND_NULLABLE context);

/// Calls a listener until the process ends: its image stays loaded. It is not called for images
/// that unload as the process exits. A copy of CRebind has one listener: a new listener
/// replaces the old one.
void crebind_listen_for_annotations(crebind_annotation_listener *CREBIND_NULLABLE listener,
                                    void *CREBIND_NULLABLE context);

/// Visits the images that carry a copy of CRebind, this one's first.
crebind_status crebind_copies(void (*visit)(const crebind_image_info *image,
                                            void *CREBIND_NULLABLE context),
                              void *CREBIND_NULLABLE context,
                              crebind_error *CREBIND_NULLABLE error);

#if defined(__clang__)
#pragma clang assume_nonnull end
#pragma clang diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif
