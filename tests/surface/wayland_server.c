/* SPDX-License-Identifier: Apache-2.0 */
/* See wayland_server.h. It trusts its client: that is ours. */
#include "wayland_server.h"

#include "harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wayland-server.h>

#include "explicit-sync-server.h"
#include "linux-dmabuf-server.h"
#include "presentation-time-server.h"
#include "tearing-control-server.h"

#define PERIOD_MS   16
#define FOURCC_XRGB UINT32_C(0x34325258)
#define FOURCC_ARGB UINT32_C(0x34325241)
#define MANY        64

static struct wayland_server *shared;
static struct wl_event_source *timer;

struct lent_buffer {
	void *map;
	size_t size;
	uint32_t format;
};

/* What belongs to a commit. */
struct content {
	struct wl_resource *buffer, *feedback, *release;
	int fence;
};

static struct {
	struct content pending, current;
	bool attached;
	struct wl_resource *next[MANY], *frames[MANY];
	unsigned next_count, frame_count;
} window;

static void
count_request(struct wl_resource *resource)
{
	bool now;

	pthread_mutex_lock(&shared->lock);
	now = ++shared->requests == shared->setup.dies_at;
	pthread_mutex_unlock(&shared->lock);
	if (!now)
		return;
	if (!shared->setup.breaks)
		_exit(0);
	wl_resource_post_error(resource, 7, "the test wants it");
}

static void
destroy_resource(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

/* --- surfaces --- */

static void
handle_buffer_gone(struct wl_listener *listener, void *data)
{
	if (window.pending.buffer == data)
		window.pending.buffer = NULL;
	if (window.current.buffer == data)
		window.current.buffer = NULL;
	free(listener);
}

static void
attach(struct wl_client *client, struct wl_resource *surface, struct wl_resource *buffer, int32_t x,
	int32_t y)
{
	count_request(surface);
	if (buffer && !wl_resource_get_destroy_listener(buffer, handle_buffer_gone)) {
		struct wl_listener *listener = calloc(1, sizeof(*listener));

		listener->notify = handle_buffer_gone;
		wl_resource_add_destroy_listener(buffer, listener);
	}
	window.pending.buffer = buffer;
	window.attached = true;
}

static void
note_damage(bool in_buffer, int32_t x, int32_t y, int32_t width, int32_t height)
{
	pthread_mutex_lock(&shared->lock);
	shared->damages++;
	shared->buffer_damage = in_buffer;
	memcpy(shared->damage, (int32_t[]){x, y, width, height}, sizeof(shared->damage));
	pthread_mutex_unlock(&shared->lock);
}

static void
damage(struct wl_client *client, struct wl_resource *surface, int32_t x, int32_t y, int32_t width,
	int32_t height)
{
	count_request(surface);
	note_damage(false, x, y, width, height);
}

static void
damage_buffer(struct wl_client *client, struct wl_resource *surface, int32_t x, int32_t y,
	int32_t width, int32_t height)
{
	count_request(surface);
	note_damage(true, x, y, width, height);
}

static void
ask_frame(struct wl_client *client, struct wl_resource *surface, uint32_t id)
{
	count_request(surface);
	if (window.next_count < MANY)
		window.next[window.next_count++] =
			wl_resource_create(client, &wl_callback_interface, 1, id);
}

static void
ignore_region(struct wl_client *client, struct wl_resource *surface, struct wl_resource *region)
{
}

static void
ignore_int(struct wl_client *client, struct wl_resource *surface, int32_t value)
{
}

static void
set_transform(struct wl_client *client, struct wl_resource *surface, int32_t transform)
{
	count_request(surface);
	shared->transform = transform;
}

/* What became of a commit that is over. */
static void
end_content(struct content *content)
{
	if (content->release) {
		if (content->fence >= 0)
			zwp_linux_buffer_release_v1_send_fenced_release(
				content->release, content->fence);
		else
			zwp_linux_buffer_release_v1_send_immediate_release(content->release);
		wl_resource_destroy(content->release);
	}
	if (content->buffer)
		wl_buffer_send_release(content->buffer);
	if (content->feedback) {
		wp_presentation_feedback_send_discarded(content->feedback);
		wl_resource_destroy(content->feedback);
	}
	if (content->fence >= 0)
		close(content->fence);
	*content = (struct content){.fence = -1};
}

static void
look_at(struct wl_resource *buffer)
{
	struct wl_shm_buffer *memory = wl_shm_buffer_get(buffer);

	pthread_mutex_lock(&shared->lock);
	shared->commits++;
	if (memory) {
		wl_shm_buffer_begin_access(memory);
		memcpy(&shared->first_pixel, wl_shm_buffer_get_data(memory), 4);
		wl_shm_buffer_end_access(memory);
		shared->format = wl_shm_buffer_get_format(memory);
	} else {
		struct lent_buffer *lent = wl_resource_get_user_data(buffer);

		memcpy(&shared->first_pixel, lent->map, 4);
		shared->format = lent->format;
		shared->lent++;
	}
	pthread_mutex_unlock(&shared->lock);
}

static void
commit(struct wl_client *client, struct wl_resource *surface)
{
	bool keeps;

	count_request(surface);
	for (unsigned i = 0; i < window.next_count && window.frame_count < MANY; i++)
		window.frames[window.frame_count++] = window.next[i];
	window.next_count = 0;
	if (!window.attached)
		return;
	pthread_mutex_lock(&shared->lock);
	keeps = shared->keeps;
	pthread_mutex_unlock(&shared->lock);
	if (keeps)
		window.current = (struct content){.fence = -1};
	else if (window.current.buffer != window.pending.buffer || window.current.release)
		end_content(&window.current);
	window.current = window.pending;
	window.pending = (struct content){.fence = -1};
	window.attached = false;
	if (window.current.buffer)
		look_at(window.current.buffer);
}

static const struct wl_surface_interface surface_impl = {
	.destroy = destroy_resource,
	.attach = attach,
	.damage = damage,
	.frame = ask_frame,
	.set_opaque_region = ignore_region,
	.set_input_region = ignore_region,
	.commit = commit,
	.set_buffer_transform = set_transform,
	.set_buffer_scale = ignore_int,
	.damage_buffer = damage_buffer,
};

static void
create_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *surface = wl_resource_create(
		client, &wl_surface_interface, wl_resource_get_version(resource), id);

	wl_resource_set_implementation(surface, &surface_impl, NULL, NULL);
}

static const struct wl_compositor_interface compositor_impl = {.create_surface = create_surface};

/* --- times --- */

static void
ask_feedback(struct wl_client *client, struct wl_resource *resource, struct wl_resource *surface,
	uint32_t id)
{
	count_request(resource);
	window.pending.feedback =
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
	count_request(resource);
	wl_resource_set_user_data(resource, (void *)(intptr_t)fd);
}

static void
create_buffer(struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height,
	uint32_t format, uint32_t flags)
{
	int fd = (int)(intptr_t)wl_resource_get_user_data(resource);
	struct lent_buffer *made = calloc(1, sizeof(*made));
	struct wl_resource *buffer;

	count_request(resource);
	made->size = 4096;
	made->format = format;
	made->map = mmap(NULL, made->size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (shared->setup.refuses || made->map == MAP_FAILED) {
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
create_params(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	count_request(resource);
	wl_resource_set_implementation(
		wl_resource_create(client, &zwp_linux_buffer_params_v1_interface, 3, id),
		&params_impl, NULL, NULL);
}

static const struct zwp_linux_dmabuf_v1_interface dmabuf_impl = {
	.destroy = destroy_resource,
	.create_params = create_params,
};

/* --- fences --- */

static void
set_acquire_fence(struct wl_client *client, struct wl_resource *resource, int32_t fd)
{
	count_request(resource);
	window.pending.fence = fd;
	pthread_mutex_lock(&shared->lock);
	shared->fences++;
	pthread_mutex_unlock(&shared->lock);
}

static void
get_release(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	count_request(resource);
	window.pending.release =
		wl_resource_create(client, &zwp_linux_buffer_release_v1_interface, 1, id);
}

static const struct zwp_linux_surface_synchronization_v1_interface fences_impl = {
	.destroy = destroy_resource,
	.set_acquire_fence = set_acquire_fence,
	.get_release = get_release,
};

static void
get_synchronization(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface)
{
	count_request(resource);
	wl_resource_set_implementation(
		wl_resource_create(client, &zwp_linux_surface_synchronization_v1_interface, 1, id),
		&fences_impl, NULL, NULL);
}

static const struct zwp_linux_explicit_synchronization_v1_interface explicit_impl = {
	.destroy = destroy_resource,
	.get_synchronization = get_synchronization,
};

/* --- tearing --- */

static void
set_hint(struct wl_client *client, struct wl_resource *resource, uint32_t hint)
{
	count_request(resource);
	shared->hint = hint;
}

static const struct wp_tearing_control_v1_interface tears_impl = {
	.set_presentation_hint = set_hint,
	.destroy = destroy_resource,
};

static void
get_tearing_control(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface)
{
	count_request(resource);
	wl_resource_set_implementation(
		wl_resource_create(client, &wp_tearing_control_v1_interface, 1, id), &tears_impl,
		NULL, NULL);
}

static const struct wp_tearing_control_manager_v1_interface tearing_impl = {
	.destroy = destroy_resource,
	.get_tearing_control = get_tearing_control,
};

/* --- what is there --- */

struct global {
	uint32_t bit;
	const struct wl_interface *interface;
	const void *impl;
	int version;
};

static void
bind_global(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	const struct global *global = data;
	struct wl_resource *resource =
		wl_resource_create(client, global->interface, (int)version, id);

	count_request(resource);
	wl_resource_set_implementation(resource, global->impl, NULL, NULL);
	if (global->bit == SERVER_PRESENTATION)
		wp_presentation_send_clock_id(resource, CLOCK_MONOTONIC);
	if (global->bit == SERVER_DMABUF) {
		zwp_linux_dmabuf_v1_send_modifier(resource, FOURCC_XRGB, 0, 0);
		zwp_linux_dmabuf_v1_send_modifier(resource, FOURCC_ARGB, 0, 0);
	}
}

static void
make_globals(struct wl_display *display)
{
	static const struct global globals[] = {
		{SERVER_DMABUF, &zwp_linux_dmabuf_v1_interface, &dmabuf_impl, 3},
		{SERVER_PRESENTATION, &wp_presentation_interface, &presentation_impl, 1},
		{SERVER_FENCES, &zwp_linux_explicit_synchronization_v1_interface, &explicit_impl,
			2},
		{SERVER_TEARING, &wp_tearing_control_manager_v1_interface, &tearing_impl, 1},
	};
	static struct global compositor = {0, &wl_compositor_interface, &compositor_impl, 4};

	if (shared->setup.compositor)
		compositor.version = (int)shared->setup.compositor;
	wl_global_create(
		display, compositor.interface, compositor.version, &compositor, bind_global);
	if (shared->setup.has & SERVER_SHM)
		wl_display_init_shm(display);
	for (size_t i = 0; i < sizeof(globals) / sizeof(globals[0]); i++) {
		if (shared->setup.has & globals[i].bit)
			wl_global_create(display, globals[i].interface, globals[i].version,
				(void *)(uintptr_t)&globals[i], bind_global);
	}
}

static void
answer(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (unsigned i = 0; i < window.frame_count; i++) {
		wl_callback_send_done(window.frames[i], 0);
		wl_resource_destroy(window.frames[i]);
	}
	window.frame_count = 0;
	if (!window.current.feedback)
		return;
	wp_presentation_feedback_send_presented(window.current.feedback, 0, (uint32_t)now.tv_sec,
		(uint32_t)now.tv_nsec, PERIOD_MS * 1000000, 0, 0, 0);
	wl_resource_destroy(window.current.feedback);
	window.current.feedback = NULL;
}

static int
tick(void *data)
{
	bool hides;

	pthread_mutex_lock(&shared->lock);
	hides = shared->hides;
	pthread_mutex_unlock(&shared->lock);
	if (!hides)
		answer();
	return wl_event_source_timer_update(timer, PERIOD_MS);
}

/* What the client has given up must not be named any more. */
static void
handle_client_gone(struct wl_listener *listener, void *data)
{
	memset(&window, 0, sizeof(window));
	window.pending.fence = window.current.fence = -1;
}

static struct wl_listener client_gone = {.notify = handle_client_gone};

static void
handle_client(struct wl_listener *listener, void *data)
{
	wl_client_add_destroy_listener(data, &client_gone);
}

static struct wl_listener client_came = {.notify = handle_client};

static void
say_nothing(const char *format, va_list arguments)
{
}

static void
serve(int ready)
{
	struct wl_display *display = wl_display_create();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("XDG_RUNTIME_DIR", kr_test_dir(), 1);
	wl_log_set_handler_server(say_nothing);
	window.pending.fence = window.current.fence = -1;
	if (!display || wl_display_add_socket(display, "server"))
		_exit(1);
	make_globals(display);
	wl_display_add_client_created_listener(display, &client_came);
	timer = wl_event_loop_add_timer(wl_display_get_event_loop(display), tick, NULL);
	wl_event_source_timer_update(timer, PERIOD_MS);
	if (write(ready, "", 1) != 1)
		_exit(1);
	wl_display_run(display);
	_exit(0);
}

struct wayland_server *
server_start(const struct server_setup *setup)
{
	struct wayland_server *server = mmap(
		NULL, sizeof(*server), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attributes;
	int ready[2];
	char byte;
	pid_t pid;

	assert_true(server != MAP_FAILED);
	server->setup = *setup;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
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

void
server_expect_commits(struct wayland_server *server, unsigned commits)
{
	unsigned seen = 0;

	for (int i = 0; i < 2000 && seen < commits; i++) {
		usleep(5000);
		pthread_mutex_lock(&server->lock);
		seen = server->commits;
		pthread_mutex_unlock(&server->lock);
	}
	assert_true(seen >= commits);
}

void
server_set(struct wayland_server *server, bool hides, bool keeps)
{
	pthread_mutex_lock(&server->lock);
	server->hides = hides;
	server->keeps = keeps;
	pthread_mutex_unlock(&server->lock);
}

void
server_kill(struct wayland_server *server)
{
	if (server->pid > 0) {
		kill(server->pid, SIGKILL);
		waitpid(server->pid, NULL, 0);
	}
	server->pid = 0;
}

void
server_stop(struct wayland_server *server)
{
	server_kill(server);
	munmap(server, sizeof(*server));
	shared = NULL;
}
