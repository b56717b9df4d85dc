/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configs as programs of Android's platform see them. The vendor's are those of pbuffers; those
 * that windows can have are windows' configs, too, and know the extensions' attributes. What is
 * chosen by these is chosen here, the rest by the vendor, whose order stays.
 */
#include <stdlib.h>

#include "egl/window/internal.h"

#define WINDOW_BITS (EGL_WINDOW_BIT | EGL_SWAP_BEHAVIOR_PRESERVED_BIT)

/* What a config must be beside what the vendor was asked. EGL_DONT_CARE: it needn't. */
struct wishes {
	EGLint surface_type;
	EGLint recordable;
	EGLint framebuffer_target;
	EGLint min_interval;
	EGLint max_interval;
	EGLint id; /* by this alone, if it is said */
};

EGLBoolean
kr_egl_config_get(struct kr_egl_display *display, EGLConfig config, EGLint attribute, EGLint *value)
{
	const struct kr_egl_functions *egl = &display->vendor->egl;
	const struct kr_egl_format *format;
	EGLint theirs;

	/* Also for what the vendor doesn't know: whether it is a config at all. */
	if (!value || !egl->GetConfigAttrib(display->handle, config, EGL_SURFACE_TYPE, &theirs))
		return kr_egl_answer_of(display->vendor,
			egl->GetConfigAttrib(display->handle, config, attribute, value));
	format = kr_egl_format_of(display, config);
	switch (attribute) {
	case EGL_SURFACE_TYPE:
		*value = (theirs & ~WINDOW_BITS) | (format ? WINDOW_BITS : 0);
		return kr_egl_answer(EGL_SUCCESS);
	case EGL_RECORDABLE_ANDROID:
	case EGL_FRAMEBUFFER_TARGET_ANDROID:
		*value = format && format->is_video;
		return kr_egl_answer(EGL_SUCCESS);
	case EGL_NATIVE_VISUAL_ID:
		*value = format ? (EGLint)format->hal : 0;
		return kr_egl_answer(EGL_SUCCESS);
	case EGL_MIN_SWAP_INTERVAL:
		*value = 0;
		return kr_egl_answer(EGL_SUCCESS);
	case EGL_MAX_SWAP_INTERVAL:
		*value = format ? 1 : 0;
		return kr_egl_answer(EGL_SUCCESS);
	default:
		return kr_egl_answer_of(display->vendor,
			egl->GetConfigAttrib(display->handle, config, attribute, value));
	}
}

static bool
is_wished(EGLint wish, EGLint value)
{
	return wish == EGL_DONT_CARE || wish == value;
}

static bool
fits(struct kr_egl_display *display, EGLConfig config, const struct wishes *wishes)
{
	const struct kr_egl_format *format;
	bool is_video;

	if (wishes->id != EGL_DONT_CARE)
		return true;
	format = kr_egl_format_of(display, config);
	is_video = format && format->is_video;
	if (wishes->surface_type != EGL_DONT_CARE && wishes->surface_type & WINDOW_BITS && !format)
		return false;
	return is_wished(wishes->recordable, is_video) &&
		is_wished(wishes->framebuffer_target, is_video) &&
		is_wished(wishes->min_interval, 0) &&
		is_wished(wishes->max_interval, format ? 1 : 0);
}

/* What of a pair is a wish that only we know. False: it is the vendor's to look at. */
static bool
take_wish(struct wishes *wishes, EGLint attribute, EGLint value)
{
	switch (attribute) {
	case EGL_SURFACE_TYPE:
		wishes->surface_type = value;
		return true;
	case EGL_RECORDABLE_ANDROID:
		wishes->recordable = value;
		return true;
	case EGL_FRAMEBUFFER_TARGET_ANDROID:
		wishes->framebuffer_target = value;
		return true;
	case EGL_MIN_SWAP_INTERVAL:
		wishes->min_interval = value;
		return true;
	case EGL_MAX_SWAP_INTERVAL:
		wishes->max_interval = value;
		return true;
	case EGL_CONFIG_ID:
		wishes->id = value;
		return false;
	default:
		return false;
	}
}

static bool
is_bool(EGLint value)
{
	return value == EGL_TRUE || value == EGL_FALSE || value == EGL_DONT_CARE;
}

/* The vendor's list, which has room for all of it and one pair more. False: a value is none. */
static bool
split(const EGLint *attributes, EGLint *theirs, struct wishes *wishes)
{
	EGLint type;

	*wishes = (struct wishes){EGL_WINDOW_BIT, EGL_DONT_CARE, EGL_DONT_CARE, EGL_DONT_CARE,
		EGL_DONT_CARE, EGL_DONT_CARE};
	for (; attributes && attributes[0] != EGL_NONE; attributes += 2) {
		if (take_wish(wishes, attributes[0], attributes[1]))
			continue;
		*theirs++ = attributes[0];
		*theirs++ = attributes[1];
	}
	type = wishes->surface_type;
	if (type != EGL_DONT_CARE && type & WINDOW_BITS)
		type = (type & ~WINDOW_BITS) | EGL_PBUFFER_BIT;
	*theirs++ = EGL_SURFACE_TYPE;
	*theirs++ = type;
	*theirs = EGL_NONE;
	return is_bool(wishes->recordable) && is_bool(wishes->framebuffer_target);
}

/* All that the vendor chooses, those that don't fit left out. */
static EGLint
choose(struct kr_egl_display *display, const EGLint *attributes, const struct wishes *wishes,
	EGLConfig *configs, EGLint room, EGLint *count)
{
	const struct kr_egl_functions *egl = &display->vendor->egl;
	EGLConfig *all;
	EGLint total = 0, chosen = 0;

	if (!egl->ChooseConfig(display->handle, attributes, NULL, 0, &total))
		return kr_egl_vendor_error(display->vendor);
	all = calloc((size_t)total + 1, sizeof(EGLConfig));
	if (!all)
		return EGL_BAD_ALLOC;
	if (total && !egl->ChooseConfig(display->handle, attributes, all, total, &total)) {
		free(all);
		return kr_egl_vendor_error(display->vendor);
	}
	for (EGLint i = 0; i < total; i++) {
		if (!fits(display, all[i], wishes) || (configs && chosen >= room))
			continue;
		if (configs)
			configs[chosen] = all[i];
		chosen++;
	}
	free(all);
	*count = chosen;
	return EGL_SUCCESS;
}

EGLBoolean
kr_egl_config_choose(struct kr_egl_display *display, const EGLint *attributes, EGLConfig *configs,
	EGLint room, EGLint *count)
{
	struct wishes wishes;
	EGLint *theirs, error;
	size_t pairs = 0;

	if (!count)
		return kr_egl_answer(EGL_BAD_PARAMETER);
	while (attributes && attributes[2 * pairs] != EGL_NONE)
		pairs++;
	theirs = calloc(2 * pairs + 3, sizeof(*theirs));
	if (!theirs)
		return kr_egl_answer(EGL_BAD_ALLOC);
	error = split(attributes, theirs, &wishes)
		? choose(display, theirs, &wishes, configs, room, count)
		: EGL_BAD_ATTRIBUTE;
	free(theirs);
	return kr_egl_answer(error);
}
