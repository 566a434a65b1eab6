// A program that needs inspect-dependency.c: it prints "ready" and waits for the end of its input.

#include <unistd.h>

int depended_on(void);

int main(void) {
  char byte;
  if (depended_on() != 1 || write(STDOUT_FILENO, "ready\n", 6) != 6) return 1;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
}
