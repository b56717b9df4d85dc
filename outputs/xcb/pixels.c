/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slot's buffer on the server's side. B8G8R8A8 buffers are attached as they are; other formats
 * are converted into a memory of ours that is attached instead. A server that can't map memory of
 * this machine (TCP, a sandbox) is sent the pixels.
 */
#include "outputs/xcb/x_window.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "outputs/alpha.h"
#include "outputs/log.h"
#include "gralloc/pixels.h"
#include "util/fd.h"

/* Coordinates are signed 16 bit numbers. */
#define X_MAX_EXTENT 32767

int
x_pixels_map(struct x_pixels *pixels)
{
	void *map;

	if (pixels->source)
		return 0;
	map = mmap(NULL, pixels->info.size, PROT_READ, MAP_SHARED, pixels->info.fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	pixels->source = map;
	return 0;
}

/* Memory for the converted pixels; *fd is the caller's to close. */
static int
make_converted(struct x_pixels *pixels, int *fd)
{
	void *map;
	int memory, ret = kr_memfd_create("krafla-x-pixels", pixels->size, &memory);

	if (ret)
		return ret;
	map = mmap(NULL, pixels->size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (map == MAP_FAILED)
		goto err_close;
	pixels->converted = map;
	*fd = memory;
	return 0;

err_close:
	ret = -errno;
	kr_fd_close(&memory);
	return ret;
}

/* Lets the server map the memory. 0; -EPIPE; another -errno: then pixels have to be sent. */
static int
attach(struct x_window *x, struct x_pixels *pixels, int fd)
{
	xcb_shm_seg_t segment;
	int passed, ret;

	if (xcb_connection_has_error(x->connection))
		return -EPIPE;
	if (!x->shm)
		return -EOPNOTSUPP;
	ret = kr_fd_dup(fd, &passed);
	if (ret)
		return ret;
	segment = xcb_generate_id(x->connection);
	/* Writable: a read-only segment makes no pixmap. xcb closes the descriptor. */
	ret = x_check(x->connection, xcb_shm_attach_fd_checked(x->connection, segment, passed, 0));
	if (ret == 0) {
		pixels->segment = segment;
		return 0;
	}
	x_close_unsent(x->connection, passed, fd);
	if (ret < 0)
		return -EPIPE;
	output_log(x->host, KR_LOG_INFO, "X output: the server doesn't map our memory (error %d)",
		ret);
	x->shm = false;
	return -EACCES;
}

static int
init_converted(struct x_window *x, struct x_pixels *pixels)
{
	int fd = -1, ret;

	ret = make_converted(pixels, &fd);
	if (ret)
		return ret;
	ret = attach(x, pixels, fd);
	kr_fd_close(&fd);
	return ret == -EPIPE ? ret : x_pixels_map(pixels);
}

int
x_pixels_init_picture(struct x_window *x, struct x_pixels *pixels, uint32_t width, uint32_t height)
{
	int fd = -1, ret;

	*pixels = (struct x_pixels){.used = true};
	pixels->info.fd = -1;
	pixels->info.desc.width = width;
	pixels->info.desc.height = height;
	pixels->info.desc.format = AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM;
	if (width > X_MAX_EXTENT || height > X_MAX_EXTENT)
		ret = -EOPNOTSUPP;
	else
		ret = kr_format_layout(AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, width, height,
			&pixels->row_bytes, &pixels->size);
	if (!ret)
		ret = make_converted(pixels, &fd);
	if (!ret && attach(x, pixels, fd) == -EPIPE)
		ret = -EPIPE;
	kr_fd_close(&fd);
	if (ret)
		x_pixels_finish(x, pixels);
	return ret;
}

int
x_pixels_init(struct x_window *x, struct x_pixels *pixels, const struct kr_buffer_info *info)
{
	uint64_t size;
	int ret;

	*pixels = (struct x_pixels){.used = true, .info = *info};
	if (!kr_pixels_to_xrgb(info->desc.format) || info->desc.width > X_MAX_EXTENT ||
		info->desc.height > X_MAX_EXTENT)
		return -EOPNOTSUPP;
	if (info->desc.format == AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM) {
		pixels->row_bytes = info->row_bytes;
		pixels->size = info->size;
		ret = attach(x, pixels, info->fd);
		if (ret && ret != -EPIPE)
			ret = x_pixels_map(pixels);
	} else {
		ret = kr_format_layout(AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, info->desc.width,
			info->desc.height, &pixels->row_bytes, &size);
		pixels->size = size;
		if (!ret)
			ret = init_converted(x, pixels);
	}
	if (ret)
		x_pixels_finish(x, pixels);
	return ret;
}

void
x_pixels_finish(struct x_window *x, struct x_pixels *pixels)
{
	if (pixels->shared)
		xcb_free_pixmap(x->connection, pixels->shared);
	if (pixels->copy)
		xcb_free_pixmap(x->connection, pixels->copy);
	/* A present that is queued survives this. */
	if (pixels->segment)
		xcb_shm_detach(x->connection, pixels->segment);
	if (pixels->source)
		munmap((void *)(uintptr_t)pixels->source, pixels->info.size);
	if (pixels->converted)
		munmap(pixels->converted, pixels->size);
	if (pixels->picture)
		x_pixels_finish(x, pixels->picture);
	free(pixels->picture);
	*pixels = (struct x_pixels){0};
}

void
x_pixels_update(struct x_window *x, struct x_pixels *pixels)
{
	kr_pixels_row_fn convert = kr_pixels_to_xrgb(pixels->info.desc.format);

	if (!pixels->converted)
		return;
	for (uint32_t y = 0; y < pixels->info.desc.height; y++) {
		const void *from =
			(const char *)pixels->source + (size_t)y * pixels->info.row_bytes;
		void *to = (char *)pixels->converted + (size_t)y * pixels->row_bytes;

		convert(from, to, pixels->info.desc.width);
		/* Of other windows nobody sees it. */
		if (x->depth == 32)
			output_copy_alpha(
				pixels->info.desc.format, from, to, pixels->info.desc.width);
	}
}
