/* SPDX-License-Identifier: Apache-2.0 */
/* See place_option.h. */
#include "tools/command/place_option.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tools/command/command.h"

/* A whole number with or without a sign, no space; *at is behind it then. */
static bool
read_whole(const char **at, bool has_sign, long most, int32_t *number)
{
	const char *text = *at;
	char *end;
	long value;

	if (has_sign ? *text != '+' && *text != '-' : !isdigit((unsigned char)*text))
		return false;
	if (has_sign && !isdigit((unsigned char)text[1]))
		return false;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || value > most || value < -most)
		return false;
	*at = end;
	*number = (int32_t)value;
	return true;
}

static bool
read_rect(struct kr_layout_place *place, const char *at)
{
	int32_t width, height;

	if (isdigit((unsigned char)*at)) {
		if (!read_whole(&at, false, KR_PLACE_MAX, &width) || *at++ != 'x' ||
			!read_whole(&at, false, KR_PLACE_MAX, &height) || !width || !height)
			return false;
		place->width = (uint32_t)width;
		place->height = (uint32_t)height;
		place->set |= KR_PLACE_SIZE;
		if (!*at)
			return true;
	}
	if (!read_whole(&at, true, KR_PLACE_MAX, &place->x) ||
		!read_whole(&at, true, KR_PLACE_MAX, &place->y) || *at)
		return false;
	place->set |= KR_PLACE_POSITION;
	return true;
}

int
kr_place_option_rect(struct kr_layout_place *place, const char *command, const char *text)
{
	struct kr_layout_place asked = *place;

	if (!read_rect(&asked, text))
		return kr_usage_error(command,
			"--place wants WIDTHxHEIGHT, +X+Y or WIDTHxHEIGHT+X+Y (up to %d), not '%s'",
			KR_PLACE_MAX, text);
	*place = asked;
	return 0;
}

int
kr_place_option_z(struct kr_layout_place *place, const char *command, const char *text)
{
	bool has_sign = *text == '-' || *text == '+';
	const char *at = text;

	if (!read_whole(&at, has_sign, INT32_MAX, &place->z) || *at)
		return kr_usage_error(command, "--z wants a whole number, not '%s'", text);
	place->set |= KR_PLACE_Z;
	return 0;
}

int
kr_place_option_alpha(struct kr_layout_place *place, const char *command, const char *text)
{
	char *end;
	double alpha = strtod(text, &end);

	/* As no number has it: a comparison with one that is none fails. */
	if (!isdigit((unsigned char)*text) || *end || !(alpha >= 0 && alpha <= 1))
		return kr_usage_error(
			command, "--alpha wants a number from 0 to 1, not '%s'", text);
	place->alpha = (float)alpha;
	place->set |= KR_PLACE_ALPHA;
	return 0;
}
