/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that presents without Vulkan, for tests of what becomes of producers in
 * other processes.
 *
 * producer SOCKET FRAMES [ACTION]     SOCKET "-": that of KRAFLA_DISPLAY
 *   exit=N    ends with that code after its frames (default 0)
 *   stop      stops itself with SIGSTOP
 *   hang      queues one more frame whose fence never signals, and sleeps
 *   deaf      ignores SIGTERM, and sleeps
 *   wait      sleeps; also behind another: "fixed=24,wait"
 *   wait=PATH makes that file, and sleeps
 *   kill      kills itself with SIGKILL
 *   fixed=HZ  wishes for a multiple of that rate, and takes it back at the end
 *   rate=HZ   wishes for that rate or more
 *   pq        draws in BT.2020 with PQ, 10 bits a channel, and says how bright it is
 */
#include "rig.h"

#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sync/fence/fence.h"

/* What the action asks for. */
static void
wish(struct kr_queue *queue, const char *action)
{
	struct kr_frame_rate rate = {0};

	if (sscanf(action, "fixed=%f", &rate.rate) == 1)
		rate.compatibility = NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE;
	else if (sscanf(action, "rate=%f", &rate.rate) != 1)
		return;
	rate.strategy = NATIVE_WINDOW_CHANGE_FRAME_RATE_ALWAYS;
	assert_int_equal(kr_queue_set_frame_rate(queue, &rate), 0);
}

int
main(int argc, char **argv)
{
	const char *socket = argc > 1 && strcmp(argv[1], "-") ? argv[1] : getenv("KRAFLA_DISPLAY");
	unsigned frames = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	const char *action = argc > 3 ? argv[3] : "exit=0";
	const struct kr_fence_label label = {"producer", 7, "hanging"};
	struct rig_frame frame = RIG_FRAME;
	struct kr_queue *queue;
	int signaller, code = 0;

	if (!socket)
		return 99;
	if (!strcmp(action, "deaf"))
		signal(SIGTERM, SIG_IGN);
	if (!strcmp(action, "pq")) {
		frame.format = AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM;
		frame.dataspace = HAL_DATASPACE_BT2020_PQ;
		frame.hdr = (struct kr_hdr_metadata){
			.has = KR_HDR_CONTENT, .max_cll = 1000, .max_fall = 400};
	}
	queue = rig_window_at(socket, "producer");
	wish(queue, action);
	for (unsigned i = 0; i < frames; i++) {
		if (rig_try_show(queue, &frame, rig_gradient, i) < 0) {
			rig_close(queue);
			return 98; /* the display has gone, or there are no buffers */
		}
	}
	if (!strcmp(action, "hang")) {
		if (kr_fence_create(&label, &signaller, &frame.fence) < 0)
			return 97;
		rig_show(queue, &frame, rig_gradient, frames);
	}
	if (!strcmp(action, "stop"))
		raise(SIGSTOP);
	if (!strcmp(action, "kill"))
		raise(SIGKILL);
	if (!strncmp(action, "wait=", 5))
		assert_int_equal(close(creat(action + 5, 0600)), 0);
	while (!strcmp(action, "hang") || !strcmp(action, "deaf") || strstr(action, "wait"))
		pause();
	if (!strncmp(action, "fixed=", 6))
		assert_int_equal(kr_queue_set_frame_rate(queue, &(struct kr_frame_rate){0}), 0);
	rig_close(queue);
	return sscanf(action, "exit=%d", &code) == 1 ? code : 0;
}
