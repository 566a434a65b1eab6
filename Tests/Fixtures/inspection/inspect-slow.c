// A library that the loader relocates for milliseconds: its function's resolver runs before its pages
// are read-only.

static int answer(void) { return 42; }

__attribute__((used)) static int (*resolve(void))(void) {
  for (volatile int count = 0; count < 5000000;) count += 1;
  return answer;
}

int slow(void) __attribute__((ifunc("resolve")));

int (*const slow_function)(void) = slow;
