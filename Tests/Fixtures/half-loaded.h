/// A page that the resolver can reach before its library is relocated.

enum { HALF_LOADED_ADDRESS = 0x20000000 };

struct half_loaded {
  int is_inside, may_go_on;
};
