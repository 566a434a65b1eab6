/// An empty program: whether it runs tells whether those of its compiler do.

int main(void) { return 0; }
