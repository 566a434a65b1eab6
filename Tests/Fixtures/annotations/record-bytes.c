/// The bytes of annotation records are read in either byte order and word size, from any offset,
/// and each fault has its name.

#include "steps.h"

enum { ROOM = 256 };

static unsigned char bytes[ROOM];
static crebind_record_format format;
static size_t word;

static void put(size_t offset, uint64_t number, size_t count) {
  bool is_big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != format.is_swapped;
  for (size_t i = 0; i < count; i++)
    bytes[offset + i] = (unsigned char)(number >> 8 * (is_big ? count - 1 - i : i));
}

/// Writes a record with these strings, each with its zero byte, and returns its size.
static size_t write_record(size_t offset, const char *strings, size_t length) {
  memset(bytes + offset, 0, ROOM - offset);
  size_t size = (16 + word + length + word - 1) / word * word;
  CHECK(offset + size <= ROOM);
  put(offset, 0x31414252, 4);
  put(offset + 4, size, 4);
  put(offset + 8, (uint32_t)-7, 4);
  put(offset + 12, 42, 4);
  put(offset + 16, 0x1234, word);
  memcpy(bytes + offset + 16 + word, strings, length);
  return size;
}

#define WRITE(offset, strings) write_record(offset, strings, sizeof strings)

static crebind_record read_at(size_t offset, size_t size) {
  crebind_record record;
  CHECK(crebind_next_record(bytes, size, format, offset, &record));
  return record;
}

static void expect_fault(crebind_record_fault fault, size_t size, size_t end) {
  crebind_record record = read_at(0, size);
  if (record.fault != fault) fprintf(stderr, "fault %d, not %d\n", record.fault, fault);
  CHECK(record.fault == fault && record.offset == 0 && record.size == end);
  CHECK(record.group[0] == 0 && record.key[0] == 0 && record.value[0] == 0);
}

static void check_records(void) {
  crebind_record record;
  size_t size = WRITE(0, "group\0key\0value");
  record = read_at(0, ROOM);
  CHECK(record.fault == CREBIND_RECORD_VALID && record.offset == 0 && record.size == size);
  CHECK(strcmp(record.group, "group") == 0 && strcmp(record.key, "key") == 0
        && strcmp(record.value, "value") == 0);
  CHECK(record.priority == -7 && record.line == 42 && record.accessor == 0x1234);

  // Behind it are zeros alone; nor does anything begin behind the end.
  CHECK(!crebind_next_record(bytes, ROOM, format, size, &record));
  CHECK(!crebind_next_record(bytes, ROOM, format, ROOM, &record));
  CHECK(!crebind_next_record(bytes, ROOM - 1, format, size, &record));

  // Padding before a record, and an offset within it.
  memset(bytes, 0, ROOM);
  WRITE(3 * word, "g\0k\0");
  record = read_at(1, ROOM);
  CHECK(record.fault == CREBIND_RECORD_VALID && record.offset == 3 * word);
  CHECK(record.value[0] == 0);
}

static void check_faults(void) {
  size_t header = 16 + word, size = WRITE(0, "g\0k\0v");
  // Reading goes on at the next magic, or at the end.
  bytes[0] = 'X';
  expect_fault(CREBIND_RECORD_NO_MAGIC, size, size);
  size_t second = size;
  WRITE(second, "g\0k\0v");
  expect_fault(CREBIND_RECORD_NO_MAGIC, ROOM, second);
  CHECK(read_at(second, ROOM).fault == CREBIND_RECORD_VALID);
  size = WRITE(0, "g\0k\0v");
  put(0, 0x32414252, 4);
  expect_fault(CREBIND_RECORD_VERSION, size, size);
  // None of the digits.
  put(0, 0x2f414252, 4);
  expect_fault(CREBIND_RECORD_NO_MAGIC, size, size);
  put(0, 0x3a414252, 4);
  expect_fault(CREBIND_RECORD_NO_MAGIC, size, size);

  const uint32_t sizes[] = {0, (uint32_t)header, (uint32_t)size - 1, 0x1000000, UINT32_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    size = WRITE(0, "g\0k\0v");
    put(4, sizes[i], 4);
    expect_fault(CREBIND_RECORD_SIZE, size, size);
  }
  size = WRITE(0, "g\0k\0v");
  expect_fault(CREBIND_RECORD_NO_MAGIC, 3, 3);
  expect_fault(CREBIND_RECORD_TRUNCATED, 4, 4);
  expect_fault(CREBIND_RECORD_TRUNCATED, 7, 7);
  expect_fault(CREBIND_RECORD_TRUNCATED, size - 1, size - 1);

  // Two strings, or one that does not end, or something behind them.
  size = write_record(0, "aaaaaaa\0bbbbbbb", 16);
  memset(bytes + header + 8, 'b', size - header - 8);
  expect_fault(CREBIND_RECORD_STRINGS, size, size);
  size = write_record(0, "aaaaaaaaaaaaaaa", 16);
  memset(bytes + header, 'a', size - header);
  expect_fault(CREBIND_RECORD_STRINGS, size, size);
  size = WRITE(0, "g\0k\0v\0x");
  expect_fault(CREBIND_RECORD_STRINGS, size, size);

  size = WRITE(0, "\0k\0v");
  expect_fault(CREBIND_RECORD_EMPTY, size, size);
  size = WRITE(0, "g\0\0v");
  expect_fault(CREBIND_RECORD_EMPTY, size, size);
}

/// The first and the last characters of each length, and what lies beyond them.
static void check_encoding(void) {
  static const char *const right[] = {
      "\x01", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
      "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf3\xbf\xbf\xbf", "\xf4\x8f\xbf\xbf", "a\xc3\xa4z",
  };
  static const char *const wrong[] = {
      "\x80", "\xbf", "\xc1\xbf", "\xc2", "\xc2\x7f", "\xc2\xc0", "\xe0\x9f\xbf", "\xed\xa0\x80",
      "\xe1\x80", "\xe1\x80\xc0", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
      "\xf1\x80\x80", "\xff",
  };
  char strings[32];
  for (size_t n = 0; n < sizeof right / sizeof *right; n++) {
    size_t length = (size_t)snprintf(strings, sizeof strings, "g%ck%c%s", 0, 0, right[n]) + 1;
    size_t size = write_record(0, strings, length);
    crebind_record record = read_at(0, size);
    CHECK(record.fault == CREBIND_RECORD_VALID && strcmp(record.value, right[n]) == 0);
  }
  for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++)
    for (int place = 0; place < 3; place++) {
      size_t length = (size_t)snprintf(strings, sizeof strings, "g%s%ck%s%cv%s",
                                       place == 0 ? wrong[n] : "", 0, place == 1 ? wrong[n] : "",
                                       0, place == 2 ? wrong[n] : "")
                      + 1;
      size_t size = write_record(0, strings, length);
      expect_fault(CREBIND_RECORD_ENCODING, size, size);
    }
}

int main(void) {
  for (int i = 0; i < 4; i++) {
    format = (crebind_record_format){.is_64_bit = i % 2 == 0, .is_swapped = i >= 2};
    word = format.is_64_bit ? 8 : 4;
    check_records();
    check_faults();
    check_encoding();
  }
  puts("read");
}
