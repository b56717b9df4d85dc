#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates a message codec in C from a protocol file (its format: display.txt).

generate.py header|source PROTOCOL.txt INCLUDE-NAME > OUTPUT
"""

import sys

INTEGERS = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i32": 4, "i64": 8}
CTYPES = {"u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
          "i32": "int32_t", "i64": "int64_t", "bool": "bool"}
HEADER_SIZE = 8


class Record:
    """A struct or a message."""

    def __init__(self, kind, name, number=None, direction=None):
        self.kind, self.name, self.number, self.direction = kind, name, number, direction
        self.like = None
        self.fds = (0, 0)
        self.fields = []  # (type, name, argument)


class Protocol:
    def __init__(self):
        self.prefix = None
        self.version = None
        self.structs = {}
        self.messages = []


def parse(path):
    protocol = Protocol()
    current = None
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            words = line.split("#", 1)[0].split()
            if not words:
                continue
            try:
                current = parse_line(protocol, current, words)
            except (ValueError, KeyError, IndexError, AttributeError) as error:
                sys.exit(f"{path}:{number}: {line.strip()}: {error!r}")
    check(protocol, path)
    return protocol


def parse_line(protocol, current, words):
    if words[0] == "protocol":
        protocol.prefix, protocol.version = words[1], int(words[2])
    elif words[0] == "struct":
        current = protocol.structs[words[1]] = Record("struct", words[1])
    elif words[0] == "message":
        if not words[3].startswith("to-"):
            raise ValueError("a direction is to-SOMEBODY")
        current = Record("message", words[1], int(words[2]), words[3])
        protocol.messages.append(current)
    elif words[0] == "like":
        current.like = next(m for m in protocol.messages[:-1] if m.name == words[1])
        if not current.like.fields or current.fields or current.like.direction != current.direction:
            raise ValueError("like a message with fields and this direction, before its own")
        current.fds = current.like.fds
        current.fields.append(("like", current.like.name, current.like))
    elif words[0] == "fds":
        current.fds = (int(words[1]), int(words[2]))
    elif words[0] in CTYPES:
        current.fields.append((words[0], words[1], None))
    elif words[0] == "string":
        current.fields.append(("string", words[1], int(words[2])))
    elif words[0] == "words":
        current.fields.append(("words", words[1], int(words[2])))
    elif words[0] == "array":
        protocol.structs[words[1]]
        current.fields.append(("array", words[2], (words[1], int(words[3]))))
    else:
        raise ValueError("unknown word")
    return current


def check(protocol, path):
    numbers = [m.number for m in protocol.messages]
    names = [m.name for m in protocol.messages]
    if not protocol.prefix or not numbers:
        sys.exit(f"{path}: no protocol line or no message")
    if len(set(numbers)) != len(numbers) or len(set(names)) != len(names):
        sys.exit(f"{path}: a message number or name is used twice")
    if any(m.like and m.fds != m.like.fds for m in protocol.messages):
        sys.exit(f"{path}: a message with other descriptors than the one that it is like")
    for struct in protocol.structs.values():
        if any(field[0] not in CTYPES for field in struct.fields):
            sys.exit(f"{path}: struct {struct.name}: integers only")


def size_of(protocol, field):
    """The largest encoded size of a field."""
    kind, _, argument = field
    if kind == "bool":
        return 1
    if kind in INTEGERS:
        return INTEGERS[kind]
    if kind == "like":
        return sum(size_of(protocol, f) for f in argument.fields)
    if kind == "string":
        return 2 + argument
    if kind == "words":
        return 4 * argument
    struct, maximum = argument
    return 2 + maximum * sum(size_of(protocol, f) for f in protocol.structs[struct].fields)


def max_size(protocol):
    return HEADER_SIZE + max(sum(size_of(protocol, f) for f in m.fields)
                             for m in protocol.messages)


def declare(protocol, record):
    out = [f"struct {protocol.prefix}_{record.name} {{"]
    for kind, name, argument in record.fields:
        if kind == "string":
            out.append(f"\tchar {name}[{argument + 1}]; /* at most {argument} bytes, NUL behind */")
        elif kind == "like":
            out.append(f"\tstruct {protocol.prefix}_{name} {name};")
        elif kind == "words":
            out.append(f"\tint32_t {name}[{argument}];")
        elif kind == "array":
            out.append(f"\tuint16_t {name}_count;")
            out.append(f"\tstruct {protocol.prefix}_{argument[0]} {name}[{argument[1]}];")
        else:
            out.append(f"\t{CTYPES[kind]} {name};")
    return out + ["};", ""]


def header(protocol, include):
    p, up = protocol.prefix, protocol.prefix.upper()
    guard = up + "_" + include.replace("/", "_").replace(".", "_").upper()
    out = ["/* SPDX-License-Identifier: Apache-2.0 */",
           "/* Generated by protocol/generate.py: messages as structs, their codec. */",
           f"#ifndef {guard}", f"#define {guard}", "",
           "#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>",
           '#include "util/macros.h"', "",
           f"#define {up}_VERSION {protocol.version}",
           f"#define {up}_MAX_SIZE {max_size(protocol)}",
           f"#define {up}_MAX_FDS {max(m.fds[1] for m in protocol.messages)}", "",
           f"enum {p}_type {{"]
    out += [f"\t{up}_{m.name.upper()} = {m.number}, /* {m.direction} */"
            for m in protocol.messages]
    out += ["};", ""]
    for struct in protocol.structs.values():
        out += declare(protocol, struct)
    filled = [m for m in protocol.messages if m.fields]
    for message in filled:
        out += declare(protocol, message)
    out += [f"struct {p}_message {{", f"\tenum {p}_type type;", "\tunion {"]
    out += [f"\t\tstruct {p}_{m.name} {m.name};" for m in filled]
    out += ["\t};", "};", "",
            "/* The bytes of a message; what is beyond a limit is cut. Returns the size. */",
            f"size_t {p}_encode(const struct {p}_message *message, uint8_t out[{up}_MAX_SIZE]);",
            "/*",
            " * Reads exactly one message. -EPROTO: unknown number, wrong size, a value out of",
            " * its type, or another number of descriptors than it carries; *message is undefined.",
            " */",
            f"int {p}_decode(const void *data, size_t size, size_t fd_count,",
            f"\tstruct {p}_message *message) KR_MUST_CHECK;",
            f"const char *{p}_name(enum {p}_type type);", "", "#endif"]
    return out


def encode_field(protocol, field, at):
    kind, name, argument = field
    if kind in CTYPES:
        bits = 8 if kind == "bool" else 8 * INTEGERS[kind]
        return [f"\tw = put{bits}(w, (uint{bits}_t){at}->{name});"]
    if kind == "like":
        return [f"\tw = encode_{name}(w, &{at}->{name});"]
    if kind == "string":
        return [f"\tw = put_string(w, {at}->{name}, {argument});"]
    if kind == "words":
        return [f"\tfor (size_t i = 0; i < {argument}; i++)",
                f"\t\tw = put32(w, (uint32_t){at}->{name}[i]);"]
    struct, maximum = argument
    return [f"\tw = put16(w, KR_MIN({at}->{name}_count, {maximum}u));",
            f"\tfor (size_t i = 0; i < KR_MIN({at}->{name}_count, {maximum}u); i++)",
            f"\t\tw = encode_{struct}(w, &{at}->{name}[i]);"]


def decode_field(protocol, field, at):
    kind, name, argument = field
    if kind == "bool":
        return [f"\t{at}->{name} = get_bool(r);"]
    if kind in INTEGERS:
        return [f"\t{at}->{name} = ({CTYPES[kind]})get{8 * INTEGERS[kind]}(r);"]
    if kind == "like":
        return [f"\tdecode_{name}(r, &{at}->{name});"]
    if kind == "string":
        return [f"\tget_string(r, {at}->{name}, {argument});"]
    if kind == "words":
        return [f"\tfor (size_t i = 0; i < {argument}; i++)",
                f"\t\t{at}->{name}[i] = (int32_t)get32(r);"]
    struct, maximum = argument
    return [f"\t{at}->{name}_count = get_count(r, {maximum});",
            f"\tfor (size_t i = 0; i < {at}->{name}_count; i++)",
            f"\t\tdecode_{struct}(r, &{at}->{name}[i]);"]


def codec(protocol, record):
    p = protocol.prefix
    out = ["static uint8_t *",
           f"encode_{record.name}(uint8_t *w, const struct {p}_{record.name} *m)", "{"]
    for field in record.fields:
        out += encode_field(protocol, field, "m")
    out += ["\treturn w;", "}", "", "static void",
            f"decode_{record.name}(struct kr_reader *r, struct {p}_{record.name} *m)", "{"]
    for field in record.fields:
        out += decode_field(protocol, field, "m")
    return out + ["}", ""]


def used_helpers(protocol):
    """Widths that the codec needs, so that none is generated for nothing."""
    kinds = {f[0] for r in protocol.messages + list(protocol.structs.values()) for f in r.fields}
    widths = {8 * INTEGERS[k] for k in kinds if k in INTEGERS} | {32}
    if "bool" in kinds:
        widths.add(8)
    if kinds & {"string", "array"}:
        widths.add(16)
    return kinds, sorted(widths)


def helpers(protocol):
    kinds, widths = used_helpers(protocol)
    out = ["struct kr_reader {", "\tconst uint8_t *at;", "\tsize_t left;", "\tbool bad;", "};", "",
           "static const uint8_t *", "take(struct kr_reader *r, size_t size)", "{",
           "\tstatic const uint8_t zeros[8];", "\tconst uint8_t *at = r->at;", "",
           "\tif (size > r->left) {", "\t\tr->bad = true;",
           "\t\treturn size <= sizeof(zeros) ? zeros : NULL;", "\t}",
           "\tr->at += size;", "\tr->left -= size;", "\treturn at;", "}", ""]
    for bits in widths:
        out += ["static uint8_t *", f"put{bits}(uint8_t *w, uint{bits}_t value)", "{",
                f"\tfor (unsigned i = 0; i < {bits // 8}; i++)",
                "\t\tw[i] = (uint8_t)((uint64_t)value >> (8 * i));", f"\treturn w + {bits // 8};",
                "}", "",
                f"static uint{bits}_t", f"get{bits}(struct kr_reader *r)", "{",
                f"\tconst uint8_t *at = take(r, {bits // 8});", "\tuint64_t value = 0;", "",
                f"\tfor (unsigned i = 0; i < {bits // 8}; i++)",
                "\t\tvalue |= (uint64_t)at[i] << (8 * i);", f"\treturn (uint{bits}_t)value;",
                "}", ""]
    if "bool" in kinds:
        out += ["static bool", "get_bool(struct kr_reader *r)", "{",
                "\tuint8_t value = get8(r);", "", "\tr->bad |= value > 1;",
                "\treturn value == 1;", "}", ""]
    if "string" in kinds:
        out += ["static uint8_t *", "put_string(uint8_t *w, const char *text, size_t max)", "{",
                "\tsize_t len = strnlen(text, max);", "", "\tw = put16(w, (uint16_t)len);",
                "\tmemcpy(w, text, len);", "\treturn w + len;", "}", "", "static void",
                "get_string(struct kr_reader *r, char *text, size_t max)", "{",
                "\tsize_t len = get16(r);", "\tconst uint8_t *at;", "", "\ttext[0] = '\\0';",
                "\tif (len > max || len > r->left) {", "\t\tr->bad = true;", "\t\treturn;", "\t}",
                "\tat = take(r, len);", "\tr->bad |= memchr(at, 0, len) != NULL;",
                "\tmemcpy(text, at, len);", "\ttext[len] = '\\0';", "}", ""]
    if "array" in kinds:
        out += ["static uint16_t", "get_count(struct kr_reader *r, uint16_t max)", "{",
                "\tuint16_t count = get16(r);", "", "\tif (count <= max)", "\t\treturn count;",
                "\tr->bad = true;", "\treturn 0;", "}", ""]
    return out


def encode_all(protocol):
    p, up = protocol.prefix, protocol.prefix.upper()
    out = ["size_t", f"{p}_encode(const struct {p}_message *message, uint8_t out[{up}_MAX_SIZE])",
           "{", f"\tuint8_t *w = out + {HEADER_SIZE};", "\tsize_t size;", "",
           "\tswitch (message->type) {"]
    for m in protocol.messages:
        out.append(f"\tcase {up}_{m.name.upper()}:")
        if m.fields:
            out.append(f"\t\tw = encode_{m.name}(w, &message->{m.name});")
        out.append("\t\tbreak;")
    return out + ["\t}", "\tsize = (size_t)(w - out);", "\tput32(out, (uint32_t)message->type);",
                  "\tput32(out + 4, (uint32_t)size);", "\treturn size;", "}", ""]


def decode_all(protocol):
    p, up = protocol.prefix, protocol.prefix.upper()
    out = ["int", f"{p}_decode(const void *data, size_t size, size_t fd_count,",
           f"\tstruct {p}_message *message)", "{",
           "\tstruct kr_reader reader = {.at = data, .left = size};",
           "\tstruct kr_reader *r = &reader;", "\tuint32_t type = get32(r);",
           "\tuint32_t said = get32(r);", "\tsize_t min_fds = 0, max_fds = 0;", "",
           "\tif (r->bad || said != size)", "\t\treturn -EPROTO;",
           "\tmemset(message, 0, sizeof(*message));", "\tswitch (type) {"]
    for m in protocol.messages:
        out.append(f"\tcase {up}_{m.name.upper()}:")
        if m.fds != (0, 0):
            out += [f"\t\tmin_fds = {m.fds[0]};", f"\t\tmax_fds = {m.fds[1]};"]
        if m.fields:
            out.append(f"\t\tdecode_{m.name}(r, &message->{m.name});")
        out.append("\t\tbreak;")
    return out + ["\tdefault:", "\t\treturn -EPROTO;", "\t}",
                  "\tif (r->bad || r->left || fd_count < min_fds || fd_count > max_fds)",
                  "\t\treturn -EPROTO;", f"\tmessage->type = (enum {p}_type)type;",
                  "\treturn 0;", "}", ""]


def names(protocol):
    p, up = protocol.prefix, protocol.prefix.upper()
    out = ["const char *", f"{p}_name(enum {p}_type type)", "{", "\tswitch (type) {"]
    for m in protocol.messages:
        out += [f"\tcase {up}_{m.name.upper()}:", f'\t\treturn "{m.name}";']
    return out + ["\t}", '\treturn "unknown";', "}"]


def source(protocol, include):
    out = ["/* SPDX-License-Identifier: Apache-2.0 */", "/* Generated by protocol/generate.py. */",
           f'#include "{include}"', "", "#include <errno.h>", "#include <string.h>", ""]
    out += helpers(protocol)
    for struct in protocol.structs.values():
        out += codec(protocol, struct)
    for message in protocol.messages:
        if message.fields:
            out += codec(protocol, message)
    return out + encode_all(protocol) + decode_all(protocol) + names(protocol)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("header", "source"):
        sys.exit(__doc__)
    protocol = parse(sys.argv[2])
    write = header if sys.argv[1] == "header" else source
    print("\n".join(write(protocol, sys.argv[3])))


main()
