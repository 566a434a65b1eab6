#!/usr/bin/python3
"""Writes into an x86-64 file what `ld -z mark-plt` (binutils 2.42) writes: the address of its
PLT entry into the addend of each R_X86_64_JUMP_SLOT. Prints their number."""

import struct
import sys

R_X86_64_JUMP_SLOT = 7
SHT_RELA = 4
ENTRY_SIZE = 16

path = sys.argv[1]
with open(path, "rb") as file:
    data = bytearray(file.read())
section_headers, = struct.unpack_from("<Q", data, 0x28)
size, count, names = struct.unpack_from("<HHH", data, 0x3A)
# Name, type, flags, address, offset, size.
sections = [struct.unpack_from("<IIQQQQ", data, section_headers + i * size) for i in range(count)]


def name(section):
    start = sections[names][4] + section[0]
    return data[start:data.index(0, start)].decode()


by_name = {name(section): section for section in sections}
# Calls go to .plt.sec if the file has one; the first entry of .plt is the resolver's.
if ".plt.sec" in by_name:
    first = by_name[".plt.sec"][3]
else:
    first = by_name[".plt"][3] + ENTRY_SIZE

marked = 0
for section in sections:
    if section[1] != SHT_RELA:
        continue
    for at in range(section[4], section[4] + section[5], 24):
        if struct.unpack_from("<I", data, at + 8)[0] != R_X86_64_JUMP_SLOT:
            continue
        struct.pack_into("<Q", data, at + 16, first + marked * ENTRY_SIZE)
        marked += 1
with open(path, "wb") as file:
    file.write(data)
print(marked)
