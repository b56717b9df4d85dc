/* SPDX-License-Identifier: Apache-2.0 */
/* The host of modules under test, and the output without a server. */
#include "subject.h"

#include "harness.h"

#include "composer/output/headless.h"
#include "sync/fence/fence.h"
#include "util/log.h"

const struct kr_display_output_module *subject_module;
unsigned subject_told;
int subject_held;
unsigned subject_holds;

static void
host_log(uint32_t bits, const char *message)
{
	subject_told += (bits & (KR_LOG_ERROR | KR_LOG_WARN)) != 0;
	kr_log(bits, "%s", message);
}

static bool
hold_take(struct kr_picture_hold *hold)
{
	subject_held += hold != NULL;
	subject_holds += hold != NULL;
	return hold != NULL;
}

static void
hold_drop(struct kr_picture_hold *hold)
{
	subject_held--;
}

static int
fence_create(uint64_t number, int *producer, int *fence)
{
	const struct kr_fence_label label = {"test", number, "shown"};

	return kr_fence_create(&label, producer, fence);
}

const struct kr_display_output_host subject_host = {
	.abi = KR_DISPLAY_OUTPUT_ABI,
	.log = host_log,
	.hold_take = hold_take,
	.hold_drop = hold_drop,
	.fence_create = fence_create,
	.fence_signal = kr_fence_signal,
};

struct kr_display_output *
subject_open_module(const char *argument, uint32_t width, uint32_t height)
{
	const struct kr_display_output_options options = {
		.argument = argument,
		.title = "a test",
		.width = width,
		.height = height,
	};
	struct kr_display_output *output;

	assert_int_equal(subject_module->open(&subject_host, &options, &output), 0);
	return output;
}

static void
start_nothing(void)
{
}

static struct kr_display_output *
open_headless(uint32_t width, uint32_t height)
{
	struct kr_display_output *output = kr_headless_output_create();

	assert_non_null(output);
	assert_int_equal(output->wanted.every, 0);
	return output;
}

const struct subject headless_subject = {
	.name = "headless",
	.start = start_nothing,
	.open = open_headless,
	.stop = start_nothing,
};
