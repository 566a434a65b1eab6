/// A program that calls `foo` of one library, which jumps to `bar` of another one.

#include <stdio.h>

int foo(int number);
int bar(int number);

#if defined(BAR)
int bar(int number) { return number + 1; }
#elif defined(FOO)
int foo(int number) { return bar(number); }
#else
int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; i++) sum += foo(i);
  return printf("%d\n", sum) < 0;
}
#endif
