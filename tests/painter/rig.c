/* SPDX-License-Identifier: Apache-2.0 */
/* See rig.h. */
#include "rig.h"

#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

#define LAVAPIPE    "/usr/share/vulkan/icd.d/lvp_icd*.json"
#define SWIFTSHADER "/usr/lib/chromium/vk_swiftshader_icd.json" /* of Debian's chromium */
#define VALIDATION  "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"
#define WAIT_MS     15000

void
rig_use(enum rig_driver driver)
{
	const char *pattern = driver == RIG_LAVAPIPE ? LAVAPIPE : SWIFTSHADER;
	static char variable[256]; /* setenv would leave memory behind */
	glob_t found;

	if (getenv("KRAFLA_PAINTER_VALIDATION") && access(VALIDATION, R_OK))
		kr_test_skip("no-validation-layer", NULL);
	if (glob(pattern, 0, NULL, &found) || !found.gl_pathc)
		kr_test_skip(driver == RIG_LAVAPIPE ? "no-lavapipe" : "no-swiftshader", NULL);
	snprintf(variable, sizeof(variable), "VK_DRIVER_FILES=%s", found.gl_pathv[0]);
	assert_int_equal(putenv(variable), 0);
	globfree(&found);
}

int
rig_dispatch(struct kr_painter *painter, unsigned ms, const char **why)
{
	struct pollfd poll_fd = {.fd = kr_painter_get_fd(painter), .events = POLLIN};
	int64_t deadline = kr_deadline_in((uint64_t)ms * KR_NSEC_PER_MSEC);
	int err = kr_painter_dispatch(painter, why);

	while (!err && kr_fd_poll(&poll_fd, 1, deadline) > 0)
		err = kr_painter_dispatch(painter, why);
	return err;
}

/* One dispatch that has something to do. */
static void
step(struct kr_painter *painter)
{
	struct pollfd poll_fd = {.fd = kr_painter_get_fd(painter), .events = POLLIN};
	const char *why = "";

	assert_int_equal(
		kr_fd_poll(&poll_fd, 1, kr_deadline_in(WAIT_MS * (uint64_t)KR_NSEC_PER_MSEC)), 1);
	if (kr_painter_dispatch(painter, &why))
		fail_msg("%s", why);
}

struct kr_painter *
rig_start(struct kr_painter_report *report)
{
	struct kr_painter *painter;

	assert_int_equal(kr_painter_start(&(struct kr_painter_config){0}, &painter), 0);
	while (!kr_painter_ready(painter, report))
		step(painter);
	return painter;
}

enum kr_painter_verdict
rig_add(struct kr_painter *painter, uint64_t id, struct kr_buffer *buffer)
{
	const char *reason;

	assert_int_equal(kr_painter_add_buffer(painter, id, buffer), 0);
	while (kr_painter_buffer(painter, id, &reason) == KR_PAINTER_LOOKING)
		step(painter);
	if (kr_painter_buffer(painter, id, &reason) == KR_PAINTER_REFUSED)
		printf("# refused: %s\n", reason);
	return kr_painter_buffer(painter, id, &reason);
}

struct kr_painter_result
rig_paint(struct kr_painter *painter, const struct kr_painter_request *request)
{
	struct kr_painter_result result;

	assert_int_equal(kr_painter_draw(painter, request), 0);
	while (!kr_painter_take(painter, &result))
		step(painter);
	assert_int_equal(result.number, request->number);
	return result;
}
