/* SPDX-License-Identifier: Apache-2.0 */
/* The sink of an X window, by its module: what tests/window asks of every sink. */
#include "harness.h"

#include "sink_conformance.h"
#include "x_rig.h"

static struct x_rig rig;

static void
make(struct sink_stage *stage)
{
	struct kr_output_window *output = NULL;

	x_rig_start(&rig, "640x480x24", NULL, NULL, 64, 32);
	assert_int_equal(x_rig_open_window(&rig, rig.window, &stage->config, &output), 0);
	stage->sink = output->sink;
}

static void
end(struct sink_stage *stage)
{
	kr_xvfb_stop(&rig.server);
}

static void
finish(struct sink_stage *stage)
{
	x_rig_stop(&rig);
}

int
main(int argc, char **argv)
{
	const struct sink_maker maker = {
		.make = make, .end = end, .finish = finish, .keeps_memory = true};

	return sink_conformance_main(argc, argv, &maker);
}
