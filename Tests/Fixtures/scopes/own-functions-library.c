/// Functions of a library, each called by it without a slot or not at all.

__attribute__((visibility("hidden"), noinline)) long hidden_price(long units) { return units * 2; }
__attribute__((visibility("protected"), noinline)) long protected_price(long units) {
  return units * 3;
}
static __attribute__((noinline, used)) long local_price(long units) { return units * 4; }

long unused_price(long units) { return units * 5; }
long own_price(long units) { return units * 6; }

long unused_count = 5;

// A function that assembly leaves without a type.
__asm__(".text\n.globl untyped_price\nuntyped_price:\n.long 0\n");

extern __attribute__((weak)) long weak_price(long units);

long call_prices(long units) {
  return hidden_price(units) + protected_price(units) + local_price(units) + own_price(units)
         + (weak_price != 0 ? weak_price(units) : 0);
}
