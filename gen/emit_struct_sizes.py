# SPDX-License-Identifier: Apache-2.0
"""gen/struct_sizes.h and gen/struct_sizes.c: the size of a structure from its sType."""

import emit

ABOUT = "how large a structure is that starts with a given sType."


def header(registry):
    body = """/* sizeof the structure, 0 when the registry has none with that type. Thread-safe. */
size_t kr_struct_size(VkStructureType type);
"""
    return emit.header("struct_sizes", ABOUT, ("<stddef.h>", '"util/vulkan.h"'), body)


def sizes(registry):
    """[(value, enumerant, structure)] by value; a structure and its aliases share one."""
    found = {}
    for struct in sorted(registry.generated_structs(), key=lambda struct: struct.alias is not None):
        members = registry.struct(struct.name).members
        if not members or not members[0].values:
            continue
        enumerant = members[0].values
        if enumerant in registry.enumerants:
            found.setdefault(registry.enumerants[enumerant], (enumerant, struct.name))
    return [(value, *found[value]) for value in sorted(found)]


def source(registry):
    entries = [f"{{{enumerant}, sizeof({name})}}" for _, enumerant, name in sizes(registry)]
    body = f"""/* By type. */
static const struct {{
	uint32_t type;
	uint32_t size;
}} sizes[] = {{
{emit.listing(entries)}}};

size_t
kr_struct_size(VkStructureType type)
{{
	size_t low = 0, high = {len(entries)};

	while (low < high) {{
		size_t middle = (low + high) / 2;

		if (sizes[middle].type == (uint32_t)type)
			return sizes[middle].size;
		if (sizes[middle].type > (uint32_t)type)
			high = middle;
		else
			low = middle + 1;
	}}
	return 0;
}}
"""
    return emit.source("struct_sizes", ABOUT, (), body)
