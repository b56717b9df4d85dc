/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An output as the conformance test sees it, with the server that stands behind it. What an output
 * hasn't got is NULL: nobody can look at what a headless one shows.
 */
#ifndef KR_TESTS_COMPOSER_OUTPUT_SUBJECT_H
#define KR_TESTS_COMPOSER_OUTPUT_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include "composer/output/module.h"

struct subject {
	const char *name;
	const char *module; /* NULL: it is none */
	void (*start)(void);
	struct kr_display_output *(*open)(uint32_t width, uint32_t height);
	/* What is on screen, as XRGB whose X is 0. False: nothing of this size yet. */
	bool (*read)(uint32_t width, uint32_t height, uint32_t *pixels);
	void (*close)(void); /* as its user does */
	void (*freeze)(bool frozen);
	void (*kill)(void);
	void (*stop)(void);
};

extern const struct subject headless_subject, x11_subject, x11_put_subject, x11_plain_subject;
extern const struct subject weston_subject, wayland_subject;

/* What subjects open modules with: it counts. */
extern const struct kr_display_output_host subject_host;
/* The subject's, if it is one; loaded before any case, as it stays loaded. */
extern const struct kr_display_output_module *subject_module;
extern unsigned subject_told;  /* warnings and errors */
extern int subject_held;       /* pictures that are held now */
extern unsigned subject_holds; /* ... and that ever were */
struct kr_display_output *subject_open_module(
	const char *argument, uint32_t width, uint32_t height);

#endif
