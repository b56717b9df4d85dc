# SPDX-License-Identifier: Apache-2.0
"""gen/handle_reach.h and gen/handle_reach.c: what is hidden, and what somebody has to handle."""

import emit

ABOUT = (
    "by which ways a surface or swapchain of ours could come to a driver, as decided in "
    "gen/handle_reach.txt."
)


def header(registry, reach):
    body = """/*
 * Device extensions that are taken out of a driver's list whenever swapchains of ours may exist on
 * the device: they speak about swapchains, and ours don't implement them. Sorted; NULL ends it.
 */
extern const char *const kr_hidden_device_extensions[];
/* Whether a name is one of them. Thread-safe. */
bool kr_device_extension_is_hidden(const char *name);

/*
 * Device extensions about swapchains that our code handles: those of ours are ours, whatever a
 * driver lists; the driver's count for its own. Sorted; NULL ends it.
 */
extern const char *const kr_handled_device_extensions[];
/* Whether a name is one of them. Thread-safe. */
bool kr_device_extension_is_handled(const char *name);

/* The commands and structures that our code handles. Sorted; NULL ends it. A test pins it. */
extern const char *const kr_handled_reach[];
"""
    return emit.header("handle_reach", ABOUT, ("<stdbool.h>",), body)


def _list(name, items):
    lines = emit.listing(f'"{item}"' for item in items)
    return f"const char *const {name}[] = {{\n{lines}\tNULL,\n}};\n"


def _question(word, count):
    return f"""
bool
kr_device_extension_is_{word}(const char *name)
{{
	return has(kr_{word}_device_extensions, {count}, name);
}}
"""


def source(registry, reach):
    find = """
/* Whether a sorted list that NULL ends has a name. */
static bool
has(const char *const *list, size_t count, const char *name)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(name, list[middle]);

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}
"""
    body = (
        _list("kr_hidden_device_extensions", reach.hidden)
        + _list("kr_handled_device_extensions", reach.handled_extensions)
        + find
        + _question("hidden", len(reach.hidden))
        + _question("handled", len(reach.handled_extensions))
        + "\n"
        + _list("kr_handled_reach", reach.handled())
    )
    return emit.source("handle_reach", ABOUT, ("<stddef.h>", "<string.h>"), body)
