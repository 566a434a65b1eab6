// Calls a function that can be checked, and one whose sizes nobody knows.
#include <string.h>

char *source = "a string";
void *target;
size_t size;

int exported(void) { return 1; }

int main(int count, char **arguments) {
  char copy[10];
  strcpy(copy, arguments[0]);
  memmove(target, source, size);
  return copy[count] + exported();
}
