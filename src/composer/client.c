/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Client composition (H-04): layers that a device hands back are drawn by us into the client
 * target, premultiplied, transparent where none of them is. Three buffers take turns, because a
 * device may read one until a picture with another is shown.
 */
#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <string.h>

#include "composer/display.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

void
kr_target_client_init(struct kr_target_client *client)
{
	*client = (struct kr_target_client){0};
	for (unsigned i = 0; i < KR_TARGET_CLIENT_BUFFERS; i++)
		client->buffers[i].fence = -1;
	kr_render_plan_init(&client->plan);
}

void
kr_target_client_finish(struct kr_target_client *client)
{
	for (unsigned i = 0; i < KR_TARGET_CLIENT_BUFFERS; i++) {
		kr_buffer_unref(client->buffers[i].buffer);
		kr_fd_close(&client->buffers[i].fence);
	}
	kr_render_canvas_finish(&client->canvas);
	kr_render_plan_finish(&client->plan);
}

static bool
is_free(struct kr_target_buffer *buffer)
{
	if (buffer->fence >= 0 && kr_fence_status(buffer->fence) == KR_FENCE_ACTIVE)
		return false;
	kr_fd_close(&buffer->fence);
	return true;
}

/* With alpha of more than two bits. */
static uint32_t
format_of(const struct kr_target *target)
{
	return kr_render_wide_format(target->dataspace) ? AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT
							: AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
}

static int
allocate(const struct kr_target *target, struct kr_target_buffer *buffer)
{
	const struct kr_buffer_desc desc = {
		.width = target->width,
		.height = target->height,
		.layers = 1,
		.format = format_of(target),
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |
			AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY,
	};

	return buffer->buffer ? 0 : kr_buffer_allocate(&desc, &buffer->buffer);
}

/* One that nobody reads; not the one that is set. */
static int
find_free(struct kr_target *target, unsigned *found)
{
	struct kr_target_client *client = &target->client;

	for (unsigned i = 1; i <= KR_TARGET_CLIENT_BUFFERS; i++) {
		unsigned at = (client->last + i) % KR_TARGET_CLIENT_BUFFERS;

		if ((client->set && at == client->last) || !is_free(&client->buffers[at]))
			continue;
		*found = at;
		return allocate(target, &client->buffers[at]);
	}
	return -EBUSY;
}

static void
add_layer(struct kr_render_scene *scene, const struct kr_target_layer *layer, bool all)
{
	const struct kr_producer *producer = layer->producer;
	bool hole = layer->requests & KRAFLA_REQUEST_CLEAR_CLIENT_TARGET;

	if (!layer->handle || !layer->pushed || !(all || layer->by_client || hole))
		return;
	scene->layers[scene->count++] = (struct kr_render_layer){
		.owner = layer->producer,
		.buffer = producer ? producer->content.buffer : NULL,
		.no_content = producer && producer->content.no_pixels,
		.hole = !all && !layer->by_client,
		.crop = {layer->crop.left, layer->crop.top, layer->crop.right, layer->crop.bottom},
		.frame = layer->frame,
		.transform = layer->transform,
		.blend = producer ? (int32_t)layer->blend : KR_RENDER_BLEND_NONE,
		.alpha = producer ? layer->alpha : 1,
		.color = {.a = UINT8_MAX},
		.dataspace = producer ? producer->content.dataspace : HAL_DATASPACE_UNKNOWN,
	};
}

/* The layers from the top down: the client's, and holes where the device wants some; or all. */
static void
fill_scene(struct kr_target *target, struct kr_render_scene *scene, bool all)
{
	const struct kr_producer *producer;

	kr_list_for_each_back (producer, &target->display->stack, in_stack) {
		add_layer(scene, kr_target_layer_of(target, producer), all);
		add_layer(scene, kr_target_bare_of(target, producer), all);
	}
}

/* Layers were drawn for a device that handed them back. */
static void
count_drawn(struct kr_display *display, uint64_t bytes, unsigned layers)
{
	kr_mutex_lock(&display->lock);
	display->stats.client_layers += layers;
	display->stats.client_bytes += bytes;
	kr_mutex_unlock(&display->lock);
}

/* All of a buffer. What can't be read is left out. */
static int
draw(struct kr_target *target, struct kr_buffer *buffer, bool all)
{
	struct kr_target_client *client = &target->client;
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct kr_render_scene scene = {
		.width = target->width,
		.height = target->height,
		.fixed_order = true,
		.has_alpha = !all,
		.wanted = true,
		.must_draw = true,
		.dataspace = target->dataspace,
	};
	const struct kr_render_layer *failed;
	uint64_t written = 0;
	pixman_region32_t stale;
	void *data;
	int err = kr_buffer_map(buffer, &data);

	(void)kr_render_order_of(info->desc.format, &scene.order);
	if (!err)
		err = kr_render_canvas_wrap_colour(&client->canvas, data, target->width,
			target->height, info->row_bytes, info->desc.format, target->dataspace,
			!all);
	if (!err)
		err = kr_buffer_begin_cpu(info, KR_DMA_BUF_WRITE, 0);
	if (err)
		return err;
	fill_scene(target, &scene, all);
	scene.stale = &stale;
	do {
		uint64_t budget = UINT64_MAX;

		failed = NULL;
		pixman_region32_init_rect(&stale, 0, 0, target->width, target->height);
		kr_render_plan_make(&client->plan, &scene);
		err = kr_render_draw(&client->plan, &client->canvas, &budget, &written, &failed);
		pixman_region32_fini(&stale);
		for (unsigned i = 0; err < 0 && failed && i < scene.count; i++) {
			if (scene.layers[i].owner != failed->owner)
				continue;
			kr_producer_refuse(failed->owner, err);
			memmove(&scene.layers[i], &scene.layers[i + 1],
				(scene.count - i - 1) * sizeof(scene.layers[0]));
			scene.count--;
			break;
		}
	} while (err < 0 && failed);
	kr_buffer_end_cpu(info, KR_DMA_BUF_WRITE);
	count_drawn(target->display, written, scene.count);
	return err;
}

/* Whether the last one shows what the layers do. */
static bool
is_current(const struct kr_target *target)
{
	const struct kr_target_client *client = &target->client;

	if (!client->set || client->stale)
		return false;
	for (unsigned i = 0; i < target->used; i++) {
		const struct kr_target_layer *layer = &target->layers[i];

		if (layer->handle && layer->by_client && layer->drawn != layer->content)
			return false;
	}
	return true;
}

static void
mark_drawn(struct kr_target *target)
{
	for (unsigned i = 0; i < target->used; i++) {
		if (target->layers[i].handle)
			target->layers[i].drawn = target->layers[i].content;
	}
	target->client.stale = false;
}

int
kr_target_client_draw(struct kr_target *target, bool wanted)
{
	struct kr_target_client *client = &target->client;
	unsigned at;
	int err;

	if (is_current(target) || (client->set && !wanted))
		return 0;
	err = find_free(target, &at);
	if (!err && wanted)
		err = draw(target, client->buffers[at].buffer, false);
	if (err)
		return err;
	err = krafla_display_set_client_target(target->composer, target->handle,
		(AHardwareBuffer *)(void *)client->buffers[at].buffer, -1, target->dataspace, 0,
		NULL);
	if (err)
		return -EIO;
	client->last = at;
	client->set = true;
	if (wanted)
		mark_drawn(target);
	return 0;
}

void
kr_target_client_presented(struct kr_target *target, int present_fence)
{
	struct kr_target_client *client = &target->client;
	struct kr_target_buffer *before = &client->buffers[client->shown];

	/* A screen shows the one before until this picture takes its place. */
	if (client->set && client->was_shown && client->shown != client->last) {
		kr_fd_close(&before->fence);
		if (kr_fd_dup(present_fence, &before->fence)) {
			/* Nobody can say when: it isn't written again. */
			kr_buffer_unref(before->buffer);
			before->buffer = NULL;
		}
	}
	client->shown = client->last;
	client->was_shown = client->set;
}

int
kr_target_client_draw_into(struct kr_target *target, struct kr_buffer *buffer)
{
	return draw(target, buffer, true);
}
