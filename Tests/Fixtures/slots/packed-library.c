/// A library whose slots are in tables that a linker may pack: pointers in data, and what code
/// loads the address of. Its calls' slots never are. No loader of glibc or musl fills the packed
/// ones, so that it must not have constructors.

#include <unistd.h>

pid_t (*pointers[])(void) = {getppid, getppid, 0, getppid, getpgrp, getppid, getppid, getppid,
                             getppid, getppid, getppid, 0, 0, getppid, getppid, getpgrp};
pid_t (*const constant_pointers[])(void) = {getpgrp, getppid, 0, getppid};
void *relative[] = {pointers, pointers, 0, pointers, pointers, pointers, pointers, pointers};

pid_t call(void) { return getppid(); }
pid_t (*address(void))(void) { return getppid; }
