/// A small store of notes, with mistakes that a caller chooses: each stands behind `has(N)`. A sweep has
/// to find each of them, and nothing where none is chosen.

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int mistake;
void choose_mistake(int number) { mistake = number; }
static bool has(int number) { return mistake == number; }

typedef struct note {
  char *name;
  char *text;
  size_t length;
} note;

static void free_note(note *note) {
  if (note == NULL) return;
  free(note->name);
  free(note->text);
  free(note);
}

/// Closes and says how that went.
static int close_file(int file) {
  int status = close(file);
  if (has(6))  // a close that fails is made again
    while (status != 0 && errno == EINTR) status = close(file);
  return status;
}

static int read_all(int file, char *text, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t count = read(file, text + done, length - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) return -1;
    if (has(3)) return 0;  // a short read is taken for the whole
    done += (size_t)count;
  }
  return 0;
}

static int write_all(int file, const char *text, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t count = write(file, text + done, length - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (has(4)) return 0;  // a short write is taken for the whole
    done += (size_t)count;
  }
  return 0;
}

static note *make_note(const char *name, size_t length) {
  note *made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->name = malloc(strlen(name) + 1);
  if (made->name == NULL && !has(1)) {  // the name's memory is not checked
    free_note(made);
    return NULL;
  }
  strcpy(made->name, name);
  made->text = malloc(length + 1);
  if (made->text == NULL && !has(2)) {  // nor the text's
    free_note(made);
    return NULL;
  }
  made->text[length] = 0;
  made->length = length;
  return made;
}

static note *load(const char *name) {
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  struct stat status;
  note *loaded = NULL;
  if (fstat(file, &status) == 0) loaded = make_note(name, (size_t)status.st_size);
  if (loaded == NULL && has(7)) return NULL;  // the file stays open
  if (loaded != NULL && read_all(file, loaded->text, loaded->length) != 0) {
    free_note(loaded);
    loaded = NULL;
    if (has(5)) close(file);  // and is closed once more below
  }
  close_file(file);
  return loaded;
}

/// Copies a note into another file. Returns 0, or -1 for an error.
int copy_note(const char *from, const char *to) {
  note *loaded = load(from);
  if (loaded == NULL) return -1;
  int file = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int status = -1;
  if (file >= 0) {
    status = write_all(file, loaded->text, loaded->length);
    if (status == 0 || !has(8)) {  // the file stays open when it cannot be written
      if (close_file(file) != 0) status = -1;
    }
  }
  free_note(loaded);
  return status;
}
