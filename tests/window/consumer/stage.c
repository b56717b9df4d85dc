/* SPDX-License-Identifier: Apache-2.0 */
#include "consumer/stage.h"

#include <string.h>

#include "util/fd.h"

static const struct kr_abilities able = {
	.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT),
	.transforms = KR_ABILITY_TRANSFORMS,
	.alphas = KR_ABILITY_ALL(KR_ALPHA_COUNT),
	.scalings = KR_ABILITY_ALL(KR_SCALING_COUNT),
	.gravities = KR_ABILITY_ALL(KR_GRAVITY_COUNT),
	.counters = KR_ABILITY_VBLANK,
	.tells_shown = true,
};

void
stage_start(struct stage *s)
{
	const char *which = getenv("KRAFLA_TEST_CONSUMER");
	struct kr_sink *sink;

	memset(s, 0, sizeof(*s));
	help_config.abilities = help_display.abilities = able;
	s->remote = which && !strcmp(which, "remote");
	if (s->remote)
		help_attach(&sink, &s->consumer, false, &help_events, &s->seen);
	else
		assert_int_equal(
			kr_consumer_local_create(&help_events, &s->seen, &sink, &s->consumer), 0);
	s->queue = help_queue(sink);
}

void
stage_stop(struct stage *s)
{
	kr_queue_unref(s->queue);
	kr_consumer_destroy(s->consumer);
}

int
stage_pump(struct stage *s)
{
	int err = 0;

	while (!err && help_has_input(s->consumer))
		err = kr_consumer_dispatch(s->consumer);
	return err;
}

void
stage_frame(struct stage *s)
{
	help_frame(s->queue);
	assert_int_equal(stage_pump(s), 0);
}

void
stage_take(struct stage *s, struct kr_frame *f)
{
	assert_int_equal(kr_consumer_acquire(s->consumer, f), 0);
	kr_fd_close(&f->acquire_fence);
}
