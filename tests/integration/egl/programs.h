/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of others that speak EGL, with libEGL_krafla before the vendors, as installed in
 * KRAFLA_PREFIX, and without it.
 */
#ifndef KR_TESTS_EGL_PROGRAMS_H
#define KR_TESTS_EGL_PROGRAMS_H

#include "tests/integration/programs/images.h"
#include "tests/integration/programs/spawn.h"

#define LIMIT_S 60

/* Who answers for EGL. */
enum egl_way {
	EGL_PLAIN,  /* what glvnd finds */
	EGL_KRAFLA, /* Krafla alone is named to it, and finds the others */
	EGL_WAYS,
};

/* The last entry of an environment: NULL where nothing is to be said, which ends the list. */
const char *egl_env(enum egl_way way);
/* The library that stops a program's clock. */
const char *still_clock_env(void);
/* Ends the case as skipped when there is no such program, or no EGL at all. */
void skip_without(const char *program, const char *reason);
void skip_without_egl(void);

/* How a picture is taken of the screen that `data` stands for. */
typedef void (*take_fn)(struct image *picture, const void *data);

/*
 * What the screen shows when the program says that it stands still, or, for one that doesn't say
 * it, when nothing changes any more; at least `drawn` of its pixels aren't its background. With
 * `same` it is waited for that picture, and the case fails if it doesn't come.
 */
struct picture_wanted {
	const char *const *program;
	const char *const *env;
	bool says; /* that it stands still */
	uint32_t drawn;
	const struct image *same;
};
void take_still_picture(
	struct image *picture, const struct picture_wanted *wanted, take_fn take, const void *data);

#endif
