/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wayland windows on a compositor of the test's own: what Weston hasn't got here (dma-bufs, fences,
 * tearing), exactly what is said with a frame, and compositors that misbehave. The module's files
 * are linked in, so that the fakes of dma-bufs and kernel fences reach them.
 */
#include "harness.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <wayland-client.h>

#include "buffer_rig.h"
#include "gralloc/buffer.h"
#include "surface/output.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/macros.h"
#include "wayland_server.h"
#include "window/queue/sink.h"

#define BGRA  AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
#define LIMIT (10 * KR_NSEC_PER_SEC)

extern const struct kr_output_module kr_output_module;

static struct wayland_server *server;
static struct wl_display *display;
static struct wl_registry *registry;
static struct wl_compositor *compositor;
static struct wl_surface *surface;
static struct kr_output_window *output;
static struct kr_queue *queue;
static struct kr_queue_config config;
static struct kr_queue_input input;
static uint64_t number;

static void
handle_global(
	void *data, struct wl_registry *r, uint32_t name, const char *interface, uint32_t version)
{
	if (!strcmp(interface, "wl_compositor"))
		compositor =
			wl_registry_bind(r, name, &wl_compositor_interface, KR_MIN(version, 4u));
}

static void
handle_global_remove(void *data, struct wl_registry *r, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

/* The program; nothing of ours yet. */
static void
begin_program(const struct server_setup *setup)
{
	rig_begin();
	number = 0;
	input = (struct kr_queue_input){.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO};
	server = server_start(setup);
	display = wl_display_connect(server->path);
	assert_non_null(display);
	registry = wl_display_get_registry(display);
	wl_registry_add_listener(registry, &registry_listener, NULL);
	assert_true(wl_display_roundtrip(display) >= 0);
	assert_non_null(compositor);
	surface = wl_compositor_create_surface(compositor);
}

static int
open_window(void)
{
	const struct kr_native_window native = {
		.system = KR_OUTPUT_SYSTEM_WAYLAND,
		.connection = display,
		.window = (uintptr_t)surface,
	};
	int ret = kr_output_module.open(&kr_output_host, &native, &config, &output);

	if (ret)
		return ret;
	assert_int_equal(kr_queue_create(&config, output->sink, &queue), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_EGL), 0);
	return kr_queue_set_buffer_count(queue, 4);
}

static void
begin(const struct server_setup *setup)
{
	begin_program(setup);
	assert_int_equal(open_window(), 0);
}

static void
end(void)
{
	kr_queue_unref(queue);
	queue = NULL;
	wl_surface_destroy(surface);
	wl_compositor_destroy(compositor);
	wl_registry_destroy(registry);
	wl_display_disconnect(display);
	compositor = NULL;
	server_stop(server);
	kr_sink_set_answer_ns(0);
	rig_end();
}

static int
dequeue(int64_t limit_ns, uint32_t *slot, struct kr_buffer **buffer, int *fence)
{
	const struct kr_queue_request request = {
		.width = 32,
		.height = 16,
		.format = BGRA,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + limit_ns,
	};

	return kr_queue_dequeue(queue, &request, slot, buffer, fence);
}

/* A frame of one colour; its fence is owned. */
static int
show_with(uint32_t word, int64_t limit_ns, int take_fence)
{
	struct kr_buffer *buffer;
	uint32_t slot, *words;
	int fence = -1, ret = dequeue(limit_ns, &slot, &buffer, &fence);
	void *data;

	if (ret) {
		kr_fd_close(&take_fence);
		return ret;
	}
	kr_fd_close(&fence);
	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	words = data;
	for (uint64_t i = 0; i < kr_buffer_get_info(buffer)->size / 4; i++)
		words[i] = word;
	return kr_queue_queue(queue, slot, &input, take_fence, &number);
}

static int
show(uint32_t word, int64_t limit_ns)
{
	return show_with(word, limit_ns, -1);
}

static bool
uses_dma_bufs(void)
{
	const char *word = getenv("KRAFLA_BUFFERS");

	return word && strcmp(word, "memfd");
}

/* Each buffer as it is, of the format that its frame's alpha asks for. */
static void
buffers_are_lent(void **state)
{
	begin(&(struct server_setup){.has = SERVER_ALL});
	for (uint32_t i = 1; i <= 12; i++) {
		input.presentation.alpha = i % 2 ? KR_ALPHA_OPAQUE : KR_ALPHA_PREMULTIPLIED;
		assert_int_equal(show(0x80000000 + i, LIMIT), 0);
		server_expect_commits(server, i);
		assert_int_equal(server->first_pixel, 0x80000000 + i);
		assert_int_equal(server->lent, uses_dma_bufs() ? i : 0);
	}
	end();
}

/* What isn't taken is copied, alpha and all. */
static void
refused_buffers_are_copied(void **state)
{
	begin(&(struct server_setup){.has = SERVER_ALL, .refuses = true});
	for (uint32_t i = 1; i <= 6; i++) {
		input.presentation.alpha = KR_ALPHA_PREMULTIPLIED;
		assert_int_equal(show(0x40000000 + i, LIMIT), 0);
		server_expect_commits(server, i);
		assert_int_equal(server->first_pixel, 0x40000000 + i);
	}
	assert_int_equal(server->lent, 0);
	end();
}

/* A kernel's fence goes to the compositor, which gives one back; the frame isn't waited for. */
static void
kernel_fences_go_to_the_compositor(void **state)
{
	struct rig_fence fences[6];
	struct kr_buffer *buffer;
	uint32_t slot;
	int fence = -1;

	begin(&(struct server_setup){.has = SERVER_ALL});
	for (unsigned i = 0; i < 6; i++) {
		int copy = -1;

		fences[i] = rig_fence_create();
		assert_int_equal(kr_fd_dup(fences[i].fence, &copy), 0);
		assert_int_equal(show_with(i, LIMIT, copy), 0);
		if (uses_dma_bufs()) {
			server_expect_commits(server, i + 1);
			assert_int_equal(server->fences, i + 1);
		}
		rig_fence_signal(&fences[i]);
		server_expect_commits(server, i + 1);
	}
	assert_int_equal(server->fences, uses_dma_bufs() ? 6 : 0);
	assert_int_equal(dequeue(LIMIT, &slot, &buffer, &fence), 0);
	kr_fd_close(&fence);
	for (unsigned i = 0; i < 6; i++)
		rig_fence_finish(&fences[i]);
	end();
}

/* Those of user space never do: the frame comes when it is ready. */
static void
other_fences_are_waited_for(void **state)
{
	begin(&(struct server_setup){.has = SERVER_ALL});
	for (unsigned i = 0; i < 4; i++) {
		int producer, fence;

		assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
		assert_int_equal(show_with(i, LIMIT, fence), 0);
		usleep(50000);
		assert_int_equal(server->commits, i);
		kr_fence_signal(producer, 1);
		server_expect_commits(server, i + 1);
	}
	assert_int_equal(server->fences, 0);
	end();
}

static void
damage_is_said(void **state)
{
	begin(&(struct server_setup){.has = SERVER_ALL});
	assert_int_equal(show(1, LIMIT), 0);
	server_expect_commits(server, 1);
	assert_int_equal(server->damages, 1);
	assert_true(server->buffer_damage);
	assert_int_equal(server->damage[2], INT32_MAX);
	input.damage_count = 2;
	input.damage[0] = (android_native_rect_t){0, 0, 4, 4};
	input.damage[1] = (android_native_rect_t){8, 2, 20, 11};
	assert_int_equal(show(2, LIMIT), 0);
	server_expect_commits(server, 2);
	assert_int_equal(server->damages, 3);
	assert_memory_equal(server->damage, ((int32_t[]){8, 2, 12, 9}), sizeof(server->damage));
	end();
}

/* Surfaces of old compositors can't say where a buffer changed, nor be turned. */
static void
an_old_compositor_shows_frames(void **state)
{
	begin(&(struct server_setup){.has = SERVER_SHM, .compositor = 1});
	assert_int_equal(config.abilities.transforms, 1);
	assert_false(config.abilities.modes & KR_ABILITY(KR_PRESENT_FIFO_RELAXED));
	input.damage_count = 1;
	input.damage[0] = (android_native_rect_t){0, 0, 4, 4};
	for (uint32_t i = 1; i <= 6; i++)
		assert_int_equal(show(i, LIMIT), 0);
	server_expect_commits(server, 6);
	assert_false(server->buffer_damage);
	end();
}

/* IMMEDIATE may tear, and RELAXED when it is late. */
static void
tearing_is_allowed_where_it_may_be(void **state)
{
	begin(&(struct server_setup){.has = SERVER_ALL});
	assert_true(config.abilities.modes & KR_ABILITY(KR_PRESENT_FIFO_RELAXED));
	assert_int_equal(show(1, LIMIT), 0);
	server_expect_commits(server, 1);
	assert_int_equal(server->hint, 0);
	input.presentation.mode = KR_PRESENT_IMMEDIATE;
	assert_int_equal(show(2, LIMIT), 0);
	server_expect_commits(server, 2);
	assert_int_equal(server->hint, 1);
	input.presentation.mode = KR_PRESENT_FIFO;
	assert_int_equal(show(3, LIMIT), 0);
	server_expect_commits(server, 3);
	assert_int_equal(server->hint, 0);
	usleep(100000);
	input.presentation.mode = KR_PRESENT_FIFO_RELAXED;
	assert_int_equal(show(4, LIMIT), 0);
	server_expect_commits(server, 4);
	assert_int_equal(server->hint, 1);
	end();
}

static void
shown_is_told(void **state)
{
	static const uint32_t has[] = {SERVER_ALL, SERVER_SHM};

	for (size_t i = 0; i < KR_ARRAY_LEN(has); i++) {
		begin(&(struct server_setup){.has = has[i]});
		input.presentation.tell_shown = true;
		for (uint32_t k = 0; k < 8; k++) {
			assert_int_equal(show(k, LIMIT), 0);
			assert_int_equal(
				kr_queue_wait_shown(queue, number, kr_deadline_in(LIMIT)), 0);
		}
		/* Of frames that others replace, too: MAILBOX has many of these. */
		input.presentation.mode = KR_PRESENT_MAILBOX;
		for (uint32_t k = 0; k < 40; k++)
			assert_int_equal(show(k, LIMIT), 0);
		assert_int_equal(kr_queue_wait_shown(queue, number, kr_deadline_in(LIMIT)), 0);
		end();
	}
}

/* Nobody sees the window: frames go on, slowly, and who can't wait so long needn't. */
static void
a_hidden_window_goes_on(void **state)
{
	int64_t start;
	int ret = 0;

	begin(&(struct server_setup){.has = SERVER_ALL});
	assert_int_equal(show(0, LIMIT), 0);
	server_expect_commits(server, 1);
	server_set(server, true, false);
	for (int i = 0; i < 6 && !ret; i++)
		ret = show(1, 20 * KR_NSEC_PER_MSEC);
	assert_int_equal(ret, -ETIMEDOUT);
	start = kr_clock_now();
	assert_int_equal(show(2, LIMIT), 0);
	assert_int_equal(show(3, LIMIT), 0);
	assert_true(kr_clock_now() - start > 700 * KR_NSEC_PER_MSEC);
	/* Seen again it is as before. */
	server_set(server, false, false);
	start = kr_clock_now();
	for (int i = 0; i < 10; i++)
		assert_int_equal(show(4, LIMIT), 0);
	assert_true(kr_clock_now() - start < 3 * KR_NSEC_PER_SEC);
	end();
}

/* MAILBOX doesn't wait for callbacks. */
static void
a_hidden_mailbox_window_is_not_slow(void **state)
{
	int64_t start;

	begin(&(struct server_setup){.has = SERVER_ALL});
	server_set(server, true, false);
	input.presentation.mode = KR_PRESENT_MAILBOX;
	start = kr_clock_now();
	for (int i = 0; i < 30; i++)
		assert_int_equal(show(1, LIMIT), 0);
	assert_true(kr_clock_now() - start < 3 * KR_NSEC_PER_SEC);
	end();
}

/* One that answers, and keeps all buffers, isn't dead: who waits has his own limit. */
static void
kept_buffers_are_waited_for(void **state)
{
	int ret = 0;

	begin(&(struct server_setup){.has = SERVER_ALL});
	kr_sink_set_answer_ns(200 * KR_NSEC_PER_MSEC);
	server_set(server, false, true);
	input.presentation.mode = KR_PRESENT_MAILBOX;
	for (int i = 0; i < 10 && !ret; i++)
		ret = show(1, KR_NSEC_PER_SEC);
	assert_int_equal(ret, -ETIMEDOUT);
	assert_true(kr_queue_alive(queue));
	end();
}

static void
a_silent_compositor_is_given_up(void **state)
{
	int ret = 0;

	begin(&(struct server_setup){.has = SERVER_ALL});
	assert_int_equal(show(0, LIMIT), 0);
	server_expect_commits(server, 1);
	kr_sink_set_answer_ns(300 * KR_NSEC_PER_MSEC);
	kill(server->pid, SIGSTOP);
	for (int i = 0; i < 10 && !ret; i++)
		ret = show(1, LIMIT);
	assert_int_equal(ret, -ENODEV);
	end();
}

/* Each request may be the last that is heard. */
static void
it_dies_at_each_step(void **state)
{
	for (unsigned breaks = 0; breaks < 2; breaks++) {
		for (unsigned step = 2; step < 60; step++) {
			int ret;

			begin_program(&(struct server_setup){
				.has = SERVER_ALL, .dies_at = step, .breaks = breaks});
			ret = open_window();
			input.presentation.tell_shown = true;
			for (int i = 0; i < 20 && !ret; i++) {
				input.presentation.mode =
					i % 4 == 3 ? KR_PRESENT_IMMEDIATE : KR_PRESENT_FIFO;
				ret = show(1, LIMIT);
			}
			assert_true(ret == -ENODEV || ret == -EPIPE);
			end();
		}
	}
}

static void
without_memory_to_share_there_is_no_window(void **state)
{
	begin_program(&(struct server_setup){.has = SERVER_ALL & ~SERVER_SHM});
	assert_int_equal(open_window(), -ENODEV);
	end();
}

/* libwayland keeps memory of its own. */
#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(buffers_are_lent, KEEPS),
	KR_TEST_FLAGS(refused_buffers_are_copied, KEEPS),
	KR_TEST_FLAGS(kernel_fences_go_to_the_compositor, KEEPS),
	KR_TEST_FLAGS(other_fences_are_waited_for, KEEPS),
	KR_TEST_FLAGS(damage_is_said, KEEPS),
	KR_TEST_FLAGS(an_old_compositor_shows_frames, KEEPS),
	KR_TEST_FLAGS(tearing_is_allowed_where_it_may_be, KEEPS),
	KR_TEST_FLAGS(shown_is_told, KEEPS),
	KR_TEST_FLAGS(a_hidden_window_goes_on, KEEPS),
	KR_TEST_FLAGS(a_hidden_mailbox_window_is_not_slow, KEEPS),
	KR_TEST_FLAGS(kept_buffers_are_waited_for, KEEPS),
	KR_TEST_FLAGS(a_silent_compositor_is_given_up, KEEPS),
	KR_TEST_SLOW(it_dies_at_each_step, KEEPS, 120),
	KR_TEST_FLAGS(without_memory_to_share_there_is_no_window, KEEPS),
};

KR_TEST_MAIN(tests)
