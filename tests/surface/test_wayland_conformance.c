/* SPDX-License-Identifier: Apache-2.0 */
/* The sink of a Wayland window, by its module: what tests/window asks of every sink. */
#include "harness.h"

#include "sink_conformance.h"
#include "surface/output.h"
#include "wayland_rig.h"

static struct wayland_rig rig;

static void
make(struct sink_stage *stage)
{
	const struct kr_output_module *module;
	struct kr_output_window *output = NULL;
	struct kr_native_window native = {.system = KR_OUTPUT_SYSTEM_WAYLAND};

	wayland_rig_start(&rig);
	native.connection = rig.display;
	native.window = (uintptr_t)rig.surface;
	assert_int_equal(kr_output_load("wayland", &module), 0);
	assert_int_equal(module->open(&kr_output_host, &native, &stage->config, &output), 0);
	stage->sink = output->sink;
}

static void
end(struct sink_stage *stage)
{
	kr_weston_stop(&rig.server);
}

static void
finish(struct sink_stage *stage)
{
	wayland_rig_stop(&rig);
}

int
main(int argc, char **argv)
{
	const struct sink_maker maker = {
		.make = make, .end = end, .finish = finish, .keeps_memory = true};

	return sink_conformance_main(argc, argv, &maker);
}
