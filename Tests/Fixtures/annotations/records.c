// Annotation records of each class and byte order. Written records are read, and each fault is
// reported. Some tens of thousands of broken sections (the argument, and a seed) are read to their
// end, and no byte outside of them is touched.

#include "steps.h"
#include "chance.h"

/// The layout of Documentation/ABI/Annotations.md, written here a second time.
#define MAGIC 0x31414252u

static const crebind_record_format formats[] = {
    {true, false}, {true, true}, {false, false}, {false, true}};

static size_t word_of(crebind_record_format format) { return format.is_64_bit ? 8 : 4; }

// MARK: A section between two pages that cannot be touched

#define ROOM 65536

static unsigned char *room;

static void make_room(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char *pages = mmap(NULL, ROOM + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  room = pages + page;
  CHECK(mprotect(room, ROOM, PROT_READ | PROT_WRITE) == 0);
}

/// Copies a section to where the room begins, or to where it ends: then it is aligned in
/// any way.
static unsigned char *place(const unsigned char *bytes, size_t size, bool at_end) {
  CHECK(size <= ROOM);
  return memcpy(at_end ? room + ROOM - size : room, bytes, size);
}

// MARK: Writing

struct section {
  unsigned char bytes[ROOM / 2];
  size_t size;
};

static void put_number(struct section *section, crebind_record_format format, uint64_t number,
                       size_t count) {
  const uint32_t probe = 1;
  bool is_little_endian = *(const unsigned char *)&probe == 1;
  for (size_t i = 0; i < count; i++) {
    size_t shift = is_little_endian != format.is_swapped ? i : count - 1 - i;
    section->bytes[section->size++] = (unsigned char)(number >> 8 * shift);
  }
}

static void put_zeros(struct section *section, size_t count) {
  memset(section->bytes + section->size, 0, count);
  section->size += count;
}

/// Appends a record, with so many words of zeros at its end.
static void put_record(struct section *section, crebind_record_format format,
                       const crebind_record *record, size_t words) {
  const char *strings[] = {record->group, record->key, record->value};
  size_t word = word_of(format), start = section->size, size = 16 + word;
  for (int i = 0; i < 3; i++) size += strlen(strings[i]) + 1;
  size = (size + word - 1) / word * word + words * word;
  put_number(section, format, MAGIC, 4);
  put_number(section, format, size, 4);
  put_number(section, format, (uint32_t)record->priority, 4);
  put_number(section, format, record->line, 4);
  put_number(section, format, record->accessor, word);
  for (int i = 0; i < 3; i++) {
    size_t length = strlen(strings[i]) + 1;
    memcpy(section->bytes + section->size, strings[i], length);
    section->size += length;
  }
  put_zeros(section, start + size - section->size);
}

// MARK: What has to be true of any section

static bool has_magic(const unsigned char *bytes, size_t rest, crebind_record_format format) {
  struct section magic = {.size = 0};
  if (rest < 4) return false;
  for (uint32_t digit = '0'; digit <= '9'; digit++) {
    magic.size = 0;
    put_number(&magic, format, digit << 24 | (MAGIC & 0xffffff), 4);
    if (memcmp(bytes, magic.bytes, 4) == 0) return true;
  }
  return false;
}

static bool is_zero(const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != 0) return false;
  return true;
}

/// Reads a section to its end; the records and faults, at most `limit` of them.
static size_t read_section(const unsigned char *bytes, size_t size, crebind_record_format format,
                           crebind_record *records, size_t limit) {
  size_t count = 0, offset = 0, word = word_of(format);
  crebind_record record;
  while (crebind_next_record(bytes, size, format, offset, &record)) {
    // Each call gets on, and passes over nothing but zeros.
    CHECK(record.offset >= offset && record.offset % word == 0 && record.offset < size);
    CHECK(record.size > 0 && record.size <= size - record.offset);
    CHECK(is_zero(bytes + offset, record.offset - offset));
    size_t end = record.offset + record.size;
    if (record.fault == CREBIND_RECORD_VALID) {
      // A record is what would have been written, and nothing else.
      static struct section again;
      again.size = 0;
      put_record(&again, format, &record, 0);
      CHECK(record.group[0] != 0 && record.key[0] != 0);
      CHECK(again.size <= record.size);
      CHECK(memcmp(again.bytes, bytes + record.offset, 4) == 0);
      CHECK(memcmp(again.bytes + 8, bytes + record.offset + 8, again.size - 8) == 0);
      CHECK(is_zero(bytes + record.offset + again.size, record.size - again.size));
    } else {
      CHECK(record.fault >= CREBIND_RECORD_NO_MAGIC && record.fault <= CREBIND_RECORD_EMPTY);
      CHECK(record.group[0] == 0 && record.key[0] == 0 && record.value[0] == 0);
      CHECK(record.priority == 0 && record.line == 0 && record.accessor == 0);
      CHECK(end == size || (end % word == 0 && has_magic(bytes + end, size - end, format)));
    }
    if (count < limit) records[count] = record;
    count++;
    offset = end;
  }
  CHECK(is_zero(bytes + offset, size - offset));
  return count;
}

// MARK: Each fault

#define LIMIT 64

static struct section built;
static crebind_record found[LIMIT];

/// Expects the first thing in what is built to be this fault, of this size, from each place.
static void expect_fault(crebind_record_format format, crebind_record_fault fault, size_t size) {
  for (int at_end = 0; at_end < 2; at_end++) {
    const unsigned char *bytes = place(built.bytes, built.size, at_end);
    size_t count = read_section(bytes, built.size, format, found, LIMIT);
    CHECK(count > 0 && found[0].fault == fault && found[0].size == size);
  }
}

/// Starts a section with a record's numbers; strings are to follow.
static void put_head(crebind_record_format format, uint32_t magic, uint32_t size) {
  built.size = 0;
  put_number(&built, format, magic, 4);
  put_number(&built, format, size, 4);
  put_zeros(&built, 8 + word_of(format));
}

/// A record of this size, whose strings are these bytes, then a good one.
static void put_strings(crebind_record_format format, uint32_t size, const void *strings,
                        size_t count) {
  put_head(format, MAGIC, size);
  memcpy(built.bytes + built.size, strings, count);
  built.size += count;
  put_zeros(&built, -built.size % word_of(format));
  put_record(&built, format, &(crebind_record){.group = "g", .key = "k", .value = ""}, 0);
}

static void expect_strings(crebind_record_format format, const void *strings, size_t count,
                           crebind_record_fault fault) {
  size_t word = word_of(format), size = (16 + word + count + word - 1) / word * word;
  put_strings(format, (uint32_t)size, strings, count);
  expect_fault(format, fault, size);
  // Reading has gone on at the good one.
  CHECK(found[1].fault == CREBIND_RECORD_VALID && found[1].offset == size);
}

static void check_faults(crebind_record_format format) {
  size_t word = word_of(format), head = 16 + word;
  crebind_record good = {.group = "group", .key = "key", .value = "", .priority = -1,
                         .line = UINT32_MAX, .accessor = format.is_64_bit ? UINT64_MAX : UINT32_MAX};

  // Nothing, and padding; it may end in the middle of a word.
  CHECK(!crebind_next_record(room, 0, format, 0, found));
  built.size = 0;
  put_zeros(&built, 5 * word + 1);
  for (size_t size = 0; size <= built.size; size++)
    CHECK(read_section(place(built.bytes, size, true), size, format, found, LIMIT) == 0);
  CHECK(!crebind_next_record(room, 8, format, 8, found));
  CHECK(!crebind_next_record(room, 8, format, SIZE_MAX, found));
  // An offset in the middle of padding.
  built.size = 3 * word;
  put_record(&built, format, &good, 0);
  CHECK(crebind_next_record(built.bytes, built.size, format, 1, found));
  CHECK(found[0].fault == CREBIND_RECORD_VALID && found[0].offset == 3 * word);

  // No magic, up to the next word with one, or to the end.
  built.size = 0;
  put_number(&built, format, 7, word);
  put_zeros(&built, 2 * word);
  expect_fault(format, CREBIND_RECORD_NO_MAGIC, 3 * word);
  put_record(&built, format, &good, 0);
  expect_fault(format, CREBIND_RECORD_NO_MAGIC, 3 * word);
  CHECK(found[1].fault == CREBIND_RECORD_VALID);
  // Bytes of the next word do not make a magic of the last one.
  memset(built.bytes, 0xff, sizeof built.bytes);
  for (built.size = 1; built.size <= word; built.size++)
    expect_fault(format, CREBIND_RECORD_NO_MAGIC, built.size);
  built.size = word;
  put_number(&built, format, MAGIC >> (format.is_swapped ? 8 : 0), 3);
  expect_fault(format, CREBIND_RECORD_NO_MAGIC, built.size);

  // Other versions; what is no digit is none.
  for (uint32_t byte = 0; byte < 256; byte++) {
    put_head(format, byte << 24 | (MAGIC & 0xffffff), (uint32_t)(head + word));
    memcpy(built.bytes + built.size, "g\0k\0\0\0\0", 8);
    built.size += word;
    if (byte == '1') CHECK(read_section(built.bytes, built.size, format, found, 1) == 1);
    if (byte == '1') continue;
    bool is_digit = byte >= '0' && byte <= '9';
    expect_fault(format, is_digit ? CREBIND_RECORD_VERSION : CREBIND_RECORD_NO_MAGIC, built.size);
  }

  // Sizes. Three strings are five bytes at least.
  for (uint32_t size = 0; size <= head + 2 * word; size++) {
    put_head(format, MAGIC, size);
    memcpy(built.bytes + built.size, "g\0k\0", 4);
    built.size += 4;
    put_zeros(&built, 2 * word - 4);
    crebind_record_fault fault = size <= head || size % word != 0 ? CREBIND_RECORD_SIZE
                                 : size < head + 5                ? CREBIND_RECORD_STRINGS
                                                                  : CREBIND_RECORD_VALID;
    expect_fault(format, fault, fault ? built.size : size);
  }
  const uint32_t large[] = {0x1000000, 0x7ffffff8, 0x80000000, 0xfffffff8, 0xffffffff};
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    put_strings(format, large[i], "g\0k\0", 5);
    expect_fault(format, CREBIND_RECORD_SIZE, head + 8);
    CHECK(found[1].fault == CREBIND_RECORD_VALID);
  }

  // The end of the section, at each byte.
  built.size = 0;
  put_record(&built, format, &good, 1);
  for (size_t whole = built.size; built.size > 0; built.size--) {
    crebind_record_fault fault = built.size == whole ? CREBIND_RECORD_VALID
                                 : built.size < 4    ? CREBIND_RECORD_NO_MAGIC
                                                     : CREBIND_RECORD_TRUNCATED;
    expect_fault(format, fault, built.size);
  }
  put_strings(format, 0xfffff8, "g\0k\0", 5);
  expect_fault(format, CREBIND_RECORD_TRUNCATED, head + 8);
  CHECK(found[1].fault == CREBIND_RECORD_VALID);

  // Strings: an end is missing, or bytes follow the last one.
  expect_strings(format, "gggggggg", 8, CREBIND_RECORD_STRINGS);
  expect_strings(format, "ggg\0kkkk", 8, CREBIND_RECORD_STRINGS);
  expect_strings(format, "gg\0kk\0vv", 8, CREBIND_RECORD_STRINGS);
  expect_strings(format, "g\0k\0\0\0\0x", 8, CREBIND_RECORD_STRINGS);
  expect_strings(format, "g\0k\0v\0x", 8, CREBIND_RECORD_STRINGS);
  expect_strings(format, "g\0k\0v\0\0", 8, CREBIND_RECORD_VALID);
  expect_strings(format, "\0k\0v\0\0\0", 8, CREBIND_RECORD_EMPTY);
  expect_strings(format, "g\0\0v\0\0\0", 8, CREBIND_RECORD_EMPTY);
  expect_strings(format, "\xffg\0k\0\0\0", 8, CREBIND_RECORD_ENCODING);
  expect_strings(format, "g\0k\xff\0\0\0", 8, CREBIND_RECORD_ENCODING);
  expect_strings(format, "g\0k\0\xff\0\0", 8, CREBIND_RECORD_ENCODING);
  // A record may have a magic in a string.
  built.size = 0;
  put_record(&built, format,
             &(crebind_record){.group = "RBA1RBA1RBA1RBA1", .key = "1ABR1ABR1ABR", .value = ""}, 0);
  expect_fault(format, CREBIND_RECORD_VALID, built.size);
}

// MARK: UTF-8

/// Is it one character, by what it decodes to?
static bool is_character(const unsigned char *bytes, size_t count) {
  static const uint32_t least[] = {0, 1, 0x80, 0x800, 0x10000};
  uint32_t scalar = count == 1 ? bytes[0] : bytes[0] & (0x7f >> count);
  // 0xxxxxxx, 110xxxxx, 1110xxxx, 11110xxx
  uint32_t start = count == 1 ? 0 : (2u << count) - 2;
  if (bytes[0] >> (count == 1 ? 7 : 7 - count) != (int)start) return false;
  for (size_t i = 1; i < count; i++) {
    if (bytes[i] >> 6 != 2) return false;
    scalar = scalar << 6 | (bytes[i] & 0x3f);
  }
  return scalar >= least[count] && scalar <= 0x10ffff && (scalar < 0xd800 || scalar > 0xdfff);
}

/// Can the bytes be split into characters?
static bool is_text(const unsigned char *bytes, size_t count) {
  if (count == 0) return true;
  for (size_t size = 1; size <= 4 && size <= count; size++)
    if (is_character(bytes, size) && is_text(bytes + size, count - size)) return true;
  return false;
}

/// All sequences of one and two bytes, and those of three and four whose last bytes are at
/// the borders.
static void check_encoding(void) {
  static const unsigned char borders[] = {0, 1, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
  crebind_record_format format = formats[0];
  put_head(format, MAGIC, 40);
  memcpy(built.bytes + built.size, "g\0k\0", 4);
  unsigned char *value = built.bytes + built.size + 4;
  put_zeros(&built, 16);
  memcpy(value - 4, "g\0k\0", 4);
  const unsigned char *bytes = place(built.bytes, built.size, true);
  value = room + ROOM - 12;
  for (unsigned first = 1; first < 256; first++)
    for (unsigned second = 0; second < 256; second++)
      for (size_t third = 0; third < (second ? sizeof borders : 1); third++)
        for (size_t fourth = 0; fourth < (borders[third] ? sizeof borders : 1); fourth++) {
          unsigned char text[] = {(unsigned char)first, (unsigned char)second, borders[third],
                                  borders[fourth], 0};
          memcpy(value, text, sizeof text);
          crebind_record record;
          CHECK(crebind_next_record(bytes, built.size, format, 0, &record));
          bool is_valid = is_text(text, strlen((char *)text));
          CHECK(record.fault == (is_valid ? CREBIND_RECORD_VALID : CREBIND_RECORD_ENCODING));
        }
}

// MARK: Sections at random

static char texts[LIMIT * 3][128];

/// A string of up to so many characters, of up to four bytes each.
static const char *any_string(char *text, size_t least, size_t limit) {
  static const char *const characters[] = {"a", "Z", "\x7f", "é", "߿", "ࠀ", "文", "𐀀", "😀", "RBA1"};
  text[0] = 0;
  for (size_t count = least + below(limit); count > 0; count--)
    strcat(text, characters[below(sizeof characters / sizeof *characters)]);
  return text;
}

/// Builds a section of records with padding between them.
static size_t build_any(crebind_record_format format, crebind_record *records) {
  size_t count = below(7);
  built.size = 0;
  for (size_t i = 0; i < count; i++) {
    put_zeros(&built, below(3) * below(4) * word_of(format));
    crebind_record *record = &records[i];
    *record = (crebind_record){.offset = built.size, .priority = (int32_t)any(),
                               .line = (uint32_t)any(), .accessor = below(2) ? any() : 0};
    if (!format.is_64_bit) record->accessor &= UINT32_MAX;
    record->group = any_string(texts[3 * i], 1, 9);
    record->key = any_string(texts[3 * i + 1], 1, 31);
    record->value = any_string(texts[3 * i + 2], 0, 31);
    put_record(&built, format, record, below(4) ? 0 : below(5));
    record->size = built.size - record->offset;
  }
  put_zeros(&built, below(20));
  return count;
}

static bool is_same(const crebind_record *a, const crebind_record *b) {
  return a->fault == b->fault && a->offset == b->offset && a->size == b->size
         && a->priority == b->priority && a->line == b->line && a->accessor == b->accessor
         && strcmp(a->group, b->group) == 0 && strcmp(a->key, b->key) == 0
         && strcmp(a->value, b->value) == 0;
}

/// Breaks a record, or doesn't.
static void mutate(crebind_record_format format, const crebind_record *record) {
  static const uint32_t numbers[] = {0, 1, 4, 8, 16, 24, 0x7fffffff, 0x80000000, 0xfffffff8,
                                     UINT32_MAX, MAGIC, MAGIC + (1u << 24), 0x00fffff8};
  struct section number = {.size = 0};
  size_t at = record->offset + below(record->size);
  switch (below(6)) {
  case 0: // one bit
    built.bytes[at] ^= (unsigned char)(1 << below(8));
    break;
  case 1: // the magic, the size, or another number
    put_number(&number, format, numbers[below(sizeof numbers / sizeof *numbers)], 4);
    memcpy(built.bytes + record->offset + below(4) * 4, number.bytes, 4);
    break;
  case 2: // a size that is a little wrong, or large
    put_number(&number, format, below(3) ? record->size + below(65) - 32 : any(), 4);
    memcpy(built.bytes + record->offset + 4, number.bytes, 4);
    break;
  case 3: // a byte, most often one that ends something
    built.bytes[at] = (unsigned char)(below(2) ? 0 : any());
    break;
  case 4: // noise up to the record's end
    for (; at < record->offset + record->size; at++) built.bytes[at] = (unsigned char)any();
    break;
  case 5: // no zero byte
    for (; at < record->offset + record->size; at++)
      if (built.bytes[at] == 0) built.bytes[at] = 'x';
    break;
  }
}

static void check_any(crebind_record_format format) {
  crebind_record written[LIMIT];
  size_t count = build_any(format, written);
  const unsigned char *bytes = place(built.bytes, built.size, below(2));
  CHECK(read_section(bytes, built.size, format, found, LIMIT) == count);
  for (size_t i = 0; i < count; i++) CHECK(is_same(&found[i], &written[i]));

  if (count == 0) return;
  size_t broken = below(count);
  do mutate(format, &written[broken]);
  while (below(3) == 0);
  bytes = place(built.bytes, built.size, below(2));
  size_t total = read_section(bytes, built.size, format, found, LIMIT);
  CHECK(total <= LIMIT);
  // The others are there still, but for what has become part of a string.
  for (size_t i = 0; i < count; i++) {
    bool is_there = i == broken;
    for (size_t j = 0; j < total && !is_there; j++)
      is_there = is_same(&found[j], &written[i])
                 || (found[j].fault == CREBIND_RECORD_VALID && found[j].offset < written[i].offset
                     && found[j].offset + found[j].size > written[i].offset);
    CHECK(is_there);
  }

  // Cut off, and moved, so that records start anywhere; and read as what it is not.
  size_t start = below(built.size), size = below(built.size - start + 1);
  read_section(place(built.bytes + start, size, below(2)), size, formats[below(4)], found, LIMIT);
}

// MARK: Time

/// Sections full of magics whose strings seem to reach far: each call could read all of the
/// rest, and take hours of processor time. Only a reader that does not comes to the end.
static void check_time(uint32_t claimed) {
  size_t size = 48 << 20;
  crebind_record record;
  uint32_t *numbers = malloc(size);
  CHECK(numbers != NULL);
  for (size_t i = 0; i < size / 4; i++)
    numbers[i] = i % 8 == 0 ? MAGIC : i % 8 == 1 ? claimed : 0x61616161;
  size_t offset = 0, count = 0;
  for (; crebind_next_record(numbers, size, formats[0], offset, &record); count++)
    offset = record.offset + record.size;
  CHECK(count == size / 32);
  free(numbers);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  make_room();
  for (int i = 0; i < 4; i++) check_faults(formats[i]);
  check_encoding();
  chance = strtoull(argv[2], NULL, 0);
  CHECK(chance != 0);
  for (long i = strtol(argv[1], NULL, 0); i > 0; i--) check_any(formats[i % 4]);
  check_time(0x01010108);
  check_time(0x00fffff8);
  for (int fault = 0; fault <= CREBIND_RECORD_ACCESSOR; fault++)
    CHECK(strcmp(crebind_record_fault_description((crebind_record_fault)fault), "unknown fault"));
  puts("read to the end");
  return 0;
}
