/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/choose.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "util/env.h"

#define MOST_DIGITS 4 /* of a place in a list; more are a part of a name or of a UUID */

static bool
is_place(const char *word, uint32_t *place)
{
	size_t digits = strspn(word, "0123456789");

	*place = 0;
	if (!digits || word[digits] || digits > MOST_DIGITS)
		return false;
	for (; *word; word++)
		*place = *place * 10 + (uint32_t)(*word - '0');
	return true;
}

/* As vulkaninfo writes it, with dashes, or without. */
static bool
is_uuid(const char *word, const uint8_t uuid[KR_GPU_UUID_SIZE])
{
	char text[2 * KR_GPU_UUID_SIZE + 1];
	size_t n = 0;

	for (size_t i = 0; i < KR_GPU_UUID_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", uuid[i]);
	for (; *word; word++) {
		if (*word == '-')
			continue;
		if (n == sizeof(text) - 1 || tolower((unsigned char)*word) != text[n++])
			return false;
	}
	return n == sizeof(text) - 1;
}

bool
kr_gpu_is_named(const char *word, const char *name, const uint8_t device_uuid[KR_GPU_UUID_SIZE],
	uint32_t index)
{
	uint32_t place;

	if (is_place(word, &place))
		return place == index;
	return is_uuid(word, device_uuid) || strcasestr(name, word);
}

int
kr_gpu_rank(const VkPhysicalDeviceProperties *properties,
	const uint8_t device_uuid[KR_GPU_UUID_SIZE], uint32_t index)
{
	const char *word = kr_env_get("KRAFLA_GPU");

	if (word && !kr_gpu_is_named(word, properties->deviceName, device_uuid, index))
		return 0;
	switch (properties->deviceType) {
	case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
		return 5;
	case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
		return 4;
	case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
		return 3;
	case VK_PHYSICAL_DEVICE_TYPE_CPU:
		return 1;
	default:
		return 2;
	}
}
