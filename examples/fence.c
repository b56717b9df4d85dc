/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences between two processes: a renderer that draws three frames, and a viewer that
 * looks at them.
 *
 *   cc fence.c -o fence $(pkg-config --cflags --libs krafla)
 *   ./fence                                 two frames are shown, the third one fails
 *   ./fence 'timeline:late,delay=500ms'     the same with fences that are late: see krafla/fault.h
 *   krafla fences                           in another terminal, meanwhile: which fences are open
 *
 * The renderer hands out each buffer together with a fence before it has drawn anything. The
 * viewer gets both over a socket, and may do with them whatever needs no pixels; it reads a
 * buffer once its fence has signalled, and leaves it alone when the fence has failed. Neither
 * asks the other anything.
 */
#include <errno.h>
#include <inttypes.h>
#include <krafla/fault.h>
#include <krafla/hardware_buffer.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	FRAMES = 3,
	SIZE = 64,
};

static void
check(const char *what, int result)
{
	if (result >= 0)
		return;
	/* sync_* tell by errno, all others by what they return. */
	fprintf(stderr, "fence: %s: %s\n", what, strerror(result == -1 ? errno : -result));
	exit(1);
}

/* A fence is a descriptor: it travels as every descriptor does. The sender keeps its own. */
static void
send_fence(int socket, int fence)
{
	char byte = 0;
	struct iovec iov = {&byte, 1};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fence, sizeof(int));
	check("sending a fence", sendmsg(socket, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0);
}

static int
receive_fence(int socket)
{
	char byte;
	int fence = -ENOMSG;
	struct iovec iov = {&byte, 1};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	ssize_t got = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	struct cmsghdr *cmsg = got == 1 ? CMSG_FIRSTHDR(&msg) : NULL;

	if (cmsg && cmsg->cmsg_type == SCM_RIGHTS && cmsg->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fence, CMSG_DATA(cmsg), sizeof(int));
	check("receiving a fence", fence);
	return fence;
}

/* Its name, the timelines whose points it waits for, and how it is. Returns the status. */
static int
print_fence(int fence)
{
	struct sync_file_info *info = sync_file_info(fence);
	int status;

	check("asking a fence", info ? 0 : -1);
	status = info->status;
	printf("viewer: %s (", info->name);
	for (uint32_t i = 0; i < info->num_fences; i++)
		printf("%s%s", i ? ", " : "", sync_get_fence_info(info)[i].obj_name);
	if (status < 0)
		printf(") has failed: %s\n", strerror(-status));
	else
		printf(") %s\n", status ? "has signalled" : "is active");
	sync_file_info_free(info);
	return status;
}

/* Reads a pixel of each frame that was drawn. */
static void
view(int socket)
{
	AHardwareBuffer *buffers[FRAMES];
	int fences[FRAMES], all = -1;

	for (int i = 0; i < FRAMES; i++) {
		int before = all;

		check("receiving a buffer",
			AHardwareBuffer_recvHandleFromUnixSocket(socket, &buffers[i]));
		fences[i] = receive_fence(socket);
		/*
		 * One fence that has ended when all have. With itself a fence is given a new name.
		 */
		all = sync_merge("all frames", before < 0 ? fences[i] : before, fences[i]);
		check("merging", all);
		if (before >= 0)
			close(before);
	}
	for (int i = 0; i < FRAMES; i++) {
		uint32_t *pixels;

		check("waiting", sync_wait(fences[i], 5000));
		/* A wait ends when the fence has ended. How it has ended is its status. */
		if (print_fence(fences[i]) == 1) {
			/* -1: nothing more to wait for. fences[i] would do, and would be taken. */
			check("mapping",
				AHardwareBuffer_lock(buffers[i],
					AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL,
					(void **)&pixels));
			printf("viewer: its first pixel is %08" PRIx32 "\n", pixels[0]);
			check("unmapping", AHardwareBuffer_unlock(buffers[i], NULL));
		}
		close(fences[i]);
		AHardwareBuffer_release(buffers[i]);
	}
	check("waiting", sync_wait(all, 5000));
	print_fence(all);
	close(all);
}

/* How the timeline's values read in tools: a driver says it in its own words. */
static void
job_text(void *data, uint64_t value, char *out, size_t room)
{
	snprintf(out, room, "job %" PRIu64, value);
}

static void
draw(AHardwareBuffer *buffer, uint32_t colour)
{
	AHardwareBuffer_Desc desc;
	uint32_t *pixels;

	AHardwareBuffer_describe(buffer, &desc);
	check("mapping",
		AHardwareBuffer_lock(
			buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, (void **)&pixels));
	for (uint32_t i = 0; i < desc.stride * desc.height; i++)
		pixels[i] = colour;
	check("unmapping", AHardwareBuffer_unlock(buffer, NULL));
}

/* Promises all frames, then draws them; the last one goes wrong. */
static void
render(int socket)
{
	const struct krafla_timeline_ops ops = {.size = sizeof(ops), .value_text = job_text};
	const AHardwareBuffer_Desc desc = {
		.width = SIZE,
		.height = SIZE,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
	};
	struct krafla_timeline *timeline;
	AHardwareBuffer *buffers[FRAMES];
	uint64_t jobs[FRAMES];
	char text[32];

	check("a timeline", krafla_timeline_create("renderer", &ops, NULL, &timeline));
	for (int i = 0; i < FRAMES; i++) {
		int fence;

		check("a buffer", AHardwareBuffer_allocate(&desc, &buffers[i]));
		snprintf(text, sizeof(text), "frame:%d", i);
		check("a fence", krafla_timeline_submit(timeline, text, &jobs[i], &fence));
		check("sending a buffer",
			AHardwareBuffer_sendHandleToUnixSocket(buffers[i], socket));
		send_fence(socket, fence);
		close(fence); /* The viewer has its own. */
	}
	for (int i = 0; i < FRAMES; i++) {
		usleep(50000); /* what a GPU would need */
		if (i == FRAMES - 1) {
			check("failing", krafla_timeline_fail(timeline, jobs[i], -EIO));
		} else {
			draw(buffers[i], 0xff0000ff + (uint32_t)i * 0x00ff0000);
			check("signalling", krafla_timeline_signal(timeline, jobs[i]));
		}
		AHardwareBuffer_release(buffers[i]);
	}
	krafla_timeline_value_text(timeline, text, sizeof(text));
	fprintf(stderr, "renderer: timeline '%s' has reached %s\n", krafla_timeline_name(timeline),
		text);
	krafla_timeline_destroy(timeline);
}

int
main(int argc, char **argv)
{
	int pair[2], status;
	pid_t viewer;

	if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
		fprintf(stderr, "usage: fence [FAULT]    such as timeline:late,delay=500ms\n");
		return 2;
	}
	if (argc == 2)
		check(argv[1], krafla_fault_set_text(argv[1]));
	check("a pair of sockets",
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ? -errno : 0);
	viewer = fork();
	check("a process", viewer < 0 ? -errno : 0);
	if (!viewer) {
		close(pair[0]);
		view(pair[1]);
		check("writing", fflush(stdout) ? -errno : 0);
		return 0;
	}
	close(pair[1]);
	render(pair[0]);
	close(pair[0]);
	/* A fence held back by a fault is let go by the end of the process that made it. */
	if (waitpid(viewer, &status, 0) < 0 || status)
		return 1;
	for (int site = 0; site < KRAFLA_FAULT_SITES; site++) {
		uint64_t count = krafla_fault_count((enum krafla_fault_site)site);

		if (count)
			fprintf(stderr, "renderer: %" PRIu64 " fences misbehaved at %s\n", count,
				krafla_fault_site_name((enum krafla_fault_site)site));
	}
	return 0;
}
