/* SPDX-License-Identifier: Apache-2.0 */
/* What cards really show, seen from outside of the program that draws. */
#ifndef KR_LAB_PICTURE_H
#define KR_LAB_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pixels 0x00RRGGBB, rows without gaps; freed by shot_free. */
struct shot {
	uint32_t width, height;
	uint32_t *pixels;
};

/* The screen of virtio-gpu, as QEMU has it. */
struct shot shot_of_virtio(void);
void shot_free(struct shot *shot);

/*
 * The checksums that vkms computes of what its planes make together, frame by frame. Opened before
 * the frames that are looked at; `card` is the number of /dev/dri/cardN.
 */
int crc_open(int card);
/* That of the next frame. The work behind a vertical blank is some frames late in the lab. */
uint32_t crc_next(int crc);
/* Whether one of the next frames has this checksum. */
bool crc_becomes(int crc, uint32_t wanted);
/* The next that there is, if there is one. */
bool crc_take(int crc, uint32_t *value);
void crc_close(int card, int crc);
/* What vkms would say of this picture: red, green, blue of 16 bits each. */
uint32_t crc_of(const uint16_t (*pixels)[3], uint32_t width, uint32_t height);

#endif
