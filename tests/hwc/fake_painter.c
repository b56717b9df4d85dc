/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_painter.h. */
#include "fake_painter.h"

#include "harness.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "painter/painter.h"
#include "util/fd.h"

#define MAX_BUFFERS 64

struct fake_painters fake_painters;
static atomic_int wake_fd = -1;

struct known {
	uint64_t id; /* 0: none */
	struct kr_buffer *buffer;
	enum kr_painter_verdict verdict;
	unsigned kind;
};

struct kr_painter {
	int fd;
	bool ready;
	bool dead;
	struct known known[MAX_BUFFERS];
	uint64_t suspects[MAX_BUFFERS];
	unsigned suspect_count;
	uint32_t width;
	uint32_t height;
	uint32_t *canvas;
	struct kr_buffer *ring[KR_PAINTER_RING];
	bool lent[KR_PAINTER_RING];
	struct kr_painter_result result;
	bool has_result;
};

static void
wake(int fd)
{
	if (fd >= 0)
		eventfd_write(fd, 1);
}

void
fake_painter_go_on(void)
{
	wake(wake_fd);
}

int
kr_painter_start(const struct kr_painter_config *config, struct kr_painter **painter)
{
	if (fake_painters.start_error)
		return fake_painters.start_error;
	*painter = calloc(1, sizeof(**painter));
	assert_non_null(*painter);
	(*painter)->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_true((*painter)->fd >= 0);
	fake_painters.started++;
	fake_painters.alive++;
	wake_fd = (*painter)->fd;
	wake((*painter)->fd);
	return 0;
}

static void
forget(struct known *known)
{
	if (known->id)
		fake_painters.known--;
	kr_buffer_unref(known->buffer);
	*known = (struct known){0};
}

void
kr_painter_stop(struct kr_painter *painter)
{
	if (!painter)
		return;
	for (unsigned i = 0; i < MAX_BUFFERS; i++)
		forget(&painter->known[i]);
	for (unsigned i = 0; i < KR_PAINTER_RING; i++) {
		kr_buffer_unref(painter->ring[i]);
		fake_painters.lent -= painter->lent[i];
	}
	wake_fd = -1;
	fake_painters.alive--;
	kr_fd_close(&painter->fd);
	free(painter->canvas);
	free(painter);
}

int
kr_painter_get_fd(const struct kr_painter *painter)
{
	return painter->fd;
}

static int
die(struct kr_painter *painter)
{
	painter->dead = true;
	wake(painter->fd);
	return -EPIPE;
}

/* It has the buffer in its hands alone. */
static int
look(struct kr_painter *painter, struct known *known)
{
	if (known->kind == FAKE_DEADLY_TO_LOOK_AT) {
		painter->suspects[0] = known->id;
		painter->suspect_count = 1;
		return die(painter);
	}
	known->verdict = known->kind == FAKE_REFUSED ? KR_PAINTER_REFUSED : KR_PAINTER_GOOD;
	return 0;
}

int
kr_painter_dispatch(struct kr_painter *painter, const char **why)
{
	eventfd_t value;

	eventfd_read(painter->fd, &value);
	if (fake_painters.slow)
		return 0;
	painter->ready = true;
	for (unsigned i = 0; i < MAX_BUFFERS && !painter->dead; i++) {
		if (painter->known[i].id && painter->known[i].verdict == KR_PAINTER_LOOKING)
			look(painter, &painter->known[i]);
	}
	if (atomic_exchange(&fake_painters.die, false))
		painter->dead = true;
	*why = "it was told to";
	return painter->dead ? -EPIPE : 0;
}

bool
kr_painter_ready(const struct kr_painter *painter, struct kr_painter_report *report)
{
	*report = (struct kr_painter_report){
		.device = "a fake", .cpu = fake_painters.is_processor, .max_size = 16384};
	return painter->ready;
}

static struct known *
find(const struct kr_painter *painter, uint64_t id)
{
	for (unsigned i = 0; i < MAX_BUFFERS; i++) {
		if (painter->known[i].id == id)
			return (struct known *)&painter->known[i];
	}
	return NULL;
}

int
kr_painter_add_buffer(struct kr_painter *painter, uint64_t id, struct kr_buffer *buffer)
{
	const struct kr_gpu_memory *memory = kr_buffer_get_info(buffer)->gpu;
	struct known *known = find(painter, 0);

	assert_non_null(known);
	assert_null(find(painter, id));
	*known = (struct known){.id = id, .kind = memory ? memory->memory_type : FAKE_GOOD};
	assert_int_equal(kr_buffer_import(kr_buffer_handle(buffer), &known->buffer), 0);
	fake_painters.looked++;
	fake_painters.known++;
	wake(painter->fd);
	return 0;
}

enum kr_painter_verdict
kr_painter_buffer(const struct kr_painter *painter, uint64_t id, const char **reason)
{
	const struct known *known = find(painter, id);

	assert_non_null(known);
	*reason = "it is of the kind that is refused";
	return known->verdict;
}

void
kr_painter_remove_buffer(struct kr_painter *painter, uint64_t id)
{
	struct known *known = find(painter, id);

	assert_non_null(known);
	forget(known);
}

bool
kr_painter_was_killed(const struct kr_painter *painter)
{
	return fake_painters.killed;
}

unsigned
kr_painter_suspects(const struct kr_painter *painter, uint64_t *ids, unsigned room)
{
	for (unsigned i = 0; i < painter->suspect_count && i < room; i++)
		ids[i] = painter->suspects[i];
	return painter->suspect_count;
}

/* What the memory of a GPU has, as a buffer of CPUs. */
static struct kr_buffer *
read_gpu(const struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct kr_buffer_desc desc = info->desc;
	struct kr_buffer *copy;
	void *data;

	desc.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
	assert_int_equal(kr_buffer_allocate(&desc, &copy), 0);
	assert_int_equal(kr_buffer_map(copy, &data), 0);
	for (uint32_t y = 0; y < desc.height; y++) {
		ssize_t row = (ssize_t)desc.width * 4;

		assert_int_equal(
			pread(info->gpu_fd,
				(uint8_t *)data + (size_t)y * kr_buffer_get_info(copy)->row_bytes,
				(size_t)row, (off_t)y * row),
			row);
	}
	return copy;
}

static void
paint(struct kr_painter *painter, const struct kr_painter_request *request)
{
	struct kr_render_scene *scene = calloc(1, sizeof(*scene));
	struct kr_render_canvas canvas = {0};
	struct kr_buffer *copies[KR_RENDER_MAX_LAYERS] = {NULL};
	const struct kr_render_layer *failed;
	uint64_t budget = UINT64_MAX, written = 0;
	struct kr_render_plan plan;
	pixman_region32_t stale;

	assert_non_null(scene);
	assert_int_equal(
		kr_render_canvas_wrap(&canvas, painter->canvas, request->width, request->height,
			request->width * 4, request->order, request->has_alpha),
		0);
	pixman_region32_init_rect(&stale, 0, 0, request->width, request->height);
	if (request->stale)
		pixman_region32_intersect(&stale, &stale, request->stale);
	*scene = (struct kr_render_scene){
		.width = request->width,
		.height = request->height,
		.order = request->order,
		.fixed_order = true,
		.has_alpha = request->has_alpha,
		.wanted = true,
		.must_draw = true,
		.stale = &stale,
		.count = request->count,
	};
	for (unsigned i = 0; i < request->count; i++) {
		struct kr_render_layer *layer = &scene->layers[i];

		*layer = request->layers[i];
		if (!request->ids[i] || layer->no_content)
			continue;
		layer->buffer = find(painter, request->ids[i])->buffer;
		if (kr_buffer_get_info(layer->buffer)->gpu)
			layer->buffer = copies[i] = read_gpu(layer->buffer);
	}
	kr_render_plan_init(&plan);
	kr_render_plan_make(&plan, scene);
	assert_int_equal(kr_render_draw(&plan, &canvas, &budget, &written, &failed), 0);
	kr_render_plan_finish(&plan);
	kr_render_canvas_finish(&canvas);
	pixman_region32_fini(&stale);
	for (unsigned i = 0; i < request->count; i++)
		kr_buffer_unref(copies[i]);
	free(scene);
}

static void
begin_canvas(struct kr_painter *painter, const struct kr_painter_request *request)
{
	const struct kr_buffer_desc desc = {
		.width = request->width,
		.height = request->height,
		.layers = 1,
		.format = request->order == KR_PIXELS_XRGB ? AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
							   : AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
	};

	if (painter->width == request->width && painter->height == request->height)
		return;
	painter->width = request->width;
	painter->height = request->height;
	free(painter->canvas);
	painter->canvas = calloc(request->width, (size_t)request->height * 4);
	assert_non_null(painter->canvas);
	for (unsigned i = 0; i < KR_PAINTER_RING; i++) {
		kr_buffer_unref(painter->ring[i]);
		assert_int_equal(kr_buffer_allocate(&desc, &painter->ring[i]), 0);
	}
}

static int
read_back(struct kr_painter *painter, unsigned ring)
{
	uint32_t row_bytes = kr_buffer_get_info(painter->ring[ring])->row_bytes;
	void *data;

	assert_int_equal(kr_buffer_map(painter->ring[ring], &data), 0);
	for (uint32_t y = 0; y < painter->height; y++)
		memcpy((uint8_t *)data + (size_t)y * row_bytes,
			painter->canvas + (size_t)y * painter->width, (size_t)painter->width * 4);
	painter->lent[ring] = true;
	fake_painters.lent++;
	painter->result.buffer = painter->ring[ring];
	painter->result.pixels = data;
	painter->result.row_bytes = row_bytes;
	painter->result.ring = ring;
	return 0;
}

/* It has all of the picture's in its hands. */
static bool
is_deadly(struct kr_painter *painter, const struct kr_painter_request *request)
{
	bool deadly = false;

	painter->suspect_count = 0;
	for (unsigned i = 0; i < request->count; i++) {
		if (!request->ids[i])
			continue;
		painter->suspects[painter->suspect_count++] = request->ids[i];
		deadly |= find(painter, request->ids[i])->kind == FAKE_DEADLY_TO_DRAW;
	}
	return deadly;
}

int
kr_painter_draw(struct kr_painter *painter, const struct kr_painter_request *request)
{
	unsigned ring = 0;

	assert_false(painter->has_result);
	for (unsigned i = 0; i < request->count; i++) {
		if (request->ids[i])
			assert_int_equal(find(painter, request->ids[i])->verdict, KR_PAINTER_GOOD);
	}
	while (ring < KR_PAINTER_RING && painter->lent[ring])
		ring++;
	if (ring == KR_PAINTER_RING)
		return -EAGAIN;
	if (is_deadly(painter, request)) {
		die(painter);
		return 0;
	}
	begin_canvas(painter, request);
	paint(painter, request);
	painter->result = (struct kr_painter_result){.number = request->number};
	painter->has_result = true;
	fake_painters.drawn++;
	wake(painter->fd);
	return read_back(painter, ring);
}

bool
kr_painter_take(struct kr_painter *painter, struct kr_painter_result *result)
{
	bool has_result = painter->has_result && !fake_painters.slow;

	if (has_result)
		*result = painter->result;
	painter->has_result &= !has_result;
	return has_result;
}

void
kr_painter_give_back(struct kr_painter *painter, unsigned ring)
{
	assert_true(ring < KR_PAINTER_RING && painter->lent[ring]);
	painter->lent[ring] = false;
	fake_painters.lent--;
}

/* --- buffers --- */

static uint32_t
swapped(uint32_t argb)
{
	return (argb & 0xff00ff00) | (argb >> 16 & 0xff) | (argb & 0xff) << 16;
}

AHardwareBuffer *
fake_gpu_buffer(uint32_t width, uint32_t height, uint32_t argb, unsigned kind, bool with_cpu,
	uint32_t cpu_argb)
{
	const struct kr_gpu_memory memory = {
		.kind = KR_GPU_OPAQUE_FD,
		.device_uuid = {1},
		.driver_uuid = {2},
		.allocation_size = (uint64_t)width * height * 4,
		.memory_type = kind,
		.format = 37, /* R8G8B8A8_UNORM */
		.width = width,
		.height = height,
		.usage = 7,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
		.layout = 1,
	};
	struct kr_buffer_desc desc = {
		.width = width,
		.height = height,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,
	};
	int fd = memfd_create("gpu", MFD_CLOEXEC);
	uint32_t pixel = swapped(argb);
	struct kr_buffer *buffer;
	uint32_t *data;

	assert_true(fd >= 0);
	for (uint32_t i = 0; i < width * height; i++)
		assert_int_equal(write(fd, &pixel, sizeof(pixel)), sizeof(pixel));
	if (!with_cpu) {
		assert_int_equal(kr_buffer_from_gpu(&desc, &memory, fd, &buffer), 0);
		return (AHardwareBuffer *)(void *)buffer;
	}
	desc.usage |= AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	assert_int_equal(kr_buffer_map(buffer, (void **)&data), 0);
	for (uint32_t i = 0; i < kr_buffer_get_info(buffer)->stride * height; i++)
		data[i] = swapped(cpu_argb);
	assert_int_equal(kr_buffer_attach_gpu(buffer, &memory, fd), 0);
	return (AHardwareBuffer *)(void *)buffer;
}
