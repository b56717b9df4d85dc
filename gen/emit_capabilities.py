# SPDX-License-Identifier: Apache-2.0
"""gen/capabilities.h and gen/capabilities.c: what a device can be asked for, by name."""

import emit

ABOUT = "structures that a device fills, with each member's place, type and rule of comparison."

KINDS = ("BOOL", "SIGNED", "UNSIGNED", "FLOAT", "TEXT", "ENUM", "FLAGS", "STRUCT", "POINTER")
ROLES = ("PART", "FEATURES", "PROPERTIES", "FORMAT", "QUEUE")
# Without a word in the registry, or with one that gives no order, values are compared as they are.
LIMITS = {"max": "MAX", "bits": "MAX", "min": "MIN", "bitmask": "BITS", "range": "RANGE"}


def header(registry):
    kinds = emit.packed([f"KR_CAPABILITY_{kind}" for kind in KINDS])
    roles = emit.packed([f"KR_CAPABILITY_{role}" for role in ROLES])
    body = f"""enum kr_capability_kind {{
{kinds}}};

/* What a structure without sType is part of; PART: of members. */
enum kr_capability_role {{
{roles}}};

enum kr_capability_limit {{
	KR_CAPABILITY_EXACT, /* the same value */
	KR_CAPABILITY_MAX,   /* at least the wanted value */
	KR_CAPABILITY_MIN,   /* at most the wanted value */
	KR_CAPABILITY_BITS,  /* all wanted bits */
	KR_CAPABILITY_RANGE, /* two values: the wanted range lies within */
}};

struct kr_capability_member {{
	const char *name;
	uint16_t offset;
	uint16_t count; /* elements of an array, 0 when it is none */
	uint16_t counter; /* a pointer: where it is said to how many elements; else 0 */
	int16_t type;   /* in kr_capability_types, of a structure in kr_capability_structs, or -1 */
	uint8_t kind;
	uint8_t size; /* of one number */
	uint8_t limit;
	bool power_of_two; /* the device's value is one */
	bool divides;      /* the wanted value is a multiple of the device's */
}};

struct kr_capability_struct {{
	const char *name;
	const char *extensions; /* that bring it, with blanks between */
	uint32_t core;          /* the version of Vulkan that has it, or 0 */
	uint32_t type;          /* VkStructureType, or 0 */
	uint16_t size;
	uint16_t first, count; /* members */
	uint8_t role;
}};

struct kr_capability_type {{
	const char *name;
	uint16_t first, count; /* values */
}};

struct kr_capability_value {{
	const char *name;
	int64_t value;
}};

struct kr_capability_name {{
	const char *name;
	uint16_t index;
}};

extern const struct kr_capability_struct kr_capability_structs[];
extern const struct kr_capability_member kr_capability_members[];
extern const struct kr_capability_type kr_capability_types[];
extern const struct kr_capability_value kr_capability_values[];

/* Thread-safe; NULL and -1 for names that aren't known. */
const struct kr_capability_struct *kr_capability_find_struct(const char *name);
const struct kr_capability_member *kr_capability_find_member(
	const struct kr_capability_struct *of, const char *name);
/* Of an enum or of flags' bits, as a member has it. */
const struct kr_capability_value *kr_capability_find_value(int type, const char *name);
int kr_capability_find_type(const char *name);
/* Whether the registry knows an extension of that name. */
bool kr_capability_knows_extension(const char *name);
"""
    return emit.header("capabilities", ABOUT, ("<stdbool.h>", "<stdint.h>"), body)


class Tables:
    def __init__(self, capabilities):
        self.all = capabilities
        self.structs = []  # those that can be asked for, then their parts
        self.index = {}
        self.types = []
        self.type_index = {}
        for structure in sorted(capabilities.structures.values(), key=lambda s: s.name):
            if structure.role:
                self._add_struct(structure)
        self._add_type("VkFormat")

    def _add_struct(self, structure):
        if structure.name in self.index:
            return True
        if self.all.offsets(structure) is None:
            return False
        self.index[structure.name] = len(self.structs)
        self.structs.append(structure)
        return True

    def _add_type(self, name):
        if name not in self.type_index:
            self.type_index[name] = len(self.types)
            self.types.append(name)
        return self.type_index[name]

    def is_list(self, member):
        """Whether it points to numbers that another member counts."""
        is_plain = self.all.find(member.type) is None and self.all.layout(member.type)
        return bool(member.counter) and is_plain and member.type != "char"

    def kind(self, member):
        """(kind, type, size of a number)"""
        everything, name = self.all, member.type
        if member.pointer and not self.is_list(member):
            return "POINTER", -1, 8
        structure = everything.find(name)
        if structure:
            self._add_struct(structure)
            return "STRUCT", self.index[structure.name], 0
        size = everything.layout(name)[0]
        if name in everything.bits:
            return "FLAGS", self._add_type(everything.bits_of(name)), size
        if name in everything.enums:
            return "ENUM", self._add_type(name), size
        if name == "VkBool32":
            return "BOOL", -1, size
        if name == "char":
            return "TEXT", -1, size
        if name in ("float", "double"):
            return "FLOAT", -1, size
        return "SIGNED" if name.startswith("int") else "UNSIGNED", -1, size


def member_row(tables, member, offset, places):
    kind, index, size = tables.kind(member)
    counter = places.get(member.counter, 0) if kind != "POINTER" else 0
    if member.pointer and not counter:
        kind = "POINTER"
    words = member.limit.split(",")
    limit = next((LIMITS[word] for word in words if word in LIMITS), "EXACT")
    if kind == "FLAGS":
        limit = "BITS"
    flags = f"{str('pot' in words).lower()}, {str('mul' in words).lower()}"
    return (
        f'{{"{member.name}", {offset}, {member.count}, {counter}, {index}, KR_CAPABILITY_{kind}, {size}, '
        f"KR_CAPABILITY_{limit}, {flags}}}"
    )


def rows(tables):
    """Rows of structures and of members; parts of structures come in as members are read."""
    structs, members, done = [], [], 0
    while done < len(tables.structs):
        structure = tables.structs[done]
        offsets = tables.all.offsets(structure)
        first = len(members)
        places = {member.name: place for member, place in zip(structure.members, offsets)}
        for member, offset in zip(structure.members, offsets):
            if member.name not in ("sType", "pNext"):
                members.append(member_row(tables, member, offset, places))
        role = (structure.role or "part").upper()
        structs.append(
            f'{{"{structure.name}", "{" ".join(structure.extensions)}", '
            f"{emit.version(structure.core)}, {structure.stype or 0}u, {offsets[-1]}, {first}, "
            f"{len(members) - first}, KR_CAPABILITY_{role}}}"
        )
        done += 1
    return structs, members


def checks(registry, tables):
    """That the compiler lays out what it knows as it was computed."""
    known = {struct.name for struct in registry.generated_structs()}
    lines = []
    for structure in tables.structs:
        if structure.name not in known:
            continue
        offsets = tables.all.offsets(structure)
        lines.append(f'_Static_assert(sizeof({structure.name}) == {offsets[-1]}, "size");')
        lines += [
            f'_Static_assert(offsetof({structure.name}, {member.name}) == {offset}, "place");'
            for member, offset in zip(structure.members, offsets)
        ]
    return "\n".join(lines)


def source(registry):
    tables = Tables(registry.capabilities)
    structs, members = rows(tables)
    names = {structure.name: index for index, structure in enumerate(tables.structs)}
    for alias in registry.capabilities.aliases:
        target = registry.capabilities.find(alias)
        if target and target.name in tables.index:
            names.setdefault(alias, tables.index[target.name])
    types, values = [], []
    for name in tables.types:
        found = sorted(
            (key, value)
            for key, value in registry.capabilities.enums.get(name, {}).items()
            if isinstance(value, int)
        )
        types.append(f'{{"{name}", {len(values)}, {len(found)}}}')
        # C has no literal for the lowest number.
        values += [f'{{"{key}", (int64_t){value & (1 << 64) - 1}u}}' for key, value in found]
    body = f"""#if UINTPTR_MAX == UINT64_MAX
{checks(registry, tables)}
#endif

const struct kr_capability_struct kr_capability_structs[] = {{
{emit.listing(structs)}}};

const struct kr_capability_member kr_capability_members[] = {{
{emit.listing(members)}}};

const struct kr_capability_type kr_capability_types[] = {{
{emit.listing(types)}}};

/* Of each type, by name. */
const struct kr_capability_value kr_capability_values[] = {{
{emit.listing(values)}}};

/* By name, with other names that structures have. */
static const struct kr_capability_name names[] = {{
{emit.listing([f'{{"{name}", {names[name]}}}' for name in sorted(names)])}}};

static const char *const extensions[] = {{
{emit.listing([f'"{name}"' for name in sorted(registry.capabilities.extensions)])}}};

/* The rows of all tables that are searched begin with a name. */
static int
compare(const void *name, const void *row)
{{
	return strcmp(name, *(const char *const *)row);
}}

const struct kr_capability_struct *
kr_capability_find_struct(const char *name)
{{
	const struct kr_capability_name *found = bsearch(
		name, names, sizeof(names) / sizeof(names[0]), sizeof(names[0]), compare);

	return found ? &kr_capability_structs[found->index] : NULL;
}}

const struct kr_capability_member *
kr_capability_find_member(const struct kr_capability_struct *of, const char *name)
{{
	for (unsigned i = 0; i < of->count; i++) {{
		if (!strcmp(kr_capability_members[of->first + i].name, name))
			return &kr_capability_members[of->first + i];
	}}
	return NULL;
}}

int
kr_capability_find_type(const char *name)
{{
	const unsigned count = sizeof(kr_capability_types) / sizeof(kr_capability_types[0]);

	for (unsigned i = 0; i < count; i++) {{
		if (!strcmp(kr_capability_types[i].name, name))
			return (int)i;
	}}
	return -1;
}}

const struct kr_capability_value *
kr_capability_find_value(int type, const char *name)
{{
	return bsearch(name, &kr_capability_values[kr_capability_types[type].first],
		kr_capability_types[type].count, sizeof(kr_capability_values[0]), compare);
}}

bool
kr_capability_knows_extension(const char *name)
{{
	return bsearch(name, extensions, sizeof(extensions) / sizeof(extensions[0]),
		       sizeof(extensions[0]), compare) != NULL;
}}
"""
    includes = ("<stddef.h>", "<stdlib.h>", "<string.h>", '"util/vulkan.h"')
    return emit.source("capabilities", ABOUT, includes, body)
