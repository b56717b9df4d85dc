/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats: see format.h. */
#include "tools/run/capture/format.h"

#include <stddef.h>
#include <string.h>

static const struct kr_capture_format *const formats[] = {
	&kr_capture_png,
	&kr_capture_ppm,
	&kr_capture_exr,
	&kr_capture_pfm,
	&kr_capture_raw,
	&kr_capture_y4m,
};

const struct kr_capture_format *
kr_capture_format_find(const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	}
	return NULL;
}

const struct kr_capture_format *
kr_capture_format_of_file(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? kr_capture_format_find(dot + 1) : NULL;
}
