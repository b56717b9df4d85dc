/* SPDX-License-Identifier: Apache-2.0 */
/* See wayland_server.h. It trusts its client: that is ours. */
#include "wayland_server.h"

#include "harness.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wayland-server.h>

#include "linux-dmabuf-server.h"
#include "presentation-time-server.h"
#include "xdg-shell-server.h"

#define PERIOD_MS   8
#define FOURCC_XRGB UINT32_C(0x34325258)
#define FOURCC_XBGR UINT32_C(0x34324258)
#define FRAMES_MAX  16

static struct wayland_server *shared;
static struct wl_event_source *timer;

/* A dma-buf that was imported. */
struct lent_buffer {
	void *map;
	size_t size;
	uint32_t width, height, stride, offset, format;
};

struct params {
	int fd;
	uint32_t offset, stride;
};

static struct {
	struct wl_resource *surface, *xdg_surface, *toplevel;
	struct wl_resource *pending; /* attached, not committed */
	bool attached;
	struct wl_resource *committed; /* to be shown at the next tick */
	bool fresh;
	struct wl_resource *current; /* what is shown: released when another is */
	struct wl_resource *frames[FRAMES_MAX], *next_frames[FRAMES_MAX];
	unsigned frame_count, next_frame_count;
	struct wl_resource *feedback, *next_feedback;
	bool configured;
	uint32_t serial;
} window;

/* --- what does nothing --- */

static void
destroy_resource(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static void
ignore_region(struct wl_client *client, struct wl_resource *resource, struct wl_resource *region)
{
}

static void
ignore_damage(struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y,
	int32_t width, int32_t height)
{
}

static void
ignore_int(struct wl_client *client, struct wl_resource *resource, int32_t value)
{
}

static void
ignore_uint(struct wl_client *client, struct wl_resource *resource, uint32_t value)
{
}

static void
ignore_text(struct wl_client *client, struct wl_resource *resource, const char *text)
{
}

static void
ignore_size(struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height)
{
}

/* --- surfaces --- */

/* A client may give up a buffer that it has attached. */
static void
handle_buffer_gone(struct wl_listener *listener, void *data)
{
	if (window.pending == data)
		window.pending = NULL;
	if (window.committed == data)
		window.committed = NULL;
	if (window.current == data)
		window.current = NULL;
	free(listener);
}

static void
watch_buffer(struct wl_resource *buffer)
{
	struct wl_listener *listener;

	if (!buffer || wl_resource_get_destroy_listener(buffer, handle_buffer_gone))
		return;
	listener = calloc(1, sizeof(*listener));
	if (!listener)
		_exit(5);
	listener->notify = handle_buffer_gone;
	wl_resource_add_destroy_listener(buffer, listener);
}

static void
attach(struct wl_client *client, struct wl_resource *surface, struct wl_resource *buffer, int32_t x,
	int32_t y)
{
	watch_buffer(buffer);
	window.pending = buffer;
	window.attached = true;
}

static void
ask_frame(struct wl_client *client, struct wl_resource *surface, uint32_t id)
{
	struct wl_resource *callback = wl_resource_create(client, &wl_callback_interface, 1, id);

	if (window.next_frame_count < FRAMES_MAX)
		window.next_frames[window.next_frame_count++] = callback;
}

static void
commit(struct wl_client *client, struct wl_resource *surface)
{
	struct wl_array states;

	if (window.toplevel && !window.configured) {
		wl_array_init(&states);
		/* It wants another size, which krafla may leave alone. */
		xdg_toplevel_send_configure(window.toplevel, 33, 44, &states);
		xdg_surface_send_configure(window.xdg_surface, ++window.serial);
		wl_array_release(&states);
		window.configured = true;
	}
	if (window.attached) {
		/* A frame is committed when the one before was shown: krafla is asked for it. */
		if (window.fresh)
			_exit(3);
		window.committed = window.pending;
		window.fresh = true;
	}
	window.attached = false;
	for (unsigned i = 0; i < window.next_frame_count; i++)
		window.frames[window.frame_count++] = window.next_frames[i];
	window.next_frame_count = 0;
	if (window.next_feedback)
		window.feedback = window.next_feedback;
	window.next_feedback = NULL;
}

static const struct wl_surface_interface surface_impl = {
	.destroy = destroy_resource,
	.attach = attach,
	.damage = ignore_damage,
	.frame = ask_frame,
	.set_opaque_region = ignore_region,
	.set_input_region = ignore_region,
	.commit = commit,
	.set_buffer_transform = ignore_int,
	.set_buffer_scale = ignore_int,
	.damage_buffer = ignore_damage,
};

static void
create_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	window.surface = wl_resource_create(
		client, &wl_surface_interface, wl_resource_get_version(resource), id);
	wl_resource_set_implementation(window.surface, &surface_impl, NULL, NULL);
}

static const struct wl_compositor_interface compositor_impl = {.create_surface = create_surface};

/* --- windows --- */

static const struct xdg_toplevel_interface toplevel_impl = {
	.destroy = destroy_resource,
	.set_title = ignore_text,
	.set_app_id = ignore_text,
	.set_max_size = ignore_size,
	.set_min_size = ignore_size,
};

static void
get_toplevel(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	window.toplevel = wl_resource_create(client, &xdg_toplevel_interface, 1, id);
	wl_resource_set_implementation(window.toplevel, &toplevel_impl, NULL, NULL);
}

static const struct xdg_surface_interface xdg_surface_impl = {
	.destroy = destroy_resource,
	.get_toplevel = get_toplevel,
	.ack_configure = ignore_uint,
};

static void
get_xdg_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface)
{
	window.xdg_surface = wl_resource_create(client, &xdg_surface_interface, 1, id);
	wl_resource_set_implementation(window.xdg_surface, &xdg_surface_impl, NULL, NULL);
}

static const struct xdg_wm_base_interface wm_base_impl = {
	.destroy = destroy_resource,
	.get_xdg_surface = get_xdg_surface,
	.pong = ignore_uint,
};

/* --- times --- */

static void
ask_feedback(struct wl_client *client, struct wl_resource *resource, struct wl_resource *surface,
	uint32_t id)
{
	window.next_feedback =
		wl_resource_create(client, &wp_presentation_feedback_interface, 1, id);
}

static const struct wp_presentation_interface presentation_impl = {
	.destroy = destroy_resource,
	.feedback = ask_feedback,
};

/* --- dma-bufs --- */

static const struct wl_buffer_interface buffer_impl = {.destroy = destroy_resource};

static void
forget_buffer(struct wl_resource *resource)
{
	struct lent_buffer *buffer = wl_resource_get_user_data(resource);

	munmap(buffer->map, buffer->size);
	free(buffer);
}

static void
add_plane(struct wl_client *client, struct wl_resource *resource, int32_t fd, uint32_t plane,
	uint32_t offset, uint32_t stride, uint32_t high, uint32_t low)
{
	struct params *params = wl_resource_get_user_data(resource);

	*params = (struct params){fd, offset, stride};
}

static void
create_buffer(struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height,
	uint32_t format, uint32_t flags)
{
	struct params *params = wl_resource_get_user_data(resource);
	struct lent_buffer *made = calloc(1, sizeof(*made));
	struct wl_resource *buffer;
	struct stat status;
	bool refuse;

	pthread_mutex_lock(&shared->lock);
	refuse = shared->refuse;
	pthread_mutex_unlock(&shared->lock);
	*made = (struct lent_buffer){.width = (uint32_t)width,
		.height = (uint32_t)height,
		.stride = params->stride,
		.offset = params->offset,
		.format = format};
	if (fstat(params->fd, &status))
		_exit(4);
	made->size = (size_t)status.st_size;
	made->map = mmap(NULL, made->size, PROT_READ, MAP_SHARED, params->fd, 0);
	close(params->fd);
	if (refuse || made->map == MAP_FAILED) {
		zwp_linux_buffer_params_v1_send_failed(resource);
		free(made);
		return;
	}
	buffer = wl_resource_create(client, &wl_buffer_interface, 1, 0);
	wl_resource_set_implementation(buffer, &buffer_impl, made, forget_buffer);
	zwp_linux_buffer_params_v1_send_created(resource, buffer);
}

static const struct zwp_linux_buffer_params_v1_interface params_impl = {
	.destroy = destroy_resource,
	.add = add_plane,
	.create = create_buffer,
};

static void
forget_params(struct wl_resource *resource)
{
	free(wl_resource_get_user_data(resource));
}

static void
create_params(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *params =
		wl_resource_create(client, &zwp_linux_buffer_params_v1_interface, 3, id);

	wl_resource_set_implementation(
		params, &params_impl, calloc(1, sizeof(struct params)), forget_params);
}

static const struct zwp_linux_dmabuf_v1_interface dmabuf_impl = {
	.destroy = destroy_resource,
	.create_params = create_params,
};

/* --- what is there --- */

static void
bind_compositor(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	wl_resource_set_implementation(
		wl_resource_create(client, &wl_compositor_interface, (int)version, id),
		&compositor_impl, NULL, NULL);
}

static void
bind_wm_base(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	wl_resource_set_implementation(
		wl_resource_create(client, &xdg_wm_base_interface, (int)version, id), &wm_base_impl,
		NULL, NULL);
}

static void
bind_presentation(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wp_presentation_interface, (int)version, id);

	wl_resource_set_implementation(resource, &presentation_impl, NULL, NULL);
	wp_presentation_send_clock_id(resource, CLOCK_MONOTONIC);
}

static void
bind_dmabuf(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &zwp_linux_dmabuf_v1_interface, (int)version, id);

	wl_resource_set_implementation(resource, &dmabuf_impl, NULL, NULL);
	zwp_linux_dmabuf_v1_send_modifier(resource, FOURCC_XRGB, 0, 0);
	zwp_linux_dmabuf_v1_send_modifier(resource, FOURCC_XBGR, 0, 0);
}

/* --- showing --- */

static void
show_rows(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t stride, bool turned)
{
	shared->width = width;
	shared->height = height;
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			uint32_t pixel;

			memcpy(&pixel, pixels + (size_t)y * stride + (size_t)x * 4, sizeof(pixel));
			if (turned)
				pixel = (pixel & 0xff) << 16 | (pixel & 0xff00) |
					(pixel >> 16 & 0xff);
			shared->pixels[y * width + x] = pixel & 0xffffff;
		}
	}
}

static void
show_buffer(struct wl_resource *resource)
{
	struct wl_shm_buffer *memory = wl_shm_buffer_get(resource);

	pthread_mutex_lock(&shared->lock);
	if (memory) {
		wl_shm_buffer_begin_access(memory);
		show_rows(wl_shm_buffer_get_data(memory), (uint32_t)wl_shm_buffer_get_width(memory),
			(uint32_t)wl_shm_buffer_get_height(memory),
			(uint32_t)wl_shm_buffer_get_stride(memory), false);
		wl_shm_buffer_end_access(memory);
		shared->shared++;
	} else {
		struct lent_buffer *lent = wl_resource_get_user_data(resource);

		show_rows((const uint8_t *)lent->map + lent->offset, lent->width, lent->height,
			lent->stride, lent->format == FOURCC_XBGR);
		shared->lent++;
	}
	pthread_mutex_unlock(&shared->lock);
}

static void
answer(void)
{
	struct timespec now;
	uint64_t seconds;

	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&shared->lock);
	seconds = (uint64_t)now.tv_sec + shared->ahead;
	pthread_mutex_unlock(&shared->lock);
	for (unsigned i = 0; i < window.frame_count; i++) {
		wl_callback_send_done(window.frames[i], 0);
		wl_resource_destroy(window.frames[i]);
	}
	window.frame_count = 0;
	if (!window.feedback)
		return;
	wp_presentation_feedback_send_presented(window.feedback, (uint32_t)(seconds >> 32),
		(uint32_t)seconds, (uint32_t)now.tv_nsec, PERIOD_MS * 1000000, 0, 0, 0);
	wl_resource_destroy(window.feedback);
	window.feedback = NULL;
}

static int
tick(void *data)
{
	bool close;

	if (window.fresh) {
		if (window.committed)
			show_buffer(window.committed);
		if (window.current && window.current != window.committed)
			wl_buffer_send_release(window.current);
		window.current = window.committed;
		window.fresh = false;
		answer();
	}
	pthread_mutex_lock(&shared->lock);
	close = shared->close;
	shared->close = false;
	pthread_mutex_unlock(&shared->lock);
	if (close && window.toplevel)
		xdg_toplevel_send_close(window.toplevel);
	return wl_event_source_timer_update(timer, PERIOD_MS);
}

/* What the client has given up must not be named any more. */
static void
handle_destroyed(struct wl_listener *listener, void *data)
{
	memset(&window, 0, sizeof(window));
}

static struct wl_listener client_gone = {.notify = handle_destroyed};

static void
handle_client(struct wl_listener *listener, void *data)
{
	wl_client_add_destroy_listener(data, &client_gone);
}

static struct wl_listener client_came = {.notify = handle_client};

static void
serve(int ready)
{
	struct wl_display *display = wl_display_create();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("XDG_RUNTIME_DIR", kr_test_dir(), 1);
	if (!display || wl_display_add_socket(display, "server"))
		_exit(1);
	wl_display_init_shm(display);
	wl_global_create(display, &wl_compositor_interface, 4, NULL, bind_compositor);
	wl_global_create(display, &xdg_wm_base_interface, 1, NULL, bind_wm_base);
	wl_global_create(display, &wp_presentation_interface, 1, NULL, bind_presentation);
	wl_global_create(display, &zwp_linux_dmabuf_v1_interface, 3, NULL, bind_dmabuf);
	wl_display_add_client_created_listener(display, &client_came);
	timer = wl_event_loop_add_timer(wl_display_get_event_loop(display), tick, NULL);
	wl_event_source_timer_update(timer, PERIOD_MS);
	if (write(ready, "", 1) != 1)
		_exit(1);
	wl_display_run(display);
	_exit(0);
}

struct wayland_server *
wayland_server_start(void)
{
	struct wayland_server *server = mmap(
		NULL, sizeof(*server), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attributes;
	int ready[2];
	char byte;
	pid_t pid;

	assert_true(server != MAP_FAILED);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&server->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	snprintf(server->path, sizeof(server->path), "%s/server", kr_test_dir());
	unlink(server->path);
	assert_int_equal(pipe(ready), 0);
	shared = server;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		serve(ready[1]);
	server->pid = pid;
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return server;
}

bool
wayland_server_read(
	struct wayland_server *server, uint32_t width, uint32_t height, uint32_t *pixels)
{
	bool same;

	pthread_mutex_lock(&server->lock);
	same = server->width == width && server->height == height;
	if (same)
		memcpy(pixels, server->pixels, (size_t)width * height * 4);
	pthread_mutex_unlock(&server->lock);
	return same;
}

void
wayland_server_close_window(struct wayland_server *server)
{
	pthread_mutex_lock(&server->lock);
	server->close = true;
	pthread_mutex_unlock(&server->lock);
}

void
wayland_server_kill(struct wayland_server *server)
{
	if (server->pid > 0) {
		kill(server->pid, SIGKILL);
		waitpid(server->pid, NULL, 0);
	}
	server->pid = 0;
}

void
wayland_server_stop(struct wayland_server *server)
{
	wayland_server_kill(server);
	pthread_mutex_destroy(&server->lock);
	munmap(server, sizeof(*server));
	shared = NULL;
}
