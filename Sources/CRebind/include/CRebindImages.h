/// The contents of the loaded images (segments, dynamic tables, symbols and slots), as values that
/// callers may keep in any form.
///
/// Looking changes nothing: no image is served and no observer told. Each call
/// takes a picture under the loader's lock, and calls back without any lock, so
/// that an image may be gone by the time its description arrives.
///
/// CRebind.h includes this file.

#if defined(__linux__) && !defined(CREBIND_IMAGES_H)
#define CREBIND_IMAGES_H

#include "CRebind.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#pragma clang assume_nonnull begin
#endif

// MARK: - Images

/// A program header. Addresses are link-time addresses: add the load bias.
typedef struct crebind_segment {
  /// `p_type` and `p_flags`.
  uint32_t type, flags;
  /// `p_offset`, `p_vaddr`, `p_filesz`, `p_memsz` and `p_align`.
  uint64_t offset, address, file_size, memory_size, alignment;
} crebind_segment;

/// An entry of the dynamic table.
typedef struct crebind_dynamic_entry {
  /// `d_tag`.
  int64_t tag;
  /// `d_val` or `d_ptr`; an address as the linker wrote it, without the load bias
  /// that glibc adds to some of them in memory.
  uint64_t value;
  /// The string of DT_STRTAB that the value names, for DT_NEEDED, DT_SONAME,
  /// DT_RPATH, DT_RUNPATH and their kind; else NULL.
  const char *CREBIND_NULLABLE string;
} crebind_dynamic_entry;

/// All that an image's headers say. The arrays and strings last as long as the
/// call.
typedef struct crebind_image_contents {
  crebind_image_info info;
  /// The address of the dynamic table, 0 in a static executable. Together with the load bias and
  /// the generation it identifies the image.
  uintptr_t dynamic;
  /// The loader's `dlpi_adds` when this copy of CRebind first saw the image: tells
  /// it from one that was at its place before.
  uint64_t generation;
  /// `e_type` and `e_machine` of the ELF header, 0 if that is not in memory.
  uint16_t type, machine;
  /// The program; the vDSO; the loader, unless it is also the C library.
  bool is_main, is_vdso, is_loader;
  const crebind_segment *segments;
  size_t segment_count;
  /// The dynamic table up to DT_NULL.
  const crebind_dynamic_entry *CREBIND_NULLABLE dynamic_entries;
  size_t dynamic_entry_count;
  /// The descriptor of the note NT_GNU_BUILD_ID; none has the size 0.
  const uint8_t *CREBIND_NULLABLE build_id;
  size_t build_id_size;
  /// The tag that points outside of the segments, so that the image has neither
  /// symbols nor slots for us; INT64_MIN if none does.
  int64_t broken_tag;
} crebind_image_contents;

typedef void crebind_image_visitor(const crebind_image_contents *image,
                                   void *CREBIND_NULLABLE context);

/// Visits the loaded images in the loader's order, the program first. A broken
/// image is visited with what can be said of it.
crebind_status crebind_images(crebind_image_visitor *visit, void *CREBIND_NULLABLE context,
                              crebind_error *CREBIND_NULLABLE error);

/// The address of the ELF header of the loaded image that an address lies in; NULL
/// for memory of no image. In proportion to the number of images.
const void *CREBIND_NULLABLE crebind_image_containing(const void *CREBIND_NULLABLE address);

// MARK: - Machines

/// Where the loader adds the addend of a jump slot or of a glob dat to the function's address.
/// `ld -z mark-plt` writes addends that mean something else. musl's do_relocs always adds them; this
/// is glibc's rule: elf_machine_rela at load, and elf_machine_plt_value at the first call.
typedef enum crebind_addends {
  CREBIND_ADDENDS_IGNORED,
  CREBIND_ADDENDS_ADDED_AT_LOAD,
  CREBIND_ADDENDS_ADDED,
} crebind_addends;

/// A machine and its relocation types that fill slots.
typedef struct crebind_machine {
  /// `e_machine`, and the width of addresses in bits; 0 for any.
  int machine, bits;
  /// NULL if the core does not run there.
  const char *CREBIND_NULLABLE name;
  /// The beginning of the types' names, `R_*_`.
  const char *prefix;
  /// The types, -1 for none, and the ends of their names, NULL for none.
  int jump_slot;
  const char *CREBIND_NULLABLE jump_slot_name;
  int glob_dat;
  const char *CREBIND_NULLABLE glob_dat_name;
  int absolute;
  const char *CREBIND_NULLABLE absolute_name;
  /// The types of data that the loader copies into a program, and of words that the load bias is
  /// added to; -1 if it is not known.
  int copy, relative;
  crebind_addends addends;
} crebind_machine;

/// A machine by `e_machine` and the width of its addresses; NULL if its slots are not known.
const crebind_machine *CREBIND_NULLABLE crebind_machine_with(int machine, int bits);

// MARK: - Symbols

/// An entry of the dynamic symbol table. The strings last as long as the call.
typedef struct crebind_symbol_info {
  /// The index in the table, from 1: index 0 is the null symbol.
  size_t index;
  const char *name;
  /// The version that the image defines it with, or asks for; NULL for none.
  const char *CREBIND_NULLABLE version;
  /// A definition that a reference without a version may take (`name@@VERSION`).
  bool is_default_version;
  /// `st_value`, without any rebinding of ours, and `st_size`.
  uint64_t value, size;
  /// `STT_*`, `STB_*` and `STV_*`.
  uint8_t type, binding, visibility;
  /// `st_shndx`; SHN_UNDEF for a symbol that is not defined here.
  uint16_t section;
} crebind_symbol_info;

typedef void crebind_symbol_visitor(const crebind_symbol_info *symbol,
                                    void *CREBIND_NULLABLE context);

/// Visits the dynamic symbols of a loaded image.
///
/// \param header The address of the image's ELF header.
/// \param name NULL for all, in the table's order. Otherwise only the definitions of this name, one
///   for each version: those that the hash table has. Without a name, visits as many symbols as the
///   hash table counts or the relocations name. With a name, takes constant time for most names
///   that the image does not define.
crebind_status crebind_symbols(const void *header, const char *CREBIND_NULLABLE name,
                               crebind_symbol_visitor *visit, void *CREBIND_NULLABLE context,
                               crebind_error *CREBIND_NULLABLE error);

// MARK: - Slots

/// The image and symbol that an address is in, as dladdr(3) gives them. The strings last as long as
/// the call.
typedef struct crebind_target {
  uintptr_t address;
  /// NULL header: no image.
  crebind_image_info image;
  /// The symbol that covers the address; "" if the image exports no such symbol.
  const char *symbol;
  /// The distance in bytes from the symbol, or from the ELF header if `symbol` is "".
  uintptr_t offset;
} crebind_target;

/// The party that overwrote the loader's word in a slot.
typedef enum crebind_rebinder {
  /// The slot leads where the loader binds it, or is not bound yet. Also a pointer
  /// in writable data, which is the program's to assign.
  CREBIND_REBOUND_BY_NOBODY = 0,
  /// An active rebinding of this copy of CRebind.
  CREBIND_REBOUND_BY_US = 1,
  CREBIND_REBOUND_BY_SOMEONE_ELSE = 2,
  /// The caller has asked for no targets.
  CREBIND_REBINDER_UNKNOWN = 3,
} crebind_rebinder;

/// A slot and what it holds. The strings last as long as the call.
typedef struct crebind_slot_contents {
  const char *symbol;
  /// The version that the image asks for, or NULL.
  const char *CREBIND_NULLABLE version;
  /// The run-time address.
  uintptr_t address;
  crebind_slot_kind kind;
  /// `R_*`, of the machine that the image is for.
  uint32_t relocation;
  /// False for REL, whose addend was in the slot before the loader filled it.
  bool has_addend;
  intptr_t addend;
  uintptr_t word;
  /// The slot is a jump slot that still leads to the loader's resolver.
  bool is_unresolved;
  /// The slot lies in pages that are read-only after relocation.
  bool is_relro;
  crebind_rebinder rebinder;
  /// Where the word leads, without what the loader has added. NULL image header and address 0
  /// if the slot is unresolved, or holds NULL.
  crebind_target target;
} crebind_slot_contents;

typedef void crebind_slot_contents_visitor(const crebind_slot_contents *slot,
                                           void *CREBIND_NULLABLE context);

/// Visits all slots of a loaded image, in the order of its relocations. It leaves out relocations
/// that are packed for Android (DT_ANDROID_REL, DT_ANDROID_RELA): the loaders of glibc and musl do
/// not apply them.
///
/// \param header The address of the image's ELF header.
/// \param finds_targets False leaves out `target` (its address is 0) and `rebinder`. Then the time is
///   in proportion to the image's relocations. Otherwise each slot costs a lookup. A slot that does
///   not lead where the loader binds it also costs a search of its target's symbols.
crebind_status crebind_image_slots(const void *header, bool finds_targets,
                                   crebind_slot_contents_visitor *visit,
                                   void *CREBIND_NULLABLE context,
                                   crebind_error *CREBIND_NULLABLE error);

typedef void crebind_target_visitor(const crebind_target *target, void *CREBIND_NULLABLE context);

/// Visits the image and symbol that an address is in, once. This is dladdr(3), but works even if
/// dladdr is rebound. In proportion to the symbols of the image.
crebind_status crebind_describe_address(uintptr_t address, crebind_target_visitor *visit,
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
