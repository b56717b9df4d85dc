# SPDX-License-Identifier: Apache-2.0
"""gen/extensions.h and gen/extensions.c: every extension, by number and name."""

import emit
import names

ABOUT = "every Vulkan extension, its number, and the set of some of them."


def header(registry):
    extensions = registry.generated_extensions()
    ids = [emit.extension_id(extension.name) for extension in extensions]
    name_size = emit.room(extension.name for extension in extensions)
    body = f"""enum kr_extension {{
	KR_EXTENSION_NONE = -1,
{emit.listing(ids)}	KR_EXTENSION_COUNT
}};

struct kr_extension_info {{
	char name[{name_size}];
	uint32_t spec_version;
	bool instance;        /* an instance extension; else a device extension */
	uint32_t promoted_to; /* VK_MAKE_API_VERSION of the core version that holds it, or 0 */
	bool window_system;   /* depends on VK_KHR_surface, directly or through others */
}};

extern const struct kr_extension_info kr_extensions[KR_EXTENSION_COUNT];

/* KR_EXTENSION_NONE when the name is unknown. Thread-safe. */
enum kr_extension kr_extension_find(const char *name);

struct kr_extension_set {{
	uint64_t bits[(KR_EXTENSION_COUNT + 63) / 64];
}};

/* Adding KR_EXTENSION_NONE does nothing. */
static inline void
kr_extension_set_add(struct kr_extension_set *set, enum kr_extension extension)
{{
	if (extension > KR_EXTENSION_NONE && extension < KR_EXTENSION_COUNT)
		set->bits[extension / 64] |= UINT64_C(1) << (extension % 64);
}}

static inline void
kr_extension_set_remove(struct kr_extension_set *set, enum kr_extension extension)
{{
	if (extension > KR_EXTENSION_NONE && extension < KR_EXTENSION_COUNT)
		set->bits[extension / 64] &= ~(UINT64_C(1) << (extension % 64));
}}

static inline bool
kr_extension_set_has(const struct kr_extension_set *set, enum kr_extension extension)
{{
	return extension > KR_EXTENSION_NONE && extension < KR_EXTENSION_COUNT &&
	       (set->bits[extension / 64] >> (extension % 64) & 1);
}}
"""
    return emit.header("extensions", ABOUT, ("<stdbool.h>", "<stdint.h>"), body)


def _info(extension):
    fields = [
        f'"{extension.name}"',
        str(extension.spec_version),
        "true" if extension.instance else "false",
        emit.version(extension.promoted_version),
        "true" if extension.window_system else "false",
    ]
    return f"[{emit.extension_id(extension.name)}] = {{{', '.join(fields)}}}"


def source(registry):
    extensions = registry.generated_extensions()
    all_names = [extension.name for extension in extensions]
    find = names.emit_find(
        all_names,
        "enum kr_extension\nkr_extension_find(const char *name)",
        ("extensions", "(enum kr_extension)i"),
        "KR_EXTENSION_NONE",
    )
    body = (
        "const struct kr_extension_info kr_extensions[KR_EXTENSION_COUNT] = {\n"
        + emit.listing(_info(extension) for extension in extensions)
        + "};\n\n"
        + names.emit_table(all_names)
        + "\n"
        + find
    )
    includes = ("<string.h>", '"gen/name_hash.h"', '"util/vulkan.h"')
    return emit.source("extensions", ABOUT, includes, body)
