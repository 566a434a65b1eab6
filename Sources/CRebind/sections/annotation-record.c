#if defined(__linux__)
#define _GNU_SOURCE
#include "CRebind.h"
#include "runtime/runtime.h"

/// `RBA` and a digit; only version 1 is known.
#define MAGIC UINT32_C(0x31414252)

/// Nothing longer is a record. So one of the bytes of each size is zero, which is the end of a
/// string. A record that claims others to be its strings is read only up to the third of them. So
/// bad bytes are read in proportion to their number.
#define SIZE_LIMIT UINT32_C(0x1000000)

/// The bytes of a section.
struct section {
  const unsigned char *bytes;
  size_t size;
  bool is_big_endian;
  /// Of an address.
  size_t word;
};

static uint64_t read_number(const struct section *section, size_t offset, size_t count) {
  uint64_t number = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t byte = section->bytes[offset + i];
    number |= byte << 8 * (section->is_big_endian ? count - 1 - i : i);
  }
  return number;
}

static bool has_magic(const struct section *section, size_t offset) {
  if (section->size - offset < sizeof MAGIC) return false;
  uint32_t number = (uint32_t)read_number(section, offset, sizeof MAGIC);
  return (number ^ MAGIC) << 8 == 0 && number >> 24 >= '0' && number >> 24 <= '9';
}

/// Where the word at an offset ends.
static size_t next_word(const struct section *section, size_t offset) {
  return section->size - offset < section->word ? section->size : offset + section->word;
}

static size_t skip_padding(const struct section *section, size_t offset) {
  while (offset < section->size) {
    size_t next = next_word(section, offset);
    if (read_number(section, offset, next - offset) != 0) break;
    offset = next;
  }
  return offset;
}

// MARK: Strings

/// The bytes of the UTF-8 character at the start of a string that ends with a zero byte; 0
/// for none. Overlong ones, surrogates and those above U+10FFFF are none.
static size_t character_size(const unsigned char *string) {
  unsigned char first = string[0], low = 0x80, high = 0xbf;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  for (size_t i = 1; i < size; i++) {
    // A zero byte fails here: the end is not passed.
    if (string[i] < low || string[i] > high) return 0;
    low = 0x80, high = 0xbf;
  }
  return size;
}

static bool is_utf8(const char *string) {
  const unsigned char *rest = (const unsigned char *)string;
  while (*rest != 0) {
    size_t size = character_size(rest);
    if (size == 0) return false;
    rest += size;
    CREBIND_KEEP_LOOP();
  }
  return true;
}

/// Finds three strings that end before `end`, and zeros from there on.
static bool find_strings(const struct section *section, size_t offset, size_t end,
                         const char *strings[3]) {
  for (int i = 0; i < 3; i++) {
    strings[i] = (const char *)section->bytes + offset;
    while (offset < end && section->bytes[offset] != 0) {
      offset++;
      CREBIND_KEEP_LOOP();
    }
    if (offset++ == end) return false;
  }
  for (; offset < end; offset++)
    if (section->bytes[offset] != 0) return false;
  return true;
}

// MARK: Records

static crebind_record_fault read_record(const struct section *section, size_t offset,
                                        crebind_record *record) {
  const char *strings[3];
  size_t rest = section->size - offset, header = 16 + section->word;
  if (!has_magic(section, offset)) return CREBIND_RECORD_NO_MAGIC;
  if (read_number(section, offset, 4) != MAGIC) return CREBIND_RECORD_VERSION;
  if (rest < 8) return CREBIND_RECORD_TRUNCATED;
  size_t size = (size_t)read_number(section, offset + 4, 4);
  if (size <= header || size % section->word != 0 || size >= SIZE_LIMIT)
    return CREBIND_RECORD_SIZE;
  if (size > rest) return CREBIND_RECORD_TRUNCATED;
  if (!find_strings(section, offset + header, offset + size, strings))
    return CREBIND_RECORD_STRINGS;
  for (int i = 0; i < 3; i++)
    if (!is_utf8(strings[i])) return CREBIND_RECORD_ENCODING;
  if (strings[0][0] == 0 || strings[1][0] == 0) return CREBIND_RECORD_EMPTY;

  record->size = size;
  record->group = strings[0];
  record->key = strings[1];
  record->value = strings[2];
  record->priority = (int32_t)(uint32_t)read_number(section, offset + 8, 4);
  record->line = (uint32_t)read_number(section, offset + 12, 4);
  record->accessor = read_number(section, offset + 16, section->word);
  return CREBIND_RECORD_VALID;
}

bool crebind_next_record(const void *bytes, size_t size, crebind_record_format format,
                         size_t offset, crebind_record *record) {
  bool is_big_endian = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != format.is_swapped;
  struct section section = {bytes, size, is_big_endian, format.is_64_bit ? 8 : 4};
  if (offset >= size) return false;
  // Records start at words.
  if (offset % section.word != 0) offset = next_word(&section, offset - offset % section.word);
  offset = skip_padding(&section, offset);
  if (offset == size) return false;

  *record = (crebind_record){.offset = offset, .group = "", .key = "", .value = ""};
  record->fault = read_record(&section, offset, record);
  if (record->fault != CREBIND_RECORD_VALID) {
    size_t end = next_word(&section, offset);
    while (end < size && !has_magic(&section, end)) end = next_word(&section, end);
    record->size = end - offset;
  }
  return true;
}

const char *crebind_record_fault_description(crebind_record_fault fault) {
  switch (fault) {
  case CREBIND_RECORD_VALID: return "no fault";
  case CREBIND_RECORD_NO_MAGIC: return "a record has to start here, but the magic is missing";
  case CREBIND_RECORD_VERSION: return "the record is of a version that is not known";
  case CREBIND_RECORD_SIZE:
    return "the record's size is too small, too large or no multiple of a word";
  case CREBIND_RECORD_TRUNCATED: return "the section ends before the record does";
  case CREBIND_RECORD_STRINGS:
    return "the record's strings do not end with a zero byte, or something follows them";
  case CREBIND_RECORD_ENCODING: return "a string of the record is not UTF-8";
  case CREBIND_RECORD_EMPTY: return "the record's group or key is empty";
  case CREBIND_RECORD_ACCESSOR:
    return "the record's accessor does not lie in an executable segment of its image";
  }
  return "unknown fault";
}
#endif
