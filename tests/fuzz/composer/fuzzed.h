/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of fuzz_composer.c share: the input as a source of choices, fences and buffers of
 * every kind, and a model of the composer that says which results a call may have.
 *
 *   things.c        choices, fences, buffers; what came out of the composer and has to end
 *   model.c         displays and layers as they have to be, and the judge
 *   display_calls.c, picture_calls.c, layer_calls.c   calls with arguments, judged
 *
 * With one thread a result has to be one of those that the model allows; with two that call at once
 * it has to be one of HWC's.
 */
#ifndef KR_TESTS_FUZZ_COMPOSER_FUZZED_H
#define KR_TESTS_FUZZ_COMPOSER_FUZZED_H

#include <krafla/composer.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_DISPLAYS 6
#define MAX_LAYERS   64
#define MAX_FENCES   64
#define MAX_HOLDS    32
#define MAX_BUFFERS  12

/* A set of results. */
#define ALLOW(error) (1u << KRAFLA_COMPOSER_##error)
#define ALL_RESULTS  ((1u << (KRAFLA_COMPOSER_UNSUPPORTED + 1)) - 1)
#define UNTOUCHED    0x5a5a5a5a
#define UNTOUCHED_64 UINT64_C(0x5a5a5a5a5a5a5a5a)

enum known { NO, YES, MAYBE };

struct layer_model {
	krafla_layer_t handle;
	int composition; /* -1: what was accepted */
	uint32_t width;  /* of the last buffer; 0 none */
	uint32_t height;
	uint32_t format;
};

struct display_model {
	krafla_display_t handle; /* 0: not there */
	bool is_virtual;
	uint32_t width;
	uint32_t height;
	enum known validated;
	bool pending; /* what validate said isn't accepted */
	uint32_t types;
	bool has_output;
	/*
	 * Its own: a client that lets two displays write into one buffer at a time has itself to
	 * thank. NULL: sizes that are too large.
	 */
	AHardwareBuffer *output;
	struct layer_model layers[MAX_LAYERS];
	unsigned count;
};

struct fuzzed {
	struct krafla_composer *composer;
	bool is_random; /* the device that hands layers back */
	bool alone;     /* one thread: the model holds */
	struct display_model displays[MAX_DISPLAYS];
	AHardwareBuffer *buffers[MAX_BUFFERS];
};

/* What one thread has. */
struct hand {
	struct fuzzed *all;
	const uint8_t *data;
	size_t size;
	/* Ends that signal, and fences that came out. */
	int producers[MAX_FENCES];
	unsigned producer_count;
	int given[MAX_FENCES];
	unsigned given_count;
};

/* --- things.c --- */

void hand_check(bool good, const char *what);
/* 0 once the input has ended. */
uint8_t hand_byte(struct hand *hand);
unsigned hand_choose(struct hand *hand, unsigned n);
/* A number of some interest: small, at a limit, negative. */
int32_t hand_number(struct hand *hand);
float hand_float(struct hand *hand);
ARect hand_rect(struct hand *hand);
/* A size that some buffers have, mostly. */
void hand_extent(struct hand *hand, uint32_t *width, uint32_t *height);

/* A descriptor to hand in, and whether it is a fence. It stays this side's: see hand_put_back. */
int hand_fence(struct hand *hand, bool *is_fence);
/* After the call: it has to be as it was. */
void hand_put_back(struct hand *hand, int fence);
/* Ends one that was handed in active. */
void hand_end_one(struct hand *hand);
/* Takes what came out; it has to be a fence. */
void hand_take(struct hand *hand, int fence);
void hand_close_one(struct hand *hand);
/* Each that came out has ended, once nobody can end it any more. */
void hand_finish(struct hand *hand);

/* NULL at times. `display`: mostly one of its size; NULL: any. */
AHardwareBuffer *hand_buffer(struct hand *hand, const struct display_model *display);
/* For a virtual display: its own, or one that is wrong. */
AHardwareBuffer *hand_output(struct hand *hand, const struct display_model *display);
AHardwareBuffer *buffer_make(uint32_t width, uint32_t height, uint32_t format);
void buffers_make(struct fuzzed *all);
void buffers_drop(struct fuzzed *all);

/* --- model.c --- */

/* One that is there, mostly; `display` is NULL for a handle that is none. */
krafla_display_t hand_display(struct hand *hand, struct display_model **display);
krafla_layer_t hand_layer(
	struct hand *hand, struct display_model *display, struct layer_model **layer);
/* The result is one of HWC's, and one of those that are allowed if the model holds. */
bool hand_judge(struct hand *hand, const char *call, int result, unsigned allowed);
struct display_model *model_add_display(struct fuzzed *all, krafla_display_t handle,
	bool is_virtual, uint32_t width, uint32_t height);
void model_remove_display(struct display_model *display);
void model_end_validation(struct display_model *display);

/* What is allowed where only so much may be wrong; where a display isn't there. */
unsigned allow_unless(unsigned wrong);
unsigned allow_there(const struct display_model *display);

/* --- calls --- */

void call_display(struct hand *hand);
void call_picture(struct hand *hand);
void call_create_layer(struct hand *hand);
void call_layer(struct hand *hand);
/* Screens take pictures while they are shown. */
void holds_drop_all(void);

#endif
