/* SPDX-License-Identifier: Apache-2.0 */
/* Releases whose content nobody wants to see: what is left out, and what isn't. */
#include "gpu.h"

#include <string.h>

#include <krafla/hardware_buffer.h>

#include "adapter/device.h"
#include "adapter/tuning.h"
#include "fake_icd.h"

#define SIZE 16

struct fixture {
	struct gpu gpu;
	struct kr_buffer *buffer;
	VkImage image;
	unsigned char *pixels;
};

static void
make_image(struct fixture *f)
{
	f->buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
	assert_int_equal(kr_buffer_map(f->buffer, (void **)&f->pixels), 0);
	f->image = gpu_image(&f->gpu, f->buffer, VK_FORMAT_R8G8B8A8_UNORM);
}

/* On the fake driver as it was made to be. */
static void
set_up(struct fixture *f)
{
	gpu_init_fake(&f->gpu, NULL);
	make_image(f);
}

static void
tear_down(struct fixture *f)
{
	f->gpu.d.DestroyImage(f->gpu.device, f->image, NULL);
	gpu_finish_fake(&f->gpu);
	kr_buffer_unref(f->buffer);
	assert_int_equal(fake.pending_destroys, 0);
}

/* Whether the buffer has the pixels when *fence signals. */
static bool
release(struct fixture *f, uint32_t wait_count, const VkSemaphore *waits, bool wanted, int *fence)
{
	VkBool32 has_pixels = 77;

	assert_int_equal(f->gpu.release_wanted(f->gpu.queue, wait_count, waits, f->image, wanted,
				 fence, &has_pixels),
		VK_SUCCESS);
	assert_true(has_pixels == VK_TRUE || has_pixels == VK_FALSE);
	return has_pixels;
}

static void
release_and_land(struct fixture *f, bool wanted)
{
	int fence = -1;

	assert_int_equal(release(f, 0, NULL, wanted, &fence), wanted);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
}

/* The release itself is all that such a frame costs: what it waits for, and the fence. */
static void
unwanted_frames_copy_nothing(void **state)
{
	struct fixture f;
	VkSemaphore wait;
	int fence = -1;

	fake_reset();
	fake.host_image_features = 0;
	set_up(&f);
	wait = gpu_semaphore(&f.gpu);
	assert_false(release(&f, 1, &wait, false, &fence));
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	assert_int_equal(fake.submit_count, 1);
	assert_null(fake.submits[0].commands);
	assert_ptr_equal(fake.submits[0].waits[0], wait);
	assert_non_null(fake.submits[0].fence);
	assert_true(release(&f, 1, &wait, true, &fence));
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	assert_non_null(fake.submits[1].commands);
	/* Who doesn't say wants it. */
	gpu_release(&f.gpu, f.gpu.queue, 1, &wait, f.image);
	assert_non_null(fake.submits[2].commands);
	f.gpu.d.DestroySemaphore(f.gpu.device, wait, NULL);
	tear_down(&f);
}

/* Nor does the CPU, which would have to wait for the GPU first. */
static void
unwanted_frames_leave_the_cpu_alone(void **state)
{
	struct fixture f;

	fake_reset();
	fake.host_image_features = fake.host_buffer_features = 0;
	set_up(&f);
	memset(f.pixels, 1, 64);
	for (int i = 0; i < 6; i++) {
		bool wanted = i % 2;

		release_and_land(&f, wanted);
		assert_int_equal(f.pixels[0], wanted ? 0x5a : 1);
		assert_int_equal(fake.submits[i].commands != NULL, wanted);
		memset(f.pixels, 1, 64);
	}
	/* The same without a thread that copies. */
	kr_adapter_tuning.no_flights = true;
	for (int i = 0; i < 2; i++) {
		int fence = 77;

		assert_int_equal(release(&f, 0, NULL, i, &fence), i);
		assert_true(fence == -1 || gpu_land(fence) == KR_FENCE_SIGNALLED);
		assert_int_equal(f.pixels[0], i ? 0x5a : 1);
	}
	tear_down(&f);
}

/* Then the driver's own fence says it all, and is what travels. */
static void
unwanted_frames_have_the_drivers_fence(void **state)
{
	struct fixture f;
	int fence = -1;

	fake_reset();
	fake.semaphore_features = 3;
	fake.host_image_features = fake.host_buffer_features = 0;
	set_up(&f);
	assert_false(release(&f, 0, NULL, false, &fence));
	assert_int_equal(fake.semaphore_exports, 1);
	assert_int_equal(fence, -1); /* which the fake driver exports */
	assert_true(release(&f, 0, NULL, true, &fence));
	assert_int_equal(fake.semaphore_exports, 1);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	assert_int_equal(f.pixels[0], 0x5a);
	tear_down(&f);
}

/* What is drawn into the buffer itself is there, wanted or not. */
static void
shared_memory_always_has_pixels(void **state)
{
	struct fixture f;

	fake_reset();
	set_up(&f);
	for (int wanted = 0; wanted < 2; wanted++) {
		int fence = -1;

		assert_true(release(&f, 0, NULL, wanted, &fence));
		assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	}
	tear_down(&f);
}

/* A card draws by its own memory, whatever it could import. */
static void
cards_copy(void **state)
{
	struct fixture f;
	int fence = -1;

	fake_reset();
	fake.device_type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
	set_up(&f);
	assert_int_equal(fake.last_image.tiling, VK_IMAGE_TILING_OPTIMAL);
	assert_false(release(&f, 0, NULL, false, &fence));
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	tear_down(&f);
}

/* Neither family is troubled: one of them can't copy, and needn't. */
static void
unwanted_frames_are_not_handed_over(void **state)
{
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const struct gpu_options options = {.queues = &queue, .queue_count = 1};
	struct fixture f;

	fake_reset();
	fake.families[0] = (VkQueueFamilyProperties){
		.queueFlags = VK_QUEUE_SPARSE_BINDING_BIT, .queueCount = 1};
	fake.families[1] =
		(VkQueueFamilyProperties){.queueFlags = VK_QUEUE_TRANSFER_BIT, .queueCount = 1};
	fake.family_count = 2;
	fake.host_image_features = 0;
	gpu_init_fake(&f.gpu, &options);
	make_image(&f);
	release_and_land(&f, false);
	assert_int_equal(fake.submit_count, 1);
	assert_ptr_equal(fake.submits[0].queue, f.gpu.queue);
	release_and_land(&f, true);
	assert_int_equal(fake.submit_count, 3);
	assert_ptr_not_equal(fake.submits[2].queue, f.gpu.queue);
	release_and_land(&f, false);
	assert_int_equal(fake.submit_count, 4);
	assert_int_equal(fake.double_signals, 0);
	tear_down(&f);
	/* Nobody can copy at all: that is no error before somebody wants it. */
	fake.fail = "vkCreateDevice";
	fake.fail_result = VK_ERROR_INITIALIZATION_FAILED;
	fake.fail_once = true;
	gpu_init_fake(&f.gpu, &options);
	make_image(&f);
	release_and_land(&f, false);
	tear_down(&f);
}

/* The pixels that the CPU is to read lie where it reads fast. */
static void
cpu_reads_from_cached_memory(void **state)
{
	enum {
		OWN = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
		COHERENT =
			VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
		CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
	};
	static const struct {
		VkMemoryPropertyFlags types[4];
		uint32_t chosen;
	} drivers[] = {
		{{OWN, OWN | COHERENT, COHERENT, COHERENT | CACHED}, 3},
		{{OWN, OWN | COHERENT | CACHED, COHERENT | CACHED, COHERENT}, 2},
		{{OWN, OWN | COHERENT, OWN | COHERENT | CACHED, COHERENT}, 2},
		{{OWN, OWN | COHERENT, COHERENT, 0}, 2},
		{{OWN, OWN | COHERENT, 0, 0}, 1},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(drivers); i++) {
		struct fixture f;

		fake_reset();
		memcpy(fake.memory_types, drivers[i].types, sizeof(drivers[i].types));
		fake.host_image_features = fake.host_buffer_features = 0;
		set_up(&f);
		assert_int_equal(fake.last_memory.memoryTypeIndex, drivers[i].chosen);
		tear_down(&f);
	}
}

/* Either copy may be under way when the image goes, and then the device. */
static void
destroying_waits_for_copies(void **state)
{
	for (int mapped = 0; mapped < 2; mapped++) {
		struct fixture f;
		int fence = -1;

		fake_reset();
		fake.host_image_features = 0;
		fake.host_buffer_features = mapped ? 0 : VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
		set_up(&f);
		fake_hold(f.gpu.queue);
		kr_adapter_tuning.landing_limit_ns = 1;
		assert_true(release(&f, 0, NULL, true, &fence));
		assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
		/* Neither image nor fence is the driver's to lose before it is done. */
		f.gpu.d.DestroyImage(f.gpu.device, f.image, NULL);
		f.image = VK_NULL_HANDLE;
		fake_let_go(f.gpu.queue);
		assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
		if (mapped)
			assert_int_equal(f.pixels[0], 0x5a);
		tear_down(&f);
	}
}

static void
clear(struct fixture *f)
{
	memset(f->pixels, 0xa5, kr_buffer_get_info(f->buffer)->size);
}

static void
draw(struct fixture *f, bool wanted, int *fence)
{
	VkSemaphore acquired = gpu_semaphore(&f->gpu), drawn = gpu_semaphore(&f->gpu);
	struct drawing *drawing;

	assert_int_equal(f->gpu.acquire(f->gpu.device, f->image, -1, acquired, NULL), VK_SUCCESS);
	drawing =
		gpu_draw(&f->gpu, f->image, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE, acquired, drawn);
	assert_int_equal(release(f, 1, &drawn, wanted, fence), wanted);
	gpu_drawing_finish(&f->gpu, drawing);
	f->gpu.d.QueueWaitIdle(f->gpu.queue);
	f->gpu.d.DestroySemaphore(f->gpu.device, acquired, NULL);
	f->gpu.d.DestroySemaphore(f->gpu.device, drawn, NULL);
}

/* Real pixels: those of wanted frames when their fence signals, and of no other. */
static void
every_second_frame(void)
{
	struct fixture f;

	gpu_init(&f.gpu, NULL);
	make_image(&f);
	for (int i = 0; i < 8; i++) {
		int fence = -1;

		clear(&f);
		draw(&f, i % 2, &fence);
		assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
		if (i % 2)
			gpu_assert_picture(&f.gpu, f.buffer, VK_FORMAT_R8G8B8A8_UNORM);
		for (size_t b = 0; !(i % 2) && b < kr_buffer_get_info(f.buffer)->size; b++)
			assert_int_equal(f.pixels[b], 0xa5);
	}
	f.gpu.d.DestroyImage(f.gpu.device, f.image, NULL);
	kr_buffer_unref(f.buffer);
	gpu_finish(&f.gpu);
}

static void
gpu_copies_every_second_frame(void **state)
{
	kr_adapter_tuning.no_host_image = true;
	every_second_frame();
}

static void
cpu_copies_every_second_frame(void **state)
{
	kr_adapter_tuning.no_host_image = true;
	kr_adapter_tuning.no_host_buffer = true;
	every_second_frame();
}

static const struct kr_test tests[] = {
	KR_TEST(unwanted_frames_copy_nothing),
	KR_TEST(unwanted_frames_leave_the_cpu_alone),
	KR_TEST(unwanted_frames_have_the_drivers_fence),
	KR_TEST(shared_memory_always_has_pixels),
	KR_TEST(cards_copy),
	KR_TEST(unwanted_frames_are_not_handed_over),
	KR_TEST(cpu_reads_from_cached_memory),
	KR_TEST(destroying_waits_for_copies),
	KR_TEST_FLAGS(gpu_copies_every_second_frame, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(cpu_copies_every_second_frame, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
