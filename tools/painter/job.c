/* SPDX-License-Identifier: Apache-2.0 */
/* See job.h. */
#include "tools/painter/job.h"

#include <errno.h>
#include <string.h>

#include "util/clock.h"

/* Of a picture; then the device hangs. A processor does what it can. */
#define LIMIT_NS     (UINT64_C(2) * KR_NSEC_PER_SEC)
#define CPU_LIMIT_NS (UINT64_C(20) * KR_NSEC_PER_SEC)
#define MOST_TILES   32768 /* of a dispatch */
#define COMPUTE      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
#define TRANSFER     VK_PIPELINE_STAGE_TRANSFER_BIT
#define TIMES        2
#define STORAGE      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
#define ALL_ACCESS                                                                                 \
	(VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |    \
		VK_ACCESS_TRANSFER_WRITE_BIT)

int
kr_paint_canvas_fit(const struct kr_paint_device *device, struct kr_paint_canvas *canvas,
	uint32_t width, uint32_t height)
{
	uint32_t row_bytes;
	uint64_t size;
	int err;

	if (canvas->width == width && canvas->height == height)
		return 0;
	err = kr_format_layout(
		AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, width, height, &row_bytes, &size);
	if (err || size > device->properties.limits.maxStorageBufferRange)
		return -EOPNOTSUPP;
	kr_paint_memory_finish(device, &canvas->memory);
	canvas->width = canvas->height = 0;
	err = kr_paint_memory_init(device, KR_PAINT_OF_DEVICE, size,
		STORAGE | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
		&canvas->memory);
	if (err)
		return err;
	canvas->width = width;
	canvas->height = height;
	canvas->row_bytes = row_bytes;
	canvas->fresh = true;
	return 0;
}

/* --- init --- */

static VkResult
create_commands(const struct kr_paint_device *device, struct kr_paint_job *job)
{
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = device->family,
	};
	VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkQueryPoolCreateInfo queries = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_TIMESTAMP,
		.queryCount = TIMES,
	};
	VkResult result = device->d.CreateCommandPool(device->device, &pool, NULL, &job->pool);

	commands.commandPool = job->pool;
	if (!result)
		result =
			device->d.AllocateCommandBuffers(device->device, &commands, &job->commands);
	if (!result)
		result = device->d.CreateFence(device->device, &fence, NULL, &job->fence);
	if (!result && device->timestamps)
		result = device->d.CreateQueryPool(device->device, &queries, NULL, &job->queries);
	return result;
}

int
kr_paint_job_init(const struct kr_paint_device *device, const struct kr_paint_pipeline *pipeline,
	struct kr_paint_job *job)
{
	int err = create_commands(device, job) ? -EIO : 0;

	if (!err)
		err = kr_paint_memory_init(device, KR_PAINT_TO_SHADER,
			KR_RENDER_MAX_LAYERS * sizeof(struct kr_paint_layer), STORAGE,
			&job->layers);
	if (!err)
		err = kr_paint_pipeline_sets(device, pipeline, job->sets, KR_PAINT_MAX_PASSES);
	return err;
}

void
kr_paint_job_forget(struct kr_paint_job *job)
{
	memset(job->bound, 0, sizeof(job->bound));
}

/* --- what a submit does --- */

struct record {
	const struct kr_paint_device *device;
	const struct kr_paint_pipeline *pipeline;
	struct kr_paint_job *job;
	struct kr_paint_picture *picture;
	struct kr_paint_canvas *canvas;
	uint32_t turn_tiles; /* behind the picture's */
};

static void
barrier(const struct record *r, VkPipelineStageFlags from, VkPipelineStageFlags to,
	VkAccessFlags before, VkAccessFlags after)
{
	const VkMemoryBarrier memory = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = before,
		.dstAccessMask = after,
	};

	r->device->d.CmdPipelineBarrier(
		r->job->commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

/* Images come from their owners, or go back to them. */
static void
hand_images(const struct record *r, bool back)
{
	VkImageMemoryBarrier barriers[KR_RENDER_MAX_LAYERS];
	const struct kr_paint_device *device = r->device;
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->picture->count; i++) {
		const struct kr_paint_source *source = r->picture->sources[i];
		bool again = false;

		if (!source || !source->is_image)
			continue;
		for (uint32_t j = 0; j < i; j++)
			again |= r->picture->sources[j] == source;
		if (again)
			continue;
		if (back)
			kr_gpu_release_barrier(&device->gpu, &source->image,
				VK_IMAGE_LAYOUT_GENERAL, 0, &barriers[count++]);
		else
			kr_gpu_acquire_barrier(&device->gpu, &source->image,
				VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_SHADER_READ_BIT,
				&barriers[count++]);
	}
	if (count)
		device->d.CmdPipelineBarrier(r->job->commands, COMPUTE,
			back ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT : COMPUTE, 0, 0, NULL, 0, NULL,
			count, barriers);
}

static void
bind_pass(const struct record *r, uint32_t number)
{
	const struct kr_paint_pass *pass = &r->picture->passes[number];
	struct kr_paint_bindings bindings = {
		.storage = {r->job->layers.buffer, r->job->tiles.buffer, r->canvas->memory.buffer,
			r->job->sums.buffer},
	};

	for (uint32_t i = 0; i < KR_PAINT_SLOTS; i++) {
		if (pass->words[i])
			bindings.storage[KR_PAINT_STORAGE - KR_PAINT_SLOTS + i] =
				kr_paint_source_words(pass->words[i]);
		if (pass->images[i])
			bindings.images[i] = pass->images[i]->view;
	}
	kr_paint_pipeline_bind(
		r->device, r->pipeline, r->job->sets[number], &bindings, &r->job->bound[number]);
}

static void
dispatch(const struct record *r, uint32_t pass, uint32_t first, uint32_t count, uint32_t flags)
{
	const struct kr_paint_push push = {
		.first_tile = first,
		.first_sum = first,
		.stride = r->canvas->row_bytes / 4,
		.flags = flags |
			(r->picture->scene.order == KR_PIXELS_XRGB ? KR_PAINT_PASS_BGR : 0) |
			(r->picture->scene.has_alpha ? KR_PAINT_PASS_ALPHA : 0),
		.low = r->picture->passes[pass].low,
		.high = r->picture->passes[pass].high,
		.count = r->picture->count,
	};

	r->device->d.CmdBindPipeline(
		r->job->commands, VK_PIPELINE_BIND_POINT_COMPUTE, r->job->code[pass]);
	r->device->d.CmdBindDescriptorSets(r->job->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
		r->pipeline->layout, 0, 1, &r->job->sets[pass], 0, NULL);
	r->device->d.CmdPushConstants(r->job->commands, r->pipeline->layout,
		VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
	r->device->d.CmdDispatch(r->job->commands, count, KR_PAINT_TILE_GROUPS, 1);
}

/* All of the canvas, which has the other order. */
static void
turn(const struct record *r)
{
	dispatch(r, 0, r->picture->tile_count, r->turn_tiles, KR_PAINT_PASS_TURN);
	barrier(r, COMPUTE, COMPUTE, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_WRITE_BIT);
}

static void
clear(const struct record *r)
{
	r->device->d.CmdFillBuffer(r->job->commands, r->canvas->memory.buffer, 0, VK_WHOLE_SIZE, 0);
	barrier(r, TRANSFER, COMPUTE, VK_ACCESS_TRANSFER_WRITE_BIT,
		VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

/* In one go; or as many tiles at a time as sums are kept of. */
static void
draw(const struct record *r)
{
	const uint32_t passes = r->picture->pass_count, tiles = r->picture->tile_count;
	const uint32_t most = passes > 1 ? KR_PAINT_SUM_TILES : MOST_TILES;

	for (uint32_t first = 0; first < tiles; first += most) {
		for (uint32_t pass = 0; pass < passes; pass++) {
			if (passes > 1)
				barrier(r, COMPUTE, COMPUTE, VK_ACCESS_SHADER_WRITE_BIT,
					VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
			dispatch(r, pass, first, KR_MIN(most, tiles - first),
				(pass == 0 ? KR_PAINT_PASS_FIRST : 0) |
					(pass + 1 == passes ? KR_PAINT_PASS_LAST : 0));
		}
	}
}

static void
read_back(const struct record *r)
{
	VkBufferCopy regions[KR_PAINT_MAX_BANDS];
	const VkDeviceSize pitch = r->canvas->row_bytes;

	for (unsigned i = 0; i < r->job->band_count; i++) {
		const struct kr_paint_band *band = &r->job->bands[i];

		regions[i] = (VkBufferCopy){band->first * pitch, band->first * pitch,
			(band->end - band->first) * pitch};
	}
	if (!r->job->band_count)
		return;
	barrier(r, COMPUTE, TRANSFER, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT);
	r->device->d.CmdCopyBuffer(r->job->commands, r->canvas->memory.buffer,
		r->job->slot->memory.buffer, r->job->band_count, regions);
	barrier(r, TRANSFER, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
		VK_ACCESS_HOST_READ_BIT);
}

static void
record_time(const struct record *r, VkPipelineStageFlagBits stage, uint32_t number)
{
	if (r->job->queries)
		r->device->d.CmdWriteTimestamp(r->job->commands, stage, r->job->queries, number);
}

static VkResult
record(const struct record *r)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	const struct kr_device_table *d = &r->device->d;
	VkCommandBuffer commands = r->job->commands;
	VkResult result = d->ResetCommandPool(r->device->device, r->job->pool, 0);

	if (!result)
		result = d->BeginCommandBuffer(commands, &begin);
	if (result)
		return result;
	if (r->job->queries)
		d->CmdResetQueryPool(commands, r->job->queries, 0, TIMES);
	record_time(r, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0);
	/* Behind the picture before, which reads and writes the same. */
	barrier(r, COMPUTE | TRANSFER, COMPUTE | TRANSFER, ALL_ACCESS, ALL_ACCESS);
	kr_paint_uploads_record(r->device, &r->job->uploads, commands);
	if (r->job->uploads.count)
		barrier(r, TRANSFER, COMPUTE, VK_ACCESS_TRANSFER_WRITE_BIT,
			VK_ACCESS_SHADER_READ_BIT);
	hand_images(r, false);
	if (r->canvas->fresh)
		clear(r);
	if (r->job->turn)
		turn(r);
	draw(r);
	hand_images(r, true);
	if (r->job->slot)
		read_back(r);
	record_time(r, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 1);
	return d->EndCommandBuffer(commands);
}

/* --- start and end --- */

static uint32_t
count_turn_tiles(const struct kr_paint_job *job, const struct kr_paint_canvas *canvas)
{
	return job->turn ? (canvas->width + KR_PAINT_TILE_WIDTH - 1) / KR_PAINT_TILE_WIDTH *
			((canvas->height + KR_PAINT_TILE_HEIGHT - 1) / KR_PAINT_TILE_HEIGHT)
			 : 0;
}

static void
fill_turn_tiles(const struct record *r, struct kr_paint_tile *tile)
{
	for (uint32_t y = 0; r->job->turn && y < r->canvas->height; y += KR_PAINT_TILE_HEIGHT) {
		for (uint32_t x = 0; x < r->canvas->width; x += KR_PAINT_TILE_WIDTH)
			*tile++ = (struct kr_paint_tile){x, y,
				KR_MIN((uint32_t)KR_PAINT_TILE_WIDTH, r->canvas->width - x),
				KR_MIN((uint32_t)KR_PAINT_TILE_HEIGHT, r->canvas->height - y), {0}};
	}
}

/* What lives in memory that the CPU writes. */
static int
fill(const struct record *r)
{
	struct kr_paint_job *job = r->job;
	const VkDeviceSize sums = KR_PAINT_SUM_SIZE * KR_PAINT_SUM_TILES;
	const VkDeviceSize tiles =
		sizeof(struct kr_paint_tile) * KR_MAX(r->picture->tile_count + r->turn_tiles, 1u);
	bool several = r->picture->pass_count > 1;
	int err;

	if (job->tiles.size < tiles || (several && job->sums.size < sums))
		kr_paint_job_forget(job);
	err = kr_paint_memory_grow(r->device, KR_PAINT_TO_SHADER, tiles, STORAGE, &job->tiles);
	if (!err && several)
		err = kr_paint_memory_grow(
			r->device, KR_PAINT_OF_DEVICE, sums, STORAGE, &job->sums);
	if (!err)
		err = kr_paint_uploads_prepare(r->device, &job->uploads, r->picture);
	if (err)
		return err;
	memcpy(job->layers.data, r->picture->layers,
		r->picture->count * sizeof(struct kr_paint_layer));
	kr_paint_picture_tiles(r->picture, job->tiles.data);
	fill_turn_tiles(r, (struct kr_paint_tile *)job->tiles.data + r->picture->tile_count);
	return 0;
}

int
kr_paint_job_start(const struct kr_paint_device *device, struct kr_paint_pipeline *pipeline,
	struct kr_paint_job *job, struct kr_paint_picture *picture, struct kr_paint_canvas *canvas)
{
	const struct record r = {
		device, pipeline, job, picture, canvas, count_turn_tiles(job, canvas)};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &job->commands,
	};
	int err = fill(&r);

	if (err)
		return err;
	for (uint32_t i = 0; i < picture->pass_count; i++) {
		job->code[i] = kr_paint_pipeline_get(device, pipeline, &picture->passes[i].variant);
		if (!job->code[i])
			return -ENOMEM;
		bind_pass(&r, i);
	}
	if (record(&r) || device->d.ResetFences(device->device, 1, &job->fence) ||
		device->d.QueueSubmit(device->queue, 1, &submit, job->fence))
		return -EIO;
	job->busy = true;
	canvas->fresh = false;
	job->deadline = kr_deadline_in(device->cpu ? CPU_LIMIT_NS : LIMIT_NS);
	return 0;
}

static uint64_t
time_taken(const struct kr_paint_device *device, const struct kr_paint_job *job)
{
	uint64_t times[TIMES];

	if (!job->queries ||
		device->d.GetQueryPoolResults(device->device, job->queries, 0, TIMES, sizeof(times),
			times, sizeof(times[0]), VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
		return 0;
	return (uint64_t)((double)(times[1] - times[0]) *
		(double)device->properties.limits.timestampPeriod);
}

int
kr_paint_job_wait(const struct kr_paint_device *device, struct kr_paint_job *job,
	uint64_t timeout_ns, uint64_t *gpu_ns)
{
	VkResult result =
		device->d.WaitForFences(device->device, 1, &job->fence, VK_TRUE, timeout_ns);

	if (result == VK_TIMEOUT)
		return kr_clock_now() < job->deadline ? -EAGAIN : -EIO;
	if (result != VK_SUCCESS)
		return -EIO;
	job->busy = false;
	if (job->slot)
		kr_paint_slot_finish(job->slot, job->bands, job->band_count);
	*gpu_ns = time_taken(device, job);
	return 0;
}
