/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of the display protocol's messages, typed out: they are what programs of other releases
 * send and read, so no change of the codec may change one. New messages get bytes of their own.
 */
#include "harness.h"

#include <errno.h>
#include <string.h>

#include "util/macros.h"
#include "wire/display_protocol.h"

#define A_FRAME                                                                                    \
	{                                                                                          \
		.slot = 2, .number = 7, .droppable = true, .format = 1, .dataspace = 0x08810000,   \
		.transform = 4, .scaling_mode = 1, .crop_left = 1, .crop_top = 2, .crop_right = 3, \
		.crop_bottom = 4, .timestamp_ns = INT64_MIN, .queued_ns = INT64_C(0x1122334455),   \
		.damage_count = 1, .damage = {                                                     \
			{5, 6, 7, -8}                                                              \
		}                                                                                  \
	}
#define A_WELCOME(v)                                                                               \
	{                                                                                          \
		.version = v, .width = 1280, .height = 720, .refresh_ns = 16666667,                \
		.virtual_clock = true, .consumer_usage = 3, .max_acquired = 1, .format = 1         \
	}

/* clang-format off */
static const uint8_t hello_bytes[] = {
	1, 0, 0, 0, 0x12, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0x63, 0x75, 0x62, 0x65};
static const uint8_t buffer_bytes[] = {
	2, 0, 0, 0, 0x54, 0, 0, 0, 3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xff, 0xff, 0xff, 2,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t buffer_gone_bytes[] = {
	3, 0, 0, 0, 0x0c, 0, 0, 0, 3, 0, 0, 0};
static const uint8_t frame_bytes[] = {
	4, 0, 0, 0, 0x58, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0,
	0x81, 8, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0x80, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0, 0, 1, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7,
	0, 0, 0, 0xf8, 0xff, 0xff, 0xff};
static const uint8_t waiting_bytes[] = {
	5, 0, 0, 0, 8, 0, 0, 0};
static const uint8_t bye_bytes[] = {
	6, 0, 0, 0, 8, 0, 0, 0};
static const uint8_t ping_bytes[] = {
	7, 0, 0, 0, 0x10, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t producer_bytes[] = {
	8, 0, 0, 0, 0x0d, 0, 0, 0, 3, 0, 0x67, 0x70, 0x75};
static const uint8_t welcome_bytes[] = {
	0x40, 0, 0, 0, 0x2d, 0, 0, 0, 1, 0, 0, 0, 0, 5, 0, 0, 0xd0, 2, 0, 0, 0x2b, 0x50, 0xfe, 0,
	0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
static const uint8_t release_bytes[] = {
	0x41, 0, 0, 0, 0x15, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1};
static const uint8_t error_bytes[] = {
	0x42, 0, 0, 0, 0x10, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0x6e, 0x6f};
static const uint8_t pong_bytes[] = {
	0x43, 0, 0, 0, 0x10, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t hello2_bytes[] = {
	9, 0, 0, 0, 0x1a, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0x63, 0x75, 0x62, 0x65, 0x2c, 1, 0, 0, 0, 0,
	0, 0};
static const uint8_t frame2_bytes[] = {
	0x0a, 0, 0, 0, 0x59, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0,
	0x81, 8, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0x80, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0, 0, 1, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7,
	0, 0, 0, 0xf8, 0xff, 0xff, 0xff, 1};
static const uint8_t welcome2_bytes[] = {
	0x44, 0, 0, 0, 0x3d, 0, 0, 0, 2, 0, 0, 0, 0, 5, 0, 0, 0xd0, 2, 0, 0, 0x2b, 0x50, 0xfe, 0,
	0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2,
	0, 0, 0, 0, 0, 0, 0};
static const uint8_t wants_bytes[] = {
	0x45, 0, 0, 0, 0x18, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t hello3_bytes[] = {
	0x0b, 0, 0, 0, 0x1b, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0x63, 0x75, 0x62, 0x65, 0x2c, 1, 0, 0,
	0, 0, 0, 0, 1};
static const uint8_t frame3_bytes[] = {
	0x0c, 0, 0, 0, 0x67, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0,
	0, 0x81, 8, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0x80, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0, 0, 1, 0, 5, 0, 0, 0, 6, 0,
	0, 0, 7, 0, 0, 0, 0xf8, 0xff, 0xff, 0xff, 1, 4, 2, 3, 1, 2, 1, 0x80, 2, 0, 0, 0xe0, 1,
	0, 0};
static const uint8_t watch_vblank_bytes[] = {
	0x0d, 0, 0, 0, 8, 0, 0, 0};
static const uint8_t configured_bytes[] = {
	0x0e, 0, 0, 0, 8, 0, 0, 0};
static const uint8_t welcome3_bytes[] = {
	0x46, 0, 0, 0, 0x6b, 0, 0, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0xd0, 2, 0, 0, 0x2b, 0x50, 0xfe,
	0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0,
	0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 0, 0, 0, 0xff, 0, 0, 0, 0x0f, 0, 0, 0, 0x0e, 0, 0,
	0, 7, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0x6f, 0x75, 0x74, 0x58, 2, 0, 0, 0x54, 1,
	0, 0, 0x24, 0xea, 0, 0};
static const uint8_t configure_bytes[] = {
	0x47, 0, 0, 0, 0x14, 0, 0, 0, 0x80, 2, 0, 0, 0xe0, 1, 0, 0, 4, 0, 0, 0};
static const uint8_t shown_bytes[] = {
	0x48, 0, 0, 0, 0x18, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0x55, 0x44, 0x33, 0x22, 0x11, 0,
	0, 0};
static const uint8_t vblank_bytes[] = {
	0x49, 0, 0, 0, 0x18, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0x55, 0x44, 0x33, 0x22, 0x11, 0,
	0, 0};
static const uint8_t hello4_bytes[] = {
	0x0f, 0, 0, 0, 0x1b, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0x63, 0x75, 0x62, 0x65, 0x2c, 1, 0, 0,
	0, 0, 0, 0, 1};
static const uint8_t gpu_memory_bytes[] = {
	0x10, 0, 0, 0, 0xc8, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0xfe, 0xff, 0xff,
	0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
static const uint8_t welcome4_bytes[] = {
	0x4a, 0, 0, 0, 0x6b, 0, 0, 0, 4, 0, 0, 0, 0, 5, 0, 0, 0xd0, 2, 0, 0, 0x2b, 0x50, 0xfe,
	0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0,
	0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 0, 0, 0, 0xff, 0, 0, 0, 0x0f, 0, 0, 0, 0x0e, 0, 0,
	0, 7, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0x6f, 0x75, 0x74, 0x58, 2, 0, 0, 0x54, 1,
	0, 0, 0x24, 0xea, 0, 0};
static const uint8_t hello5_bytes[] = {
	0x11, 0, 0, 0, 0x1b, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0x63, 0x75, 0x62, 0x65, 0x2c, 1, 0, 0,
	0, 0, 0, 0, 1};
static const uint8_t frame4_bytes[] = {
	0x12, 0, 0, 0, 0xa6, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0,
	0, 0x81, 8, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0x80, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0, 0, 1, 0, 5, 0, 0, 0, 6, 0,
	0, 0, 7, 0, 0, 0, 0xf8, 0xff, 0xff, 0xff, 1, 4, 2, 3, 1, 2, 1, 0x80, 2, 0, 0, 0xe0, 1,
	0, 0, 1, 2, 1, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0, 0, 5, 0, 0, 0, 0xff, 0xff, 0xff,
	0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
static const uint8_t welcome5_bytes[] = {
	0x4b, 0, 0, 0, 0x87, 0, 0, 0, 5, 0, 0, 0, 0, 5, 0, 0, 0xd0, 2, 0, 0, 0x2b, 0x50, 0xfe,
	0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0,
	0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 0, 0, 0, 0xff, 0, 0, 0, 0x0f, 0, 0, 0, 0x0e, 0, 0,
	0, 7, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0x6f, 0x75, 0x74, 0x58, 2, 0, 0, 0x54, 1,
	0, 0, 0x24, 0xea, 0, 0, 0xff, 0x1f, 0, 0, 0x0f, 0, 0, 0, 0x3f, 0, 0, 0, 0x55, 0x44,
	0x33, 0x22, 0x11, 0, 0, 0, 0x2b, 0x50, 0xfe, 0, 0, 0, 0, 0};
static const uint8_t events_bytes[] = {
	0x4c, 0, 0, 0, 0x44, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0x21, 0, 0, 0, 0x55, 0x44, 0x33,
	0x22, 0x11, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
static const uint8_t release2_bytes[] = {
	0x4d, 0, 0, 0, 0x49, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0x21, 0, 0, 0, 0x55,
	0x44, 0x33, 0x22, 0x11, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
static const uint8_t hello6_bytes[] = {
	0x13, 0, 0, 0, 0x1b, 0, 0, 0, 6, 0, 0, 0, 4, 0, 0x63, 0x75, 0x62, 0x65, 0x2c, 1, 0, 0,
	0, 0, 0, 0, 1};
static const uint8_t detached_bytes[] = {
	0x14, 0, 0, 0, 0x0c, 0, 0, 0, 3, 0, 0, 0};
static const uint8_t disconnected_bytes[] = {
	0x15, 0, 0, 0, 8, 0, 0, 0};
static const uint8_t frame_rate_bytes[] = {
	0x16, 0, 0, 0, 0x0e, 0, 0, 0, 0xd9, 0xce, 0xbf, 0x41, 1, 1};
static const uint8_t generation_bytes[] = {
	0x17, 0, 0, 0, 0x0c, 0, 0, 0, 2, 1, 0, 0};
static const uint8_t activity_bytes[] = {
	0x18, 0, 0, 0, 0x0d, 0, 0, 0, 3, 0, 0, 0, 1};
static const uint8_t attached_bytes[] = {
	0x19, 0, 0, 0, 0x14, 0, 0, 0, 2, 0, 0, 0, 0x0c, 0, 0, 0, 3, 0, 0, 0};
static const uint8_t welcome6_bytes[] = {
	0x4e, 0, 0, 0, 0x93, 0, 0, 0, 6, 0, 0, 0, 0, 5, 0, 0, 0xd0, 2, 0, 0, 0x2b, 0x50, 0xfe,
	0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0,
	0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 0, 0, 0, 0xff, 0, 0, 0, 0x0f, 0, 0, 0, 0x0e, 0, 0,
	0, 7, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0x6f, 0x75, 0x74, 0x58, 2, 0, 0, 0x54, 1,
	0, 0, 0x24, 0xea, 0, 0, 0xff, 0x1f, 0, 0, 0x0f, 0, 0, 0, 0x3f, 0, 0, 0, 0x55, 0x44,
	0x33, 0x22, 0x11, 0, 0, 0, 0x2b, 0x50, 0xfe, 0, 0, 0, 0, 0, 0, 0, 0x81, 8, 0x20, 0, 0,
	0, 1, 0, 1, 1};
static const uint8_t configure2_bytes[] = {
	0x4f, 0, 0, 0, 0x3e, 0, 0, 0, 0x80, 2, 0, 0, 0xe0, 1, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 3,
	1, 0, 0, 0, 0, 0, 0, 0, 0, 0x81, 8, 3, 0, 0, 0, 0, 1, 0x2b, 0x50, 0xfe, 0, 0, 0, 0, 0,
	0x55, 0x44, 0x33, 0x22, 0x11, 0, 0, 0, 2, 1, 0, 0};
static const uint8_t detach_bytes[] = {
	0x50, 0, 0, 0, 0x14, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t attach_bytes[] = {
	0x51, 0, 0, 0, 0x58, 0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 1, 0, 0, 0xff,
	0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t free_bytes[] = {
	0x52, 0, 0, 0, 0x0e, 0, 0, 0, 2, 0, 0, 0, 1, 0};
/* clang-format on */

static const struct {
	struct kr_dp_message message;
	const uint8_t *bytes;
	size_t size;
	size_t fds;
} frozen[] = {
	{{.type = KR_DP_HELLO, .hello = {.version = 1, .label = "cube"}}, hello_bytes,
		sizeof(hello_bytes), 0},
	{{.type = KR_DP_BUFFER,
		 .buffer = {.slot = 3, .id = UINT64_C(0x0807060504030201), .handle = {-1, 2}}},
		buffer_bytes, sizeof(buffer_bytes), 1},
	{{.type = KR_DP_BUFFER_GONE, .buffer_gone = {.slot = 3}}, buffer_gone_bytes,
		sizeof(buffer_gone_bytes), 0},
	{{.type = KR_DP_FRAME, .frame = A_FRAME}, frame_bytes, sizeof(frame_bytes), 0},
	{{.type = KR_DP_WAITING}, waiting_bytes, sizeof(waiting_bytes), 0},
	{{.type = KR_DP_BYE}, bye_bytes, sizeof(bye_bytes), 0},
	{{.type = KR_DP_PING, .ping = {.serial = 9}}, ping_bytes, sizeof(ping_bytes), 0},
	{{.type = KR_DP_PRODUCER, .producer = {.device = "gpu"}}, producer_bytes,
		sizeof(producer_bytes), 0},
	{{.type = KR_DP_WELCOME, .welcome = A_WELCOME(1)}, welcome_bytes, sizeof(welcome_bytes), 0},
	{{.type = KR_DP_RELEASE, .release = {.slot = 2, .number = 7, .has_fence = true}},
		release_bytes, sizeof(release_bytes), 0},
	{{.type = KR_DP_ERROR, .error = {.code = 2, .text = "no"}}, error_bytes,
		sizeof(error_bytes), 0},
	{{.type = KR_DP_PONG, .pong = {.serial = 9}}, pong_bytes, sizeof(pong_bytes), 0},
	{{.type = KR_DP_HELLO2,
		 .hello2 = {.hello = {.version = 2, .label = "cube"}, .queued = 300}},
		hello2_bytes, sizeof(hello2_bytes), 0},
	{{.type = KR_DP_FRAME2, .frame2 = {.frame = A_FRAME, .no_pixels = true}}, frame2_bytes,
		sizeof(frame2_bytes), 0},
	{{.type = KR_DP_WELCOME2,
		 .welcome2 = {.welcome = A_WELCOME(2), .wants_from = 5, .wants_every = 2}},
		welcome2_bytes, sizeof(welcome2_bytes), 0},
	{{.type = KR_DP_WANTS, .wants = {.from = 258, .every = 1}}, wants_bytes,
		sizeof(wants_bytes), 0},
	{{.type = KR_DP_HELLO3,
		 .hello3 = {.hello2 = {.hello = {.version = 3, .label = "cube"}, .queued = 300},
			 .asks = true}},
		hello3_bytes, sizeof(hello3_bytes), 0},
	{{.type = KR_DP_FRAME3,
		 .frame3 = {.frame2 = {.frame = A_FRAME, .no_pixels = true},
			 .mode = 4,
			 .alpha = 2,
			 .scaling = 3,
			 .gravity_x = 1,
			 .gravity_y = 2,
			 .tell_shown = true,
			 .window_width = 640,
			 .window_height = 480}},
		frame3_bytes, sizeof(frame3_bytes), 0},
	{{.type = KR_DP_WATCH_VBLANK}, watch_vblank_bytes, sizeof(watch_vblank_bytes), 0},
	{{.type = KR_DP_CONFIGURED}, configured_bytes, sizeof(configured_bytes), 0},
	{{.type = KR_DP_WELCOME3,
		 .welcome3 =
			 {.welcome2 = {.welcome = A_WELCOME(3), .wants_from = 5, .wants_every = 2},
				 .tells_shown = true,
				 .modes = 0x7f,
				 .transforms = 0xff,
				 .alphas = 15,
				 .scalings = 14,
				 .gravities = 7,
				 .counters = 1,
				 .transform_hint = 4,
				 .name = "out",
				 .width_mm = 600,
				 .height_mm = 340,
				 .refresh_mhz = 59940}},
		welcome3_bytes, sizeof(welcome3_bytes), 0},
	{{.type = KR_DP_CONFIGURE, .configure = {.width = 640, .height = 480, .transform_hint = 4}},
		configure_bytes, sizeof(configure_bytes), 0},
	{{.type = KR_DP_SHOWN, .shown = {.number = 7, .time_ns = INT64_C(0x1122334455)}},
		shown_bytes, sizeof(shown_bytes), 0},
	{{.type = KR_DP_VBLANK, .vblank = {.count = 258, .time_ns = INT64_C(0x1122334455)}},
		vblank_bytes, sizeof(vblank_bytes), 0},
	{{.type = KR_DP_HELLO4,
		 .hello4.hello3 = {.hello2 = {.hello = {.version = 4, .label = "cube"},
					   .queued = 300},
			 .asks = true}},
		hello4_bytes, sizeof(hello4_bytes), 0},
	{{.type = KR_DP_GPU_MEMORY,
		 .gpu_memory = {.slot = 3, .memory = {1, 2, -2, [46] = 0x04030201}}},
		gpu_memory_bytes, sizeof(gpu_memory_bytes), 1},
	{{.type = KR_DP_WELCOME4,
		 .welcome4.welcome3 =
			 {.welcome2 = {.welcome = A_WELCOME(4), .wants_from = 5, .wants_every = 2},
				 .tells_shown = true,
				 .modes = 0x7f,
				 .transforms = 0xff,
				 .alphas = 15,
				 .scalings = 14,
				 .gravities = 7,
				 .counters = 1,
				 .transform_hint = 4,
				 .name = "out",
				 .width_mm = 600,
				 .height_mm = 340,
				 .refresh_mhz = 59940}},
		welcome4_bytes, sizeof(welcome4_bytes), 0},
	{{.type = KR_DP_HELLO5,
		 .hello5.hello4.hello3 = {.hello2 = {.hello = {.version = 5, .label = "cube"},
						  .queued = 300},
			 .asks = true}},
		hello5_bytes, sizeof(hello5_bytes), 0},
	{{.type = KR_DP_FRAME4,
		 .frame4 = {.frame3 = {.frame2 = {.frame = A_FRAME, .no_pixels = true},
				    .mode = 4,
				    .alpha = 2,
				    .scaling = 3,
				    .gravity_x = 1,
				    .gravity_y = 2,
				    .tell_shown = true,
				    .window_width = 640,
				    .window_height = 480},
			 .tell_events = true,
			 .target_kind = 2,
			 .target_nearest = true,
			 .target_ns = INT64_C(0x1122334455),
			 .hdr_has = 5,
			 .hdr = {-1, 2, [11] = 0x04030201}}},
		frame4_bytes, sizeof(frame4_bytes), 0},
	{{.type = KR_DP_WELCOME5,
		 .welcome5 = {.welcome4.welcome3 = {.welcome2 = {.welcome = A_WELCOME(5),
							    .wants_from = 5,
							    .wants_every = 2},
				      .tells_shown = true,
				      .modes = 0x7f,
				      .transforms = 0xff,
				      .alphas = 15,
				      .scalings = 14,
				      .gravities = 7,
				      .counters = 1,
				      .transform_hint = 4,
				      .name = "out",
				      .width_mm = 600,
				      .height_mm = 340,
				      .refresh_mhz = 59940},
			 .colours = 0x1fff,
			 .targets = 0x0f,
			 .events = 0x3f,
			 .phase_ns = INT64_C(0x1122334455),
			 .latency_ns = 16666667}},
		welcome5_bytes, sizeof(welcome5_bytes), 0},
	{{.type = KR_DP_EVENTS,
		 .events = {.number = 7,
			 .known = 0x21,
			 .latch_ns = INT64_C(0x1122334455),
			 .ready_ns = -1,
			 .first_composition_ns = -2,
			 .last_composition_ns = 3,
			 .gpu_done_ns = 4,
			 .shown_ns = -1}},
		events_bytes, sizeof(events_bytes), 0},
	{{.type = KR_DP_RELEASE2,
		 .release2 = {.release = {.slot = 2, .number = 7, .has_fence = true},
			 .known = 0x21,
			 .latch_ns = INT64_C(0x1122334455),
			 .ready_ns = -1,
			 .first_composition_ns = -2,
			 .last_composition_ns = 3,
			 .gpu_done_ns = 4,
			 .shown_ns = -1}},
		release2_bytes, sizeof(release2_bytes), 0},
	{{.type = KR_DP_HELLO6,
		 .hello6.hello5.hello4.hello3 =
			 {.hello2 = {.hello = {.version = 6, .label = "cube"}, .queued = 300},
				 .asks = true}},
		hello6_bytes, sizeof(hello6_bytes), 0},
	{{.type = KR_DP_DETACHED, .detached = {.slot = 3}}, detached_bytes, sizeof(detached_bytes),
		0},
	{{.type = KR_DP_DISCONNECTED}, disconnected_bytes, sizeof(disconnected_bytes), 0},
	{{.type = KR_DP_FRAME_RATE,
		 .frame_rate = {.rate = {0x41bfced9}, .compatibility = 1, .strategy = 1}},
		frame_rate_bytes, sizeof(frame_rate_bytes), 0},
	{{.type = KR_DP_GENERATION, .generation = {.number = 258}}, generation_bytes,
		sizeof(generation_bytes), 0},
	{{.type = KR_DP_ACTIVITY, .activity = {.slot = 3, .cancelled = true}}, activity_bytes,
		sizeof(activity_bytes), 0},
	{{.type = KR_DP_ATTACHED, .attached = {.serial = 2, .error = 12, .slot = 3}},
		attached_bytes, sizeof(attached_bytes), 0},
	{{.type = KR_DP_WELCOME6,
		 .welcome6 =
			 {.welcome5 = {.welcome4.welcome3 = {.welcome2 = {.welcome = A_WELCOME(6),
								     .wants_from = 5,
								     .wants_every = 2},
					       .tells_shown = true,
					       .modes = 0x7f,
					       .transforms = 0xff,
					       .alphas = 15,
					       .scalings = 14,
					       .gravities = 7,
					       .counters = 1,
					       .transform_hint = 4,
					       .name = "out",
					       .width_mm = 600,
					       .height_mm = 340,
					       .refresh_mhz = 59940},
				  .colours = 0x1fff,
				  .targets = 0x0f,
				  .events = 0x3f,
				  .phase_ns = INT64_C(0x1122334455),
				  .latency_ns = 16666667},
				 .dataspace = 0x08810000,
				 .max_buffers = 32,
				 .by_app = true,
				 .hears_rates = true,
				 .hears_activity = true}},
		welcome6_bytes, sizeof(welcome6_bytes), 0},
	{{.type = KR_DP_CONFIGURE2,
		 .configure2 = {.configure = {.width = 640, .height = 480, .transform_hint = 4},
			 .format = 5,
			 .consumer_usage = 259,
			 .dataspace = 0x08810000,
			 .max_acquired = 3,
			 .hears_activity = true,
			 .refresh_ns = 16666667,
			 .phase_ns = INT64_C(0x1122334455),
			 .discards = 258}},
		configure2_bytes, sizeof(configure2_bytes), 0},
	{{.type = KR_DP_DETACH, .detach = {.slot = 2, .number = 7}}, detach_bytes,
		sizeof(detach_bytes), 0},
	{{.type = KR_DP_ATTACH,
		 .attach = {.serial = 2,
			 .id = UINT64_C(0x0807060504030201),
			 .generation = 258,
			 .handle = {-1, 2}}},
		attach_bytes, sizeof(attach_bytes), 1},
	{{.type = KR_DP_FREE, .free = {.serial = 2, .has_fence = true}}, free_bytes,
		sizeof(free_bytes), 0},
};

static void
messages_are_written_as_ever(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(frozen); i++) {
		uint8_t bytes[KR_DP_MAX_SIZE];

		assert_int_equal(kr_dp_encode(&frozen[i].message, bytes), frozen[i].size);
		assert_memory_equal(bytes, frozen[i].bytes, frozen[i].size);
	}
}

/* Read, and written again. */
static void
messages_are_read_as_ever(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(frozen); i++) {
		uint8_t bytes[KR_DP_MAX_SIZE];
		struct kr_dp_message read;

		assert_int_equal(
			kr_dp_decode(frozen[i].bytes, frozen[i].size, frozen[i].fds, &read), 0);
		assert_int_equal(read.type, frozen[i].message.type);
		assert_int_equal(kr_dp_encode(&read, bytes), frozen[i].size);
		assert_memory_equal(bytes, frozen[i].bytes, frozen[i].size);
	}
}

/* Every number that there is has its bytes here. */
static void
no_message_is_left_out(void **state)
{
	for (uint32_t number = 0; number < 256; number++) {
		bool known = strcmp(kr_dp_name((enum kr_dp_type)number), "unknown");
		bool here = false;

		for (size_t i = 0; i < KR_ARRAY_LEN(frozen); i++)
			here |= frozen[i].bytes[0] == number;
		assert_int_equal(known, here);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(messages_are_written_as_ever),
	KR_TEST(messages_are_read_as_ever),
	KR_TEST(no_message_is_left_out),
};

KR_TEST_MAIN(tests)
