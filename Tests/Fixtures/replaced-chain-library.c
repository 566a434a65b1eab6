/// A library with a function of its own, and a caller that goes through a slot.

int library_variable;
int library_function(int number) { return number + 1; }
int library_call(int number) { return library_function(number); }
