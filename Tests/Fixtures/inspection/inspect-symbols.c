// A symbol of each kind that a dynamic symbol table can hold. It needs no libc, so that it builds
// for every target, and is linked with inspect-provider.c and a version script.

extern int provided_function(void);
extern int provided_later(void);
extern int provided_data;
__attribute__((weak)) extern int absent_function(void);

int object[3] = {1, 2, 3};
__thread int thread_object = 4;

__attribute__((weak)) int weak_function(void) { return 5; }
__attribute__((visibility("protected"))) int protected_function(void) { return 6; }

// One name under two versions. References without a version bind to the second.
int versioned_first(void) { return 7; }
int versioned_second(void) { return 8; }
__asm__(".symver versioned_first, versioned@INSPECT_1");
__asm__(".symver versioned_second, versioned@@INSPECT_2");

int cxx_name(int) __asm__("_ZN3foo3barEi");
int cxx_name(int number) { return number; }

int swift_name(void) __asm__("$s4main3fooyyF");
int swift_name(void) { return 9; }

// The tests overwrite these bytes of its name in the built file.
int oddly_named_symbol(void) { return 10; }

#ifdef __x86_64__
__attribute__((used)) static int (*resolve(void))(void) { return weak_function; }
int indirect_function(void) __attribute__((ifunc("resolve")));

__asm__(
    ".data\n"
    ".globl unique_object\n"
    ".type unique_object, @gnu_unique_object\n"
    ".size unique_object, 4\n"
    "unique_object: .long 11\n"
    ".text\n");
#endif

int caller(void) {
  int sum = provided_function() + provided_later() + provided_data;
  return absent_function ? sum + absent_function() : sum;
}
