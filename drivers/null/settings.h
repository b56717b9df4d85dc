/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver pretends to be: null_control.h says what may be set. Read when an instance is
 * made, and the same for all that comes of it.
 */
#ifndef KR_NULL_SETTINGS_H
#define KR_NULL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "null/abilities.h"
#include "null/mutants.h"

/* The ways to ask for gralloc usage, by the version that brought them. */
enum null_usage_query {
	NULL_USAGE_1,
	NULL_USAGE_2,
	NULL_USAGE_3,
	NULL_USAGE_4,
	NULL_USAGE_AHB,
	NULL_USAGE_COUNT,
};

struct null_settings {
	uint32_t version;          /* of VK_ANDROID_native_buffer */
	bool shared;               /* sharedImage */
	bool mutable_format;       /* images whose views may have another format */
	bool protected_memory;     /* memory and queues that are protected */
	bool compression_control;  /* VK_EXT_image_compression_control */
	bool multisampled_resolve; /* VK_EXT_multisampled_render_to_single_sampled */
	bool own_layout;           /* own_layout.h */
	bool hardware_buffers;     /* hardware_buffer.h */
	bool ignores_ahb_usage;    /* the AHB query succeeds, and answers nothing */
	uint32_t refused;          /* so many of the newest usage queries fail */
	uint64_t usage;            /* what it asks for, and wants in the buffer's handle */
	enum null_fault fault;     /* of a mutant */
	struct null_abilities abilities;
};

/* -EINVAL, and nothing changes. `text` NULL: the defaults. */
int null_settings_parse(const char *text, struct null_settings *out);
/* What was chosen by kr_null_set_driver, else what the environment says (control.c). */
void null_settings_get(struct null_settings *out);
/* Whether this version of the extension has the query. */
bool null_settings_have_query(const struct null_settings *settings, enum null_usage_query query);
/* Whether the query is answered. */
bool null_settings_answer(const struct null_settings *settings, enum null_usage_query query);

#endif
