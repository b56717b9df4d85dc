/* SPDX-License-Identifier: Apache-2.0 */
/* Which descriptions of buffers are well formed, and which memory of CPUs can be. */
#include <errno.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/format.h"

#define USAGE(bit) ((uint64_t)(AHARDWAREBUFFER_USAGE_##bit))

#define CPU_USAGE (USAGE(CPU_READ_MASK) | USAGE(CPU_WRITE_MASK))

/* What the bytes of a BLOB can't be. */
#define NOT_OF_BLOBS                                                                               \
	(USAGE(GPU_SAMPLED_IMAGE) | USAGE(GPU_FRAMEBUFFER) | USAGE(GPU_MIPMAP_COMPLETE) |          \
		USAGE(GPU_CUBE_MAP) | USAGE(VIDEO_ENCODE))

/*
 * What memory from here can't be used for is refused, not approximated. Bits that mean nothing here
 * (28 to 31, 32 and up: vendors', drivers' and newer platforms') are between who set them and who
 * reads them out of the handle, and change nothing (W-13).
 */
static const struct {
	uint64_t usage;
	const char *why;
} refused[] = {
	{USAGE(PROTECTED_CONTENT), "memory of CPUs can't be protected"},
	{USAGE(VIDEO_ENCODE), "there is no video encoder"},
	{USAGE(SENSOR_DIRECT_DATA), "there are no sensors"},
	{USAGE(GPU_MIPMAP_COMPLETE), "images with several levels are of GPUs alone"},
};

static bool
has_good_cpu_usage(uint64_t usage)
{
	uint64_t read = usage & USAGE(CPU_READ_MASK), write = usage & USAGE(CPU_WRITE_MASK);

	return (!read || read == USAGE(CPU_READ_RARELY) || read == USAGE(CPU_READ_OFTEN)) &&
		(!write || write == USAGE(CPU_WRITE_RARELY) || write == USAGE(CPU_WRITE_OFTEN));
}

static bool
is_good_blob(const struct kr_buffer_desc *desc)
{
	return desc->height == 1 && desc->layers == 1 && !(desc->usage & NOT_OF_BLOBS);
}

int
kr_buffer_check_form(const struct kr_buffer_desc *desc)
{
	bool blob = desc->format == AHARDWAREBUFFER_FORMAT_BLOB;
	bool planar = kr_format_is_planar(desc->format);

	if (!desc->width || !desc->height || !desc->layers || !has_good_cpu_usage(desc->usage))
		return -EINVAL;
	if ((desc->usage & USAGE(PROTECTED_CONTENT)) && (desc->usage & CPU_USAGE))
		return -EINVAL;
	if (blob ? !is_good_blob(desc) : (desc->usage & USAGE(SENSOR_DIRECT_DATA)) != 0)
		return -EINVAL;
	if (planar &&
		(desc->layers != 1 ||
			desc->usage & (USAGE(GPU_MIPMAP_COMPLETE) | USAGE(GPU_CUBE_MAP))))
		return -EINVAL;
	if ((desc->usage & USAGE(GPU_CUBE_MAP)) &&
		(desc->width != desc->height || desc->layers % 6))
		return -EINVAL;
	return 0;
}

/* Why nothing but a program's own code makes something of it in memory of CPUs; NULL: others do. */
static const char *
why_no_picture(const struct kr_buffer_desc *desc)
{
	if (desc->usage & USAGE(GPU_CUBE_MAP))
		return "cube maps are images of GPUs alone, unless processors are to reach them";
	if (kr_format_is_depth(desc->format))
		return "depth and stencil are images of GPUs alone, unless processors are to reach them";
	if (desc->layers != 1)
		return "images with several layers are of GPUs alone, unless processors are to reach them";
	return NULL;
}

/* `shared`: of buffers that aren't windows'. NULL: memory of CPUs can be it. */
static const char *
find_reason(const struct kr_buffer_desc *desc, bool shared)
{
	const char *no_picture = why_no_picture(desc);
	bool for_programs = shared && (desc->usage & CPU_USAGE);
	uint32_t row_bytes;
	uint64_t size;

	for (size_t i = 0; i < KR_ARRAY_LEN(refused); i++) {
		if (desc->usage & refused[i].usage)
			return refused[i].why;
	}
	if (no_picture && !for_programs)
		return no_picture;
	if (!kr_format_pixel_bytes(desc->format))
		return "an unknown format";
	if ((desc->usage & USAGE(GPU_DATA_BUFFER)) && desc->format != AHARDWAREBUFFER_FORMAT_BLOB)
		return "data of a GPU is a BLOB";
	if ((desc->usage & USAGE(COMPOSER_OVERLAY)) &&
		(no_picture || !kr_format_is_shown(desc->format)))
		return "no composer here shows that";
	return kr_format_lay_out(desc, &row_bytes, &size) ? "it is too large" : NULL;
}

const char *
kr_buffer_why_not(const struct kr_buffer_desc *desc)
{
	return kr_buffer_check_form(desc) ? "it is malformed" : find_reason(desc, true);
}

int
kr_buffer_check(const struct kr_buffer_desc *desc)
{
	if (kr_buffer_check_form(desc))
		return -EINVAL;
	return find_reason(desc, false) ? -EOPNOTSUPP : 0;
}

int
kr_buffer_check_shared(const struct kr_buffer_desc *desc)
{
	if (kr_buffer_check_form(desc))
		return -EINVAL;
	return find_reason(desc, true) ? -EOPNOTSUPP : 0;
}

KR_PRIVATE bool
kr_buffer_is_of_cpus_alone(const struct kr_buffer_info *info)
{
	return info->backend != KR_BUFFER_GPU && why_no_picture(&info->desc);
}

int
kr_buffer_check_shown(const struct kr_buffer_desc *desc)
{
	int err = kr_buffer_check(desc);

	return err || kr_format_is_shown(desc->format) ? err : -EOPNOTSUPP;
}
