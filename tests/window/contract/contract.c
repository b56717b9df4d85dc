/* SPDX-License-Identifier: Apache-2.0 */
#include "contract/contract.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "util/clock.h"
#include "util/fd.h"

#define WAIT_MS 10000

bool
contract_is_remote(void)
{
	const char *which = getenv("KRAFLA_TEST_READER");

	return which && !strcmp(which, "socket");
}

void
contract_open(struct contract *c, void (*change)(struct krafla_reader_config *config))
{
	rig_open(&c->rig, contract_is_remote(), change);
	c->window = rig_window(&c->rig);
}

void
contract_close(struct contract *c)
{
	ANativeWindow_release(c->window);
	rig_close(&c->rig);
}

void
contract_two_images(struct krafla_reader_config *config)
{
	config->max_images = 2;
}

void
contract_shared(struct krafla_reader_config *config)
{
	config->flags = KRAFLA_READER_SHARED;
}

void
contract_turned(struct krafla_reader_config *config)
{
	config->transform_hint = NATIVE_WINDOW_TRANSFORM_ROT_90;
}

void
contract_settle(struct contract *c)
{
	struct krafla_event event;
	int ignored;

	/* What is said by one is answered by the other. Whoever watches takes events elsewhere. */
	for (int i = 0; i < 3; i++) {
		(void)krafla_reader_next_event(c->rig.reader, &event);
		ignored = c->window->query(c->window, NATIVE_WINDOW_IS_VALID, &ignored);
	}
}

int
contract_query(const struct contract *c, int what)
{
	int value = -12345;
	int err = c->window->query(c->window, what, &value);

	return err ? err : value;
}

void
contract_ahead(struct contract *c, uint32_t count)
{
	size_t least = (size_t)contract_query(c, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS);

	assert_int_equal(ANativeWindow_setBufferCount(c->window, least + count), 0);
}

void
contract_timeout(struct contract *c, int64_t timeout_ns)
{
	assert_int_equal(ANativeWindow_setDequeueTimeout(c->window, timeout_ns), 0);
}

int
contract_try(struct contract *c, ANativeWindowBuffer **buffer)
{
	int fence = -1, err;

	contract_timeout(c, 0);
	err = ANativeWindow_dequeueBuffer(c->window, buffer, &fence);
	kr_fd_close(&fence);
	return err;
}

ANativeWindowBuffer *
contract_dequeue(struct contract *c)
{
	ANativeWindowBuffer *buffer = NULL;

	assert_int_equal(contract_try(c, &buffer), 0);
	return buffer;
}

void
contract_queue(struct contract *c, ANativeWindowBuffer *buffer)
{
	assert_int_equal(ANativeWindow_queueBuffer(c->window, buffer, -1), 0);
}

uint64_t
contract_frame(struct contract *c)
{
	uint64_t number = 0;

	assert_int_equal(native_window_get_next_frame_id(c->window, &number), 0);
	contract_queue(c, contract_dequeue(c));
	return number;
}

void
contract_acquire(struct contract *c, struct krafla_image *image)
{
	rig_acquire(&c->rig, image);
	kr_fd_close(&image->acquire_fence);
}

void
contract_release(struct contract *c, const struct krafla_image *image)
{
	rig_release(&c->rig, image, -1);
}

void
contract_consume(struct contract *c)
{
	struct krafla_image image;

	contract_acquire(c, &image);
	contract_release(c, &image);
}

AHardwareBuffer *
contract_buffer(void)
{
	const AHardwareBuffer_Desc desc = {
		.width = 64,
		.height = 32,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
	};
	AHardwareBuffer *buffer = NULL;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	return buffer;
}

uint64_t
contract_id(const AHardwareBuffer *buffer)
{
	uint64_t id = 0;

	assert_int_equal(AHardwareBuffer_getId(buffer, &id), 0);
	return id;
}

uint64_t
contract_window_id(ANativeWindowBuffer *buffer)
{
	return contract_id(ANativeWindowBuffer_getHardwareBuffer(buffer));
}

void
contract_hear(struct contract *c, uint32_t kind, struct krafla_event *event)
{
	int64_t deadline = kr_clock_now() + WAIT_MS * KR_NSEC_PER_MSEC;

	while (krafla_window_next_event(c->window, event) == -EAGAIN)
		assert_true(kr_clock_now() < deadline);
	assert_int_equal(event->kind, kind);
}

void
contract_read(struct contract *c, uint32_t kind, struct krafla_event *event)
{
	int64_t deadline = kr_clock_now() + WAIT_MS * KR_NSEC_PER_MSEC;

	while (krafla_reader_next_event(c->rig.reader, event) == -EAGAIN)
		assert_true(kr_clock_now() < deadline);
	assert_int_equal(event->kind, kind);
}

void
contract_heard_all(struct contract *c)
{
	struct krafla_event event;

	assert_int_equal(krafla_window_next_event(c->window, &event), -EAGAIN);
}

void
contract_read_all(struct contract *c)
{
	struct krafla_event event;

	assert_int_equal(krafla_reader_next_event(c->rig.reader, &event), -EAGAIN);
}
