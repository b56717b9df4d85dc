/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lab/camera.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

#define MAX_DEVICES 16
#define FRAME_MS    10000

#define CALL(camera, request, argument)                                                            \
	assert_int_equal(ioctl((camera)->device, (request), (argument)), 0)

static int
open_device(void)
{
	for (int i = 0; i < MAX_DEVICES; i++) {
		struct v4l2_capability is;
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/video%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !ioctl(fd, VIDIOC_QUERYCAP, &is) &&
			!strcmp((const char *)is.driver, "vivid") &&
			(is.device_caps & V4L2_CAP_VIDEO_CAPTURE))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	fail_msg("no /dev/video* is a camera of vivid");
	return -1;
}

static void
choose_format(struct camera *camera, uint32_t fourcc)
{
	struct v4l2_format format = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.fmt.pix =
			{
				.width = camera->width,
				.height = camera->height,
				.pixelformat = fourcc,
				.field = V4L2_FIELD_NONE,
			},
	};

	CALL(camera, VIDIOC_S_FMT, &format);
	assert_int_equal(format.fmt.pix.pixelformat, fourcc);
	camera->width = format.fmt.pix.width;
	camera->height = format.fmt.pix.height;
	camera->pitch = format.fmt.pix.bytesperline;
	camera->size = format.fmt.pix.sizeimage;
}

static void
take_memory(struct camera *camera, struct v4l2_buffer *buffer)
{
	struct v4l2_requestbuffers request = {
		.count = 2,
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	struct v4l2_exportbuffer out = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.flags = O_RDWR | O_CLOEXEC,
	};

	CALL(camera, VIDIOC_REQBUFS, &request);
	*buffer = (struct v4l2_buffer){
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	CALL(camera, VIDIOC_QUERYBUF, buffer);
	camera->mapped = buffer->length;
	camera->pixels = mmap(NULL, buffer->length, PROT_READ, MAP_SHARED, camera->device,
		(off_t)buffer->m.offset);
	assert_ptr_not_equal(camera->pixels, MAP_FAILED);
	CALL(camera, VIDIOC_EXPBUF, &out);
	camera->dma_buf = out.fd;
}

void
camera_open(struct camera *camera, uint32_t fourcc, uint32_t width, uint32_t height)
{
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	struct v4l2_buffer buffer;
	struct pollfd ready;

	*camera = (struct camera){.device = open_device(), .width = width, .height = height};
	choose_format(camera, fourcc);
	take_memory(camera, &buffer);
	CALL(camera, VIDIOC_QBUF, &buffer);
	CALL(camera, VIDIOC_STREAMON, &type);
	ready = (struct pollfd){.fd = camera->device, .events = POLLIN};
	assert_int_equal(poll(&ready, 1, FRAME_MS), 1);
	CALL(camera, VIDIOC_DQBUF, &buffer);
	assert_int_equal(buffer.index, 0);
	assert_false(buffer.flags & V4L2_BUF_FLAG_ERROR);
}

void
camera_close(struct camera *camera)
{
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;

	CALL(camera, VIDIOC_STREAMOFF, &type);
	munmap(camera->pixels, camera->mapped);
	close(camera->dma_buf);
	close(camera->device);
}
