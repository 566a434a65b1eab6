#if defined(__linux__)
#define _GNU_SOURCE
#include "looking/similar.h"
#include "planning/slot-word.h"

enum {
  /// Longer names are mangled ones mostly, which nobody types.
  LONGEST = 63,
  MOST_EDITS = 2,
};

/// Up to how many edits a name of this length may be away.
static size_t most_edits(size_t length) {
  return length < 3 || length > LONGEST ? 0 : length < 6 ? 1 : MOST_EDITS;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/// The number of edits between two names; the exchange of two neighbours is one. It is 0 for equal
/// names, for more than `most` edits, and for a first name that nobody types.
///
/// \param most At most `most_edits` of the first length.
static size_t edits_between(const char *a, size_t a_length, const char *b, size_t b_length,
                            size_t most) {
  // This bounds both lengths.
  if (most == 0 || a_length > LONGEST || a_length > b_length + most || b_length > a_length + most)
    return 0;
  // Rows of the table of distances: the last two, and the one that is being made.
  size_t rows[3][LONGEST + MOST_EDITS + 1];
  for (size_t j = 0; j <= b_length; j++) rows[0][j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    size_t least = row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      size_t edits = last[j - 1] + (a[i - 1] != b[j - 1]);
      edits = smaller(edits, smaller(last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        edits = smaller(edits, before[j - 2] + 1);
      row[j] = edits;
      least = smaller(least, edits);
      CREBIND_KEEP_LOOP();
    }
    if (least > most) return 0;
  }
  size_t edits = rows[a_length % 3][b_length];
  return edits <= most ? edits : 0;
}

size_t crebind_name_edits(const char *name, const char *other) {
  size_t length = crebind_length(name);
  return edits_between(name, length, other, crebind_length(other), most_edits(length));
}

/// The length of a string, or `limit` if it is longer.
static size_t length_within(const char *string, size_t limit) {
  size_t length = 0;
  while (length < limit && string[length] != 0) {
    length++;
    CREBIND_KEEP_LOOP();
  }
  return length;
}

/// True if one name stands in front of another in a dictionary.
static bool is_before(const char *a, const char *b) {
  while (*a == *b && *a != 0) {
    a++;
    b++;
    CREBIND_KEEP_LOOP();
  }
  return (unsigned char)*a < (unsigned char)*b;
}

static void add(struct crebind_similar *similar, const char *name, size_t image, size_t edits) {
  if (edits < similar->distance) similar->count = 0;
  similar->distance = edits;
  size_t place = similar->count;
  for (size_t i = 0; i < similar->count; i++) {
    if (crebind_equal(similar->names[i].name, name)) return;
    if (i < place && is_before(name, similar->names[i].name)) place = i;
  }
  if (place == CREBIND_SIMILAR_NAMES) return;
  if (similar->count < CREBIND_SIMILAR_NAMES) similar->count++;
  for (size_t i = similar->count - 1; i > place; i--) {
    similar->names[i] = similar->names[i - 1];
    CREBIND_KEEP_LOOP();
  }
  similar->names[place].name = name;
  similar->names[place].image = image;
}

/// An identifier as mangled names of Swift have it: `5print`.
struct identifier {
  char text[LONGEST + 2];
  size_t length;
};

static struct identifier mangled_identifier(const struct crebind_name *name) {
  struct identifier identifier = {.length = 0};
  if (name->length > 9) identifier.text[identifier.length++] = (char)('0' + name->length / 10);
  identifier.text[identifier.length++] = (char)('0' + name->length % 10);
  for (size_t i = 0; i < name->length; i++) {
    identifier.text[identifier.length++] = name->string[i];
    CREBIND_KEEP_LOOP();
  }
  return identifier;
}

static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// True for a mangled name of Swift, which begins with `$s`, that has the identifier.
static bool has_identifier(const char *string, size_t room, const struct identifier *identifier) {
  if (string[0] != '$') return false;
  size_t length = length_within(string, room);
  for (size_t i = 2; i + identifier->length <= length && string[1] == 's'; i++) {
    if (is_digit(string[i - 1])) continue;
    size_t j = 0;
    while (j < identifier->length && string[i + j] == identifier->text[j]) {
      j++;
      CREBIND_KEEP_LOOP();
    }
    if (j == identifier->length) return true;
  }
  return false;
}

static void look_at(const struct crebind_world *world, size_t index,
                    const struct crebind_name *name, const struct identifier *identifier,
                    struct crebind_similar *similar) {
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  size_t count = crebind_readable_symbol_count(dynamic);
  for (size_t i = dynamic->gnu_hash.bucket_count != 0 ? dynamic->gnu_hash.symbol_offset : 1;
       i < count; i++) {
    const ElfW(Sym) *symbol = &dynamic->symbols[i];
    if (symbol->st_name == 0 || symbol->st_name >= dynamic->strings_size
        || !crebind_is_exported_function(symbol))
      continue;
    const char *string = dynamic->strings + symbol->st_name;
    size_t most = similar->distance, room = dynamic->strings_size - symbol->st_name;
    // Its distance is 0: no name that is edited counts beside it.
    if (most != 0 && has_identifier(string, room, identifier)) add(similar, string, index, 0);
    size_t length = length_within(string, smaller(room, name->length + most + 1));
    if (length == room) continue;
    size_t edits = edits_between(name->string, name->length, string, length, most);
    if (edits != 0) add(similar, string, index, edits);
  }
}

void crebind_find_similar(const struct crebind_world *world, const struct crebind_name *name,
                          struct crebind_similar *similar) {
  similar->count = 0;
  similar->distance = most_edits(name->length);
  if (similar->distance == 0) return;
  struct identifier identifier = mangled_identifier(name);
  for (size_t i = 0; i < world->images.items.count; i++)
    if (!crebind_world_image(world, i)->is_vdso)
      look_at(world, i, name, &identifier, similar);
}
#endif
