/* SPDX-License-Identifier: Apache-2.0 */
/* See measure.h. */
#include "bench/painter/measure.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "bench/bench.h"

#define WAIT_MS 20000
#define WARM    4 /* pictures that don't count */

struct measuring {
	const struct painter_scene *scene;
	struct kr_painter *painter;
	uint64_t asked, done;
	double device_us;
	const char *why;
};

static int
step(struct measuring *m)
{
	struct pollfd poll_fd = {.fd = kr_painter_get_fd(m->painter), .events = POLLIN};

	m->why = "krafla-painter says nothing";
	if (poll(&poll_fd, 1, WAIT_MS) <= 0)
		return -1;
	return kr_painter_dispatch(m->painter, &m->why) ? -1 : 0;
}

static int
add_buffers(struct measuring *m)
{
	for (unsigned i = 0; i < m->scene->count; i++) {
		m->why = "a buffer can't be sent";
		if (kr_painter_add_buffer(m->painter, i + 1, m->scene->buffers[i]))
			return -1;
		while (kr_painter_buffer(m->painter, i + 1, &m->why) == KR_PAINTER_LOOKING) {
			if (step(m))
				return -1;
		}
		if (kr_painter_buffer(m->painter, i + 1, &m->why) != KR_PAINTER_GOOD)
			return -1;
	}
	return 0;
}

static int
ask(struct measuring *m)
{
	static const uint64_t ids[PAINTER_LAYERS] = {1, 2, 3, 4};
	static const uint64_t same[PAINTER_LAYERS] = {1, 1, 1, 1};
	const struct kr_painter_request request = {
		.number = ++m->asked,
		.width = m->scene->width,
		.height = m->scene->height,
		.readback = m->scene->readback,
		.layers = m->scene->layers,
		.ids = ids,
		.contents = m->scene->changing ? NULL : same,
		.count = m->scene->count,
	};

	m->why = "a picture can't be asked for";
	return kr_painter_draw(m->painter, &request) ? -1 : 0;
}

static int
take(struct measuring *m)
{
	struct kr_painter_result result;

	while (!kr_painter_take(m->painter, &result)) {
		if (step(m))
			return -1;
	}
	m->why = "a picture can't be drawn";
	if (result.error || (m->scene->readback && !result.pixels))
		return -1;
	if (m->scene->readback)
		kr_painter_give_back(m->painter, result.ring);
	m->device_us += (double)result.gpu_ns / 1000;
	m->done++;
	return 0;
}

/* Two on their way all the time. */
static int
run(struct measuring *m, unsigned pictures)
{
	uint64_t last = m->asked + pictures;

	while (m->done < last) {
		while (m->asked < last && m->asked - m->done < KR_PAINTER_MAX_REQUESTS) {
			if (ask(m))
				return -1;
		}
		if (take(m))
			return -1;
	}
	return 0;
}

int
painter_measure(const struct painter_scene *scene, struct painter_time *time, char reason[192])
{
	struct measuring m = {.scene = scene, .why = "krafla-painter can't be started"};
	int err = kr_painter_start(&(struct kr_painter_config){0}, &m.painter);
	int64_t start = 0;

	if (err) {
		snprintf(reason, 192, "%s", m.why);
		return -1;
	}
	while (!err && !kr_painter_ready(m.painter, NULL))
		err = step(&m);
	if (!err)
		err = add_buffers(&m);
	if (!err)
		err = run(&m, WARM);
	m.device_us = 0;
	start = kr_bench_now();
	if (!err)
		err = run(&m, scene->pictures);
	time->picture_us = (double)(kr_bench_now() - start) / 1000 / scene->pictures;
	time->device_us = m.device_us / scene->pictures;
	snprintf(reason, 192, "%s", m.why);
	kr_painter_stop(m.painter);
	return err;
}
