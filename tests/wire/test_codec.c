/* SPDX-License-Identifier: Apache-2.0 */
/* The display protocol's codec: what is written is read again, and nothing else is read. */
#include "harness.h"

#include <errno.h>
#include <string.h>

#include "util/macros.h"
#include "wire/display_protocol.h"

static const struct kr_dp_message samples[] = {
	{.type = KR_DP_HELLO, .hello = {.version = 1, .label = "vkcube: xcb"}},
	{.type = KR_DP_BUFFER,
		.buffer = {.slot = 63, .id = UINT64_C(0x0123456789abcdef), .handle = {-1, 2, -3}}},
	{.type = KR_DP_BUFFER_GONE, .buffer_gone = {.slot = 7}},
	{.type = KR_DP_FRAME,
		.frame = {.slot = 2,
			.number = UINT64_MAX,
			.droppable = true,
			.has_fence = true,
			.format = -5,
			.dataspace = 0x08810000,
			.transform = 4,
			.scaling_mode = 1,
			.crop_left = -1,
			.crop_bottom = INT32_MAX,
			.timestamp_ns = INT64_MIN,
			.queued_ns = 12345678901234,
			.damage_count = 2,
			.damage = {{1, 2, 3, 4}, {-5, -6, -7, -8}}}},
	{.type = KR_DP_WAITING},
	{.type = KR_DP_PRODUCER, .producer = {.device = "llvmpipe"}},
	{.type = KR_DP_BYE},
	{.type = KR_DP_PING, .ping = {.serial = 9}},
	{.type = KR_DP_WELCOME,
		.welcome = {.version = 1,
			.width = 1280,
			.height = 720,
			.refresh_ns = 16666667,
			.virtual_clock = true,
			.consumer_usage = 0x800,
			.max_acquired = 1,
			.format = 1}},
	{.type = KR_DP_RELEASE, .release = {.slot = 1, .number = 3, .has_fence = true}},
	{.type = KR_DP_ERROR, .error = {.code = 2, .text = "no"}},
	{.type = KR_DP_PONG, .pong = {.serial = 9}},
	{.type = KR_DP_HELLO2,
		.hello2 = {.hello = {.version = 2, .label = "x"}, .queued = UINT64_MAX}},
	{.type = KR_DP_FRAME2,
		.frame2 = {.frame = {.number = 2, .damage_count = 1, .damage = {{1, 2, 3, 4}}},
			.no_pixels = true}},
	{.type = KR_DP_WELCOME2,
		.welcome2 = {.welcome = {.version = 2, .format = 1},
			.wants_from = UINT64_MAX,
			.wants_every = 2}},
	{.type = KR_DP_WANTS, .wants = {.from = 3, .every = UINT64_MAX}},
	{.type = KR_DP_HELLO3, .hello3 = {.hello2 = {.hello = {.version = 3, .label = "y"}}}},
	{.type = KR_DP_FRAME3,
		.frame3 = {.frame2 = {.frame = {.number = 2}, .no_pixels = true},
			.mode = 255,
			.tell_shown = true,
			.window_height = UINT32_MAX}},
	{.type = KR_DP_WATCH_VBLANK},
	{.type = KR_DP_CONFIGURED},
	{.type = KR_DP_WELCOME3,
		.welcome3 = {.welcome2 = {.wants_every = 1},
			.modes = UINT32_MAX,
			.name = "an output",
			.refresh_mhz = 60000}},
	{.type = KR_DP_CONFIGURE, .configure = {.width = 1, .transform_hint = 7}},
	{.type = KR_DP_SHOWN, .shown = {.number = UINT64_MAX, .time_ns = -1}},
	{.type = KR_DP_VBLANK, .vblank = {.count = 1, .time_ns = INT64_MAX}},
	{.type = KR_DP_HELLO5, .hello5.hello4.hello3.hello2.hello = {.version = 5, .label = "z"}},
	{.type = KR_DP_FRAME4,
		.frame4 = {.frame3 = {.frame2 = {.frame = {.number = 3}}},
			.tell_events = true,
			.target_kind = 255,
			.target_ns = INT64_MIN,
			.hdr = {-1, [11] = INT32_MAX}}},
	{.type = KR_DP_WELCOME5,
		.welcome5 = {.welcome4.welcome3 = {.name = "an output"},
			.colours = UINT32_MAX,
			.phase_ns = -1,
			.latency_ns = INT64_MAX}},
	{.type = KR_DP_RELEASE2,
		.release2 = {.release = {.slot = 63, .number = 9}, .known = 32, .shown_ns = -1}},
	{.type = KR_DP_EVENTS, .events = {.number = 1, .known = 63, .shown_ns = INT64_MIN}},
};

/* Descriptors that a sample needs to be a valid message. */
static size_t
fds_of(const struct kr_dp_message *message)
{
	return message->type == KR_DP_BUFFER;
}

static void
messages_come_back_as_they_were(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(samples); i++) {
		uint8_t bytes[KR_DP_MAX_SIZE], again[KR_DP_MAX_SIZE];
		size_t size = kr_dp_encode(&samples[i], bytes);
		struct kr_dp_message read;

		assert_true(size >= 8 && size <= sizeof(bytes));
		assert_int_equal(kr_dp_decode(bytes, size, fds_of(&samples[i]), &read), 0);
		assert_int_equal(read.type, samples[i].type);
		assert_int_equal(kr_dp_encode(&read, again), size);
		assert_memory_equal(bytes, again, size);
		assert_string_not_equal(kr_dp_name(read.type), "unknown");
	}
}

static void
fields_are_little_endian_and_packed(void **state)
{
	static const uint8_t expected[] = {
		65, 0, 0, 0, 21, 0, 0, 0, 0x34, 0x12, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 1};
	struct kr_dp_message message = {.type = KR_DP_RELEASE,
		.release = {.slot = 0x1234, .number = 0x0102030405060708, .has_fence = true}};
	uint8_t bytes[KR_DP_MAX_SIZE];

	assert_int_equal(kr_dp_encode(&message, bytes), sizeof(expected));
	assert_memory_equal(bytes, expected, sizeof(expected));
}

static void
the_fields_of_a_frame_come_back(void **state)
{
	const struct kr_dp_frame *sent = &samples[3].frame;
	uint8_t bytes[KR_DP_MAX_SIZE];
	struct kr_dp_message read;

	assert_int_equal(kr_dp_decode(bytes, kr_dp_encode(&samples[3], bytes), 1, &read), 0);
	assert_int_equal(read.frame.number, sent->number);
	assert_int_equal(read.frame.timestamp_ns, sent->timestamp_ns);
	assert_int_equal(read.frame.crop_left, -1);
	assert_int_equal(read.frame.crop_bottom, INT32_MAX);
	assert_int_equal(read.frame.damage_count, 2);
	assert_memory_equal(read.frame.damage, sent->damage, 2 * sizeof(sent->damage[0]));
}

static void
every_other_length_is_refused(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(samples); i++) {
		uint8_t bytes[KR_DP_MAX_SIZE + 1] = {0};
		size_t size = kr_dp_encode(&samples[i], bytes);
		struct kr_dp_message read;

		for (size_t cut = 0; cut <= size + 1; cut++) {
			/* Once with the header's size as it was, once made to agree. */
			int expected = cut == size ? 0 : -EPROTO;
			uint8_t copy[KR_DP_MAX_SIZE + 1];

			assert_int_equal(
				kr_dp_decode(bytes, cut, fds_of(&samples[i]), &read), expected);
			memcpy(copy, bytes, sizeof(copy));
			copy[4] = (uint8_t)cut;
			copy[5] = (uint8_t)(cut >> 8);
			assert_int_equal(
				kr_dp_decode(copy, cut, fds_of(&samples[i]), &read), expected);
		}
	}
}

static void
descriptors_are_counted(void **state)
{
	uint8_t bytes[KR_DP_MAX_SIZE];
	struct kr_dp_message read;
	size_t size = kr_dp_encode(&samples[1], bytes);

	assert_int_equal(kr_dp_decode(bytes, size, 0, &read), -EPROTO);
	assert_int_equal(kr_dp_decode(bytes, size, 1, &read), 0);
	assert_int_equal(kr_dp_decode(bytes, size, 2, &read), -EPROTO);
	size = kr_dp_encode(&samples[4], bytes);
	assert_int_equal(kr_dp_decode(bytes, size, 1, &read), -EPROTO);
}

static void
values_outside_their_type_are_refused(void **state)
{
	uint8_t bytes[KR_DP_MAX_SIZE];
	struct kr_dp_message read, message = samples[8];
	size_t size = kr_dp_encode(&message, bytes);

	bytes[size - 1] = 2; /* bool */
	assert_int_equal(kr_dp_decode(bytes, size, 1, &read), -EPROTO);
	size = kr_dp_encode(&samples[0], bytes);
	bytes[size - 1] = 0; /* NUL inside a string */
	assert_int_equal(kr_dp_decode(bytes, size, 0, &read), -EPROTO);
	bytes[0] = 99;
	assert_int_equal(kr_dp_decode(bytes, size, 0, &read), -EPROTO);
}

static void
what_is_too_long_is_cut_when_written_and_refused_when_read(void **state)
{
	struct kr_dp_message message = {.type = KR_DP_HELLO}, read;
	uint8_t bytes[KR_DP_MAX_SIZE + 16];
	size_t size;

	memset(message.hello.label, 'x', sizeof(message.hello.label)); /* no NUL */
	size = kr_dp_encode(&message, bytes);
	assert_int_equal(kr_dp_decode(bytes, size, 0, &read), 0);
	assert_int_equal(strlen(read.hello.label), 63);
	bytes[12] = 64;
	bytes[size] = 'x';
	bytes[4] = (uint8_t)(size + 1);
	assert_int_equal(kr_dp_decode(bytes, size + 1, 0, &read), -EPROTO);
	message = samples[3];
	message.frame.damage_count = 17;
	size = kr_dp_encode(&message, bytes);
	assert_int_equal(kr_dp_decode(bytes, size, 1, &read), 0);
	assert_int_equal(read.frame.damage_count, 16);
	/* The longest that there is. */
	message = (struct kr_dp_message){
		.type = KR_DP_FRAME4, .frame4.frame3 = {.frame2 = {.frame = message.frame}}};
	assert_int_equal(kr_dp_encode(&message, bytes), KR_DP_MAX_SIZE);
	assert_int_equal(size, KR_DP_MAX_SIZE - 15 - 63);
}

/* The fuzz target's work in small, the same every time. */
static void
mutated_messages_are_read_or_refused(void **state)
{
	uint32_t seed = 1;
	unsigned accepted = 0, refused = 0;

	for (unsigned round = 0; round < 200000; round++) {
		uint8_t bytes[KR_DP_MAX_SIZE], again[KR_DP_MAX_SIZE];
		const struct kr_dp_message *sample = &samples[round % KR_ARRAY_LEN(samples)];
		size_t size = kr_dp_encode(sample, bytes);
		struct kr_dp_message read;

		for (unsigned n = 0; n < 1 + round % 3; n++) {
			seed = seed * 1664525 + 1013904223;
			bytes[(seed >> 8) % size] = (uint8_t)(seed >> 24);
		}
		if (kr_dp_decode(bytes, size, fds_of(sample), &read)) {
			refused++;
			continue;
		}
		accepted++;
		assert_int_equal(kr_dp_encode(&read, again), size);
		assert_memory_equal(bytes, again, size);
	}
	assert_true(accepted > 1000 && refused > 1000);
}

static const struct kr_test tests[] = {
	KR_TEST(messages_come_back_as_they_were),
	KR_TEST(fields_are_little_endian_and_packed),
	KR_TEST(the_fields_of_a_frame_come_back),
	KR_TEST(every_other_length_is_refused),
	KR_TEST(descriptors_are_counted),
	KR_TEST(values_outside_their_type_are_refused),
	KR_TEST(what_is_too_long_is_cut_when_written_and_refused_when_read),
	KR_TEST(mutated_messages_are_read_or_refused),
};

KR_TEST_MAIN(tests)
