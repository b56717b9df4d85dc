/* SPDX-License-Identifier: Apache-2.0 */
/* Connections, and how many buffers there may be: docs/buffer-queue.md. */
#include "contract/contract.h"

#include <errno.h>

static void
by_app(struct krafla_reader_config *config)
{
	config->flags = KRAFLA_READER_BY_APP;
}

static void
turned(struct krafla_reader_config *config)
{
	config->transform_hint = NATIVE_WINDOW_TRANSFORM_ROT_90;
	config->dataspace = HAL_DATASPACE_DISPLAY_P3;
	config->max_buffers = 7;
}

static int
connect_as(struct contract *c, int api)
{
	return c->window->perform(c->window, NATIVE_WINDOW_API_CONNECT, api);
}

static int
disconnect_from(struct contract *c, int api)
{
	return c->window->perform(c->window, NATIVE_WINDOW_API_DISCONNECT, api);
}

static void
reconnect(struct contract *c)
{
	assert_int_equal(disconnect_from(c, NATIVE_WINDOW_API_CPU), 0);
	contract_settle(c);
	assert_int_equal(connect_as(c, NATIVE_WINDOW_API_CPU), 0);
}

/* B-14, B-20: there are 64 slots, one may be held and one drawn into, of 8 bits a colour. */
static void
counts_begin_with_one(void **state)
{
	struct krafla_reader_config config = {.size = sizeof(config), .width = 8, .height = 8};
	struct krafla_reader *reader;
	AHardwareBuffer_Desc desc;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MAX_BUFFER_COUNT), 64);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 1);
	AHardwareBuffer_describe(
		ANativeWindowBuffer_getHardwareBuffer(contract_dequeue(&c)), &desc);
	assert_int_equal(desc.format, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	contract_close(&c);
	config.max_images = KRAFLA_READER_MAX_IMAGES + 1;
	assert_int_equal(krafla_reader_open(&config, &reader), -EINVAL);
	config.max_images = KRAFLA_READER_MAX_IMAGES;
	assert_int_equal(krafla_reader_open(&config, &reader), 0);
	krafla_reader_close(reader);
}

static uint32_t
count_dequeues(struct contract *c)
{
	ANativeWindowBuffer *buffer;
	uint32_t count = 0;

	while (count <= 64 && !contract_try(c, &buffer))
		count++;
	return count;
}

/* B-15, B-16: what the consumer may have, and one for each mode that needs it, isn't dequeued. */
static void
there_are_as_many_as_both_may_have(void **state)
{
	struct contract c;

	contract_open(&c, contract_two_images);
	/* Before the first frame all may be dequeued. */
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 2);
	assert_int_equal(count_dequeues(&c), 3);
	reconnect(&c);
	assert_int_equal(krafla_window_set_max_dequeued(c.window, 3), 0);
	assert_int_equal(count_dequeues(&c), 5);
	reconnect(&c);
	assert_int_equal(ANativeWindow_setSwapInterval(c.window, 0), 0);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 3);
	assert_int_equal(count_dequeues(&c), 4);
	contract_close(&c);
}

static void
five_in_all(struct krafla_reader_config *config)
{
	config->max_images = 2;
	config->max_buffers = 5;
}

/* B-16, B-17, B-66 */
static void
no_count_goes_beyond_the_limit(void **state)
{
	struct contract c;

	contract_open(&c, five_in_all);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MAX_BUFFER_COUNT), 5);
	assert_int_equal(krafla_window_set_max_dequeued(c.window, 4), -EINVAL);
	assert_int_equal(krafla_window_set_max_dequeued(c.window, 0), -EINVAL);
	assert_int_equal(krafla_window_set_max_dequeued(c.window, 3), 0);
	assert_int_equal(ANativeWindow_setSwapInterval(c.window, 0), -EINVAL);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 2);
	/* A count of all is one of those beside the consumer's. */
	assert_int_equal(ANativeWindow_setBufferCount(c.window, 6), -EINVAL);
	assert_int_equal(ANativeWindow_setBufferCount(c.window, 2), -EINVAL);
	assert_int_equal(ANativeWindow_setBufferCount(c.window, 4), 0);
	assert_int_equal(count_dequeues(&c), 4);
	assert_int_equal(krafla_window_set_max_dequeued(c.window, 3), -EINVAL);
	reconnect(&c);
	assert_int_equal(ANativeWindow_setBufferCount(c.window, 0), 0);
	assert_int_equal(count_dequeues(&c), 3);
	contract_close(&c);
}

/* B-06, B-27 */
static void
one_producer_of_four_kinds_is_connected(void **state)
{
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(connect_as(&c, NATIVE_WINDOW_API_EGL), -EINVAL);
	assert_int_equal(disconnect_from(&c, NATIVE_WINDOW_API_EGL), -EINVAL);
	assert_int_equal(disconnect_from(&c, NATIVE_WINDOW_API_CPU), 0);
	assert_int_equal(disconnect_from(&c, NATIVE_WINDOW_API_CPU), -ENODEV);
	assert_int_equal(connect_as(&c, 0), -EINVAL);
	assert_int_equal(connect_as(&c, 5), -EINVAL);
	for (int api = 1; api <= 4; api++) {
		assert_int_equal(connect_as(&c, api), 0);
		contract_frame(&c);
		contract_consume(&c);
		assert_int_equal(disconnect_from(&c, api), 0);
	}
	contract_close(&c);
}

/* B-28, B-79: whatever is asked of a window whose consumer is gone. */
static void
a_consumer_that_goes_abandons_the_queue(void **state)
{
	ANativeWindowBuffer *buffer, *second;
	AHardwareBuffer *own = contract_buffer(), *taken;
	struct contract c;
	int fence;

	contract_open(&c, NULL);
	contract_ahead(&c, 2);
	buffer = contract_dequeue(&c);
	second = contract_dequeue(&c);
	rig_close(&c.rig);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_IS_VALID), 0);
	assert_int_equal(contract_try(&c, &buffer), -ENODEV);
	assert_int_equal(ANativeWindow_queueBuffer(c.window, second, -1), -ENODEV);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, second, -1), -ENODEV);
	assert_int_equal(krafla_window_attach(c.window, own, &buffer), -ENODEV);
	assert_int_equal(krafla_window_detach(c.window, second, &taken), -ENODEV);
	assert_int_equal(krafla_window_detach_next(c.window, &taken, &fence), -ENODEV);
	assert_int_equal(krafla_window_set_max_dequeued(c.window, 2), -ENODEV);
	assert_int_equal(ANativeWindow_setBufferCount(c.window, 3), -ENODEV);
	assert_int_equal(ANativeWindow_setSwapInterval(c.window, 0), -ENODEV);
	assert_int_equal(disconnect_from(&c, NATIVE_WINDOW_API_CPU), 0);
	assert_int_equal(connect_as(&c, NATIVE_WINDOW_API_CPU), -ENODEV);
	AHardwareBuffer_release(own);
	ANativeWindow_release(c.window);
}

/* B-29, B-39: a producer that has queued nothing yet may dequeue all that there are. */
static void
the_limit_holds_from_the_first_frame_on(void **state)
{
	ANativeWindowBuffer *first, *second, *third;
	struct contract c;

	contract_open(&c, contract_two_images);
	first = contract_dequeue(&c);
	second = contract_dequeue(&c);
	contract_queue(&c, first);
	assert_int_equal(contract_try(&c, &third), -ENOSYS);
	contract_queue(&c, second);
	contract_dequeue(&c);
	assert_int_equal(contract_try(&c, &third), -ENOSYS);
	contract_consume(&c);
	contract_consume(&c);
	reconnect(&c);
	assert_int_equal(count_dequeues(&c), 3);
	contract_close(&c);
}

/* B-30, B-43, B-67 */
static void
both_ends_of_one_program_never_wait(void **state)
{
	ANativeWindowBuffer *buffer;
	struct contract c;
	int fence;

	contract_open(&c, by_app);
	/* Its own buffer, the consumer's, and one for what never waits. */
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 2);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), 0);
		assert_int_equal(fence, -1);
	}
	assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), -EAGAIN);
	/* A timeout of -1 leaves it so; any other one has it wait. */
	contract_timeout(&c, -1);
	assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), -EAGAIN);
	contract_timeout(&c, 0);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 1);
	assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), -ETIMEDOUT);
	/* That stays for the connection, and the next one is as its timeout says. */
	contract_timeout(&c, -1);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 1);
	reconnect(&c);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 2);
	contract_timeout(&c, 0);
	reconnect(&c);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 1);
	contract_close(&c);
}

/* B-30, B-43: who takes another process's frames isn't the program's own. */
static void
other_readers_are_waited_for(void **state)
{
	ANativeWindowBuffer *buffer;
	struct contract c;

	contract_open(&c, NULL);
	contract_dequeue(&c);
	contract_dequeue(&c);
	assert_int_equal(contract_try(&c, &buffer), -ETIMEDOUT);
	contract_close(&c);
}

/* B-43: room for one more is of no use before there is a frame to be dropped. */
static void
who_drops_frames_is_told_to_queue_one(void **state)
{
	ANativeWindowBuffer *buffer, *first;
	struct contract c;
	int fence;

	contract_open(&c, NULL);
	assert_int_equal(ANativeWindow_setSwapInterval(c.window, 0), 0);
	first = contract_dequeue(&c);
	contract_dequeue(&c);
	contract_dequeue(&c);
	assert_int_equal(contract_try(&c, &buffer), -EAGAIN);
	contract_queue(&c, first);
	assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), -ENOSYS);
	contract_close(&c);
}

/* B-31, B-58 */
static void
a_producer_is_told_how_things_are(void **state)
{
	uint64_t number = 0;
	struct contract c;

	contract_open(&c, turned);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_DEFAULT_WIDTH), 64);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_DEFAULT_HEIGHT), 32);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_TRANSFORM_HINT), 4);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MAX_BUFFER_COUNT), 7);
	assert_int_equal(
		contract_query(&c, NATIVE_WINDOW_DEFAULT_DATASPACE), HAL_DATASPACE_DISPLAY_P3);
	contract_ahead(&c, 4);
	for (uint64_t i = 1; i <= 3; i++) {
		assert_int_equal(native_window_get_next_frame_id(c.window, &number), 0);
		assert_int_equal(number, i);
		contract_frame(&c);
	}
	/* A connection goes on where the one before has ended. */
	reconnect(&c);
	assert_int_equal(native_window_get_next_frame_id(c.window, &number), 0);
	assert_int_equal(number, 4);
	contract_close(&c);
}

/* B-31: another size, hint and all that may change. */
static void
a_producer_is_told_what_changes(void **state)
{
	struct krafla_reader_config changed;
	ANativeWindowBuffer *buffer;
	AHardwareBuffer_Desc desc;
	struct contract c;

	contract_open(&c, NULL);
	changed = c.rig.config;
	changed.width = 16;
	changed.height = 24;
	changed.format = AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM;
	changed.usage = AHARDWAREBUFFER_USAGE_CPU_READ_RARELY;
	changed.dataspace = HAL_DATASPACE_V0_SRGB;
	changed.transform_hint = NATIVE_WINDOW_TRANSFORM_FLIP_H;
	changed.max_images = 3;
	assert_int_equal(krafla_reader_configure(c.rig.reader, &changed), 0);
	contract_settle(&c);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_WIDTH), 16);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_HEIGHT), 24);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_FORMAT), 4);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_CONSUMER_USAGE_BITS), 2);
	assert_int_equal(
		contract_query(&c, NATIVE_WINDOW_DEFAULT_DATASPACE), HAL_DATASPACE_V0_SRGB);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_TRANSFORM_HINT), 1);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 3);
	buffer = contract_dequeue(&c);
	AHardwareBuffer_describe(ANativeWindowBuffer_getHardwareBuffer(buffer), &desc);
	assert_int_equal(desc.width, 16);
	assert_int_equal(desc.format, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM);
	/* What may not change, or can't be, changes nothing. */
	changed.width = 100;
	changed.max_buffers = 9;
	assert_int_equal(krafla_reader_configure(c.rig.reader, &changed), -EINVAL);
	changed.max_buffers = 0;
	changed.flags = KRAFLA_READER_BY_APP;
	assert_int_equal(krafla_reader_configure(c.rig.reader, &changed), -EINVAL);
	changed.flags = 0;
	changed.max_images = 63;
	assert_int_equal(krafla_reader_configure(c.rig.reader, &changed), -EINVAL);
	changed.max_images = 3;
	changed.transform_hint = 8;
	assert_int_equal(krafla_reader_configure(c.rig.reader, &changed), -EINVAL);
	changed.transform_hint = 0;
	changed.dataspace = -1;
	assert_int_equal(krafla_reader_configure(c.rig.reader, &changed), -EINVAL);
	changed.dataspace = 0;
	changed.format = 0x7777;
	assert_true(krafla_reader_configure(c.rig.reader, &changed) < 0);
	contract_settle(&c);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_WIDTH), 16);
	contract_close(&c);
}

/* B-18: fewer images than are held can't be asked for. */
static void
the_limit_of_images_follows(void **state)
{
	struct krafla_image first, second, third;
	struct krafla_reader_config changed;
	struct contract c;

	contract_open(&c, contract_two_images);
	contract_ahead(&c, 4);
	for (int i = 0; i < 4; i++)
		contract_frame(&c);
	contract_acquire(&c, &first);
	contract_acquire(&c, &second);
	rig_await(&c.rig, -EBUSY);
	changed = c.rig.config;
	changed.max_images = 1;
	assert_int_equal(krafla_reader_configure(c.rig.reader, &changed), -EINVAL);
	changed.max_images = 3;
	assert_int_equal(krafla_reader_configure(c.rig.reader, &changed), 0);
	contract_acquire(&c, &third);
	rig_await(&c.rig, -EBUSY);
	contract_release(&c, &first);
	contract_release(&c, &second);
	contract_release(&c, &third);
	changed.max_images = 1;
	assert_int_equal(krafla_reader_configure(c.rig.reader, &changed), 0);
	contract_acquire(&c, &first);
	contract_release(&c, &first);
	contract_close(&c);
}

/* B-32 */
static void
a_disconnect_frees_what_is_drawn(void **state)
{
	ANativeWindowBuffer *buffer;
	struct contract c;
	uint64_t id;

	contract_open(&c, NULL);
	buffer = contract_dequeue(&c);
	id = contract_window_id(buffer);
	reconnect(&c);
	assert_int_equal(ANativeWindow_queueBuffer(c.window, buffer, -1), -EINVAL);
	assert_true(contract_window_id(contract_dequeue(&c)) != id);
	contract_close(&c);
}

/* B-33: and it is released to nobody. */
static void
what_is_queued_outlives_its_connection(void **state)
{
	struct krafla_image first, second;
	ANativeWindowBuffer *buffer;
	uint64_t ids[2];
	struct contract c;

	contract_open(&c, contract_two_images);
	contract_ahead(&c, 2);
	rig_frame(c.window, 0x11);
	rig_frame(c.window, 0x22);
	contract_acquire(&c, &first);
	ids[0] = contract_id(first.buffer);
	reconnect(&c);
	contract_acquire(&c, &second);
	ids[1] = contract_id(second.buffer);
	assert_int_equal(first.number, 1);
	assert_int_equal(second.number, 2);
	assert_int_equal(rig_colour(&second), 0x22);
	assert_int_equal(rig_colour(&first), 0x11);
	contract_release(&c, &first);
	contract_release(&c, &second);
	contract_settle(&c);
	for (int i = 0; i < 3 && !contract_try(&c, &buffer); i++) {
		assert_true(contract_window_id(buffer) != ids[0]);
		assert_true(contract_window_id(buffer) != ids[1]);
	}
	assert_int_equal(rig_try_dequeue(c.window, 0), -ETIMEDOUT);
	contract_close(&c);
}

/* B-40: frames of connections that are over are with the consumer, and count. */
static void
too_much_that_is_queued_is_waited_for(void **state)
{
	ANativeWindowBuffer *buffer;
	struct contract c;

	contract_open(&c, NULL);
	contract_ahead(&c, 5);
	for (int i = 0; i < 6; i++)
		contract_frame(&c);
	reconnect(&c);
	contract_settle(&c);
	/* There are buffers for two, and nothing of this connection is queued. */
	assert_int_equal(contract_try(&c, &buffer), -ETIMEDOUT);
	for (int i = 0; i < 4; i++)
		contract_consume(&c);
	contract_settle(&c);
	assert_int_equal(contract_try(&c, &buffer), 0);
	contract_close(&c);
}

/* B-34 */
static void
sharing_ends_with_the_connection(void **state)
{
	struct krafla_image image;
	struct contract c;

	contract_open(&c, contract_shared);
	assert_int_equal(ANativeWindow_setSharedBufferMode(c.window, true), 0);
	contract_frame(&c);
	contract_acquire(&c, &image);
	/* At once, though the reader has it. */
	contract_dequeue(&c);
	reconnect(&c);
	assert_true(contract_window_id(contract_dequeue(&c)) != contract_id(image.buffer));
	contract_release(&c, &image);
	contract_close(&c);
}

/* B-35 */
static void
a_disconnect_is_heard(void **state)
{
	struct krafla_event event;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(krafla_reader_watch(c.rig.reader,
				 KRAFLA_EVENT_BIT(KRAFLA_EVENT_DISCONNECTED) |
					 KRAFLA_EVENT_BIT(KRAFLA_EVENT_GONE)),
		0);
	contract_ahead(&c, 2);
	contract_dequeue(&c);
	contract_dequeue(&c);
	assert_int_equal(disconnect_from(&c, NATIVE_WINDOW_API_CPU), 0);
	contract_read(&c, KRAFLA_EVENT_GONE, &event);
	assert_int_equal(event.slot, 0);
	contract_read(&c, KRAFLA_EVENT_GONE, &event);
	assert_int_equal(event.slot, 1);
	contract_read(&c, KRAFLA_EVENT_DISCONNECTED, &event);
	contract_read_all(&c);
	contract_close(&c);
}

/* B-36: a setting, and that the next connection knows nothing of it. */
static void
a_disconnect_resets_the_window(void **state)
{
	const android_native_rect_t crop = {1, 1, 4, 4};
	struct krafla_image image;
	AHardwareBuffer_Desc desc;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(ANativeWindow_setBuffersGeometry(c.window, 8, 8, 4), 0);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_SET_CROP, &crop), 0);
	assert_int_equal(ANativeWindow_setBuffersTransform(c.window, 3), 0);
	assert_int_equal(ANativeWindow_setBuffersDataSpace(c.window, HAL_DATASPACE_V0_SRGB), 0);
	assert_int_equal(ANativeWindow_setBuffersTimestamp(c.window, 5), 0);
	assert_int_equal(native_window_enable_frame_timestamps(c.window, true), 0);
	contract_frame(&c);
	contract_acquire(&c, &image);
	AHardwareBuffer_describe(image.buffer, &desc);
	assert_int_equal(desc.width, 8);
	assert_int_equal(image.crop.right, 4);
	assert_int_equal(image.transform, 3);
	assert_int_equal(image.scaling_mode, NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW);
	assert_int_equal(image.timestamp_ns, 5);
	contract_release(&c, &image);
	reconnect(&c);
	contract_frame(&c);
	contract_acquire(&c, &image);
	AHardwareBuffer_describe(image.buffer, &desc);
	assert_int_equal(desc.width, 64);
	assert_int_equal(desc.format, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	assert_int_equal(desc.usage, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN);
	assert_int_equal(image.crop.right, 64);
	assert_int_equal(image.transform, 0);
	assert_int_equal(image.scaling_mode, NATIVE_WINDOW_SCALING_MODE_FREEZE);
	assert_int_equal(image.dataspace, HAL_DATASPACE_UNKNOWN);
	assert_true(image.timestamp_ns > 5);
	assert_int_equal(native_window_get_compositor_timing(c.window, NULL, NULL, NULL), -ENOSYS);
	contract_release(&c, &image);
	contract_close(&c);
}

static const struct kr_test tests[] = {
	KR_TEST(counts_begin_with_one),
	KR_TEST(there_are_as_many_as_both_may_have),
	KR_TEST(no_count_goes_beyond_the_limit),
	KR_TEST(one_producer_of_four_kinds_is_connected),
	KR_TEST(a_consumer_that_goes_abandons_the_queue),
	KR_TEST(the_limit_holds_from_the_first_frame_on),
	KR_TEST(both_ends_of_one_program_never_wait),
	KR_TEST(other_readers_are_waited_for),
	KR_TEST(who_drops_frames_is_told_to_queue_one),
	KR_TEST(a_producer_is_told_how_things_are),
	KR_TEST(a_producer_is_told_what_changes),
	KR_TEST(the_limit_of_images_follows),
	KR_TEST(a_disconnect_frees_what_is_drawn),
	KR_TEST(what_is_queued_outlives_its_connection),
	KR_TEST(too_much_that_is_queued_is_waited_for),
	KR_TEST(sharing_ends_with_the_connection),
	KR_TEST(a_disconnect_is_heard),
	KR_TEST(a_disconnect_resets_the_window),
};

KR_TEST_MAIN(tests)
