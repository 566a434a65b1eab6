#!/usr/bin/python3
"""Changes an x86-64 file as `ld -z mark-plt` (binutils 2.42) does. The addend of each
R_X86_64_JUMP_SLOT becomes the address of its PLT entry. DT_X86_64_PLT and its like are added where
GNU ld has left room. Prints the number of slots."""

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
dynamic = by_name[".dynamic"]
room = [at for at in range(dynamic[4], dynamic[4] + dynamic[5], 16) if not any(data[at:at + 16])]
# The last one ends the table.
if len(room) > 3:
    for at, tag, value in zip(
            room, (0x70000000, 0x70000001, 0x70000003), (first, marked * ENTRY_SIZE, ENTRY_SIZE)):
        struct.pack_into("<QQ", data, at, tag, value)
with open(path, "wb") as file:
    file.write(data)
print(marked)
