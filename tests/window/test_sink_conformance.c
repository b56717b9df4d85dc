/* SPDX-License-Identifier: Apache-2.0 */
/* The sinks of this room; KRAFLA_TEST_SINK says which one. The X window's is in tests/surface. */
#include "help.h"

#include <string.h>

#include "sink_conformance.h"
#include "util/clock.h"
#include "util/fd.h"

/* All that these far ends may be asked for: they only tell it on. */
static void
set_abilities(bool tells_shown)
{
	help_config.abilities = help_display.abilities = (struct kr_abilities){
		.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT),
		.transforms = KR_ABILITY_TRANSFORMS,
		.alphas = KR_ABILITY_ALL(KR_ALPHA_COUNT),
		.scalings = KR_ABILITY_ALL(KR_SCALING_COUNT),
		.gravities = KR_ABILITY_ALL(KR_GRAVITY_COUNT),
		.tells_shown = tells_shown,
	};
}

static void
make_null(struct sink_stage *stage)
{
	set_abilities(false);
	stage->config = help_config;
	assert_int_equal(kr_sink_null_create(&stage->sink), 0);
}

static void
make_local(struct sink_stage *stage)
{
	struct kr_consumer *consumer;

	set_abilities(true);
	stage->config = help_config;
	assert_int_equal(kr_consumer_local_create(NULL, NULL, &stage->sink, &consumer), 0);
	stage->far_end = consumer;
}

static void
make_remote(struct sink_stage *stage)
{
	struct kr_consumer *consumer;

	set_abilities(true);
	stage->config = help_config;
	help_attach(&stage->sink, &consumer, false, NULL, NULL);
	stage->far_end = consumer;
}

static void
serve(struct sink_stage *stage)
{
	struct kr_consumer *consumer = stage->far_end;
	static struct kr_frame shared;
	static struct kr_consumer *has_shared;
	struct kr_frame frame;

	if (!consumer)
		return;
	while (help_has_input(consumer) && !kr_consumer_dispatch(consumer))
		;
	while (!kr_consumer_acquire(consumer, &frame)) {
		kr_fd_close(&frame.acquire_fence);
		kr_consumer_shown(consumer, frame.number, kr_clock_now());
		if (has_shared == consumer && shared.slot != frame.slot) {
			assert_int_equal(kr_consumer_release(consumer, &shared, -1), 0);
			has_shared = NULL;
		}
		if (kr_present_mode_is_shared(frame.presentation.mode)) {
			shared = frame;
			has_shared = consumer;
			continue;
		}
		assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	}
}

static void
end(struct sink_stage *stage)
{
	kr_consumer_destroy(stage->far_end);
	stage->far_end = NULL;
}

static const struct sink_maker null = {.make = make_null};
static const struct sink_maker local = {
	.make = make_local, .serve = serve, .end = end, .finish = end};
static const struct sink_maker remote = {
	.make = make_remote, .serve = serve, .end = end, .finish = end, .keeps_memory = true};

int
main(int argc, char **argv)
{
	const char *which = getenv("KRAFLA_TEST_SINK");

	if (which && !strcmp(which, "local"))
		return sink_conformance_main(argc, argv, &local);
	if (which && !strcmp(which, "remote"))
		return sink_conformance_main(argc, argv, &remote);
	return sink_conformance_main(argc, argv, &null);
}
