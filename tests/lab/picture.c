/* SPDX-License-Identifier: Apache-2.0 */
/* See picture.h. */
#include "picture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <zlib.h>

#include "harness.h"

#define FIRST_LINE 2 /* after the console's and the results' */
#define LINES      32
#define MAX_LATE   240

/* The third serial line is the one with a port behind it that isn't one of the first two. */
static int
open_line(void)
{
	struct termios raw;

	for (int i = FIRST_LINE; i < LINES; i++) {
		char path[64], type[16] = "";
		int fd;

		snprintf(path, sizeof(path), "/sys/class/tty/ttyS%d/type", i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		assert_true(read(fd, type, sizeof(type) - 1) > 0);
		close(fd);
		if (!atoi(type))
			continue;
		snprintf(path, sizeof(path), "/dev/ttyS%d", i);
		fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(tcgetattr(fd, &raw), 0);
		cfmakeraw(&raw);
		assert_int_equal(tcsetattr(fd, TCSANOW, &raw), 0);
		tcflush(fd, TCIFLUSH);
		return fd;
	}
	fail_msg("the machine has no third serial line");
	return -1;
}

static void
read_all(int fd, void *data, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t n = read(fd, (char *)data + at, size - at);

		assert_true(n > 0);
		at += (size_t)n;
	}
}

static size_t
read_size(int fd)
{
	char line[128];
	size_t at = 0;

	do {
		read_all(fd, &line[at], 1);
	} while (line[at] != '\n' && ++at < sizeof(line) - 1);
	line[at] = '\0';
	if (!strncmp(line, "error", 5))
		fail_msg("QEMU takes no picture of the screen: %s", line);
	return strtoul(line, NULL, 10);
}

struct shot
shot_of_virtio(void)
{
	int fd = open_line(), used = 0;
	struct shot shot = {0};
	size_t packed_size;
	uLongf size = 64 << 20;
	uint8_t *packed, *plain = malloc(size);

	assert_int_equal(write(fd, "screenshot\n", 11), 11);
	packed_size = read_size(fd);
	packed = malloc(packed_size);
	assert_non_null(packed);
	read_all(fd, packed, packed_size);
	close(fd);
	assert_int_equal(uncompress(plain, &size, packed, packed_size), Z_OK);
	free(packed);
	assert_int_equal(
		sscanf((char *)plain, "P6 %u %u 255%n", &shot.width, &shot.height, &used), 2);
	assert_true(size >= (size_t)used + 1 + (size_t)shot.width * shot.height * 3);
	shot.pixels = malloc((size_t)shot.width * shot.height * 4);
	for (size_t i = 0; i < (size_t)shot.width * shot.height; i++) {
		const uint8_t *from = plain + used + 1 + i * 3;

		shot.pixels[i] = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
	}
	free(plain);
	return shot;
}

void
shot_free(struct shot *shot)
{
	free(shot->pixels);
	shot->pixels = NULL;
}

static void
crc_path(char *path, size_t size, int card, const char *name)
{
	snprintf(path, size, "/sys/kernel/debug/dri/%d/crtc-0/crc/%s", card, name);
}

int
crc_open(int card)
{
	char path[96];
	int fd;

	crc_path(path, sizeof(path), card, "control");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(fd, "auto", 4), 4);
	close(fd);
	crc_path(path, sizeof(path), card, "data");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* A line "0xFRAME 0xCRC". */
bool
crc_take(int crc, uint32_t *value)
{
	char line[64];
	unsigned frame;
	ssize_t n = read(crc, line, sizeof(line) - 1);

	line[n > 0 ? n : 0] = '\0';
	return sscanf(line, "%x %x", &frame, value) == 2;
}

static uint32_t
crc_read(int crc)
{
	uint32_t value;

	assert_true(crc_take(crc, &value));
	return value;
}

/* What has gathered is old. */
static void
crc_drop(int crc)
{
	char line[64];

	assert_int_equal(fcntl(crc, F_SETFL, O_NONBLOCK), 0);
	while (read(crc, line, sizeof(line)) > 0)
		continue;
	assert_int_equal(fcntl(crc, F_SETFL, 0), 0);
}

uint32_t
crc_next(int crc)
{
	crc_drop(crc);
	return crc_read(crc);
}

bool
crc_becomes(int crc, uint32_t wanted)
{
	crc_drop(crc);
	for (int i = 0; i < MAX_LATE; i++) {
		if (crc_read(crc) == wanted)
			return true;
	}
	return false;
}

void
crc_close(int card, int crc)
{
	close(crc);
}

/* CRC-32 as the kernel's crc32_le has it: no inversion before or after. */
static uint32_t
crc_more(uint32_t crc, const void *data, size_t size)
{
	return ~(uint32_t)crc32(~crc, data, (uInt)size);
}

uint32_t
crc_of(const uint16_t (*pixels)[3], uint32_t width, uint32_t height)
{
	uint16_t *row = malloc((size_t)width * 8);
	uint32_t crc = 0;

	assert_non_null(row);
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			row[x * 4] = 0xffff; /* alpha */
			memcpy(&row[x * 4 + 1], pixels[(size_t)y * width + x], 6);
		}
		crc = crc_more(crc, row, (size_t)width * 8);
	}
	free(row);
	return crc;
}
