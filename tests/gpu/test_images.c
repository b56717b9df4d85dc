/* SPDX-License-Identifier: Apache-2.0 */
/* Images of a driver's memory that go from one device, or process, to another. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRIVER (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

/* W-11: what one image holds is what another image, of the descriptor, shows. */
static void
imported_image_shows_what_was_exported(void **state)
{
	static const uint32_t sizes[][2] = {{1, 1}, {33, 17}, {64, 64}, {640, 360}};
	struct rig rig;

	rig_open(&rig);
	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++) {
		const struct kr_gpu_memory wanted = rig_wanted(sizes[i][0], sizes[i][1]);
		struct kr_gpu_image ours, theirs;
		const char *reason = NULL;
		int fd;

		rig_export(&rig, &wanted, &ours, &fd);
		assert_int_equal(kr_gpu_memory_check(&rig.gpu, &ours.description, fd, &reason), 0);
		assert_int_equal(
			kr_gpu_image_import(&rig.gpu, &ours.description, fd, &theirs, &reason),
			VK_SUCCESS);
		assert_null(reason);
		rig_fill(&rig, &ours, 7);
		assert_true(rig_shows(&rig, &theirs, 7));
		rig_fill(&rig, &theirs, 8);
		assert_true(rig_shows(&rig, &ours, 8));
		assert_false(rig_shows(&rig, &ours, 7));
		kr_gpu_image_destroy(&rig.gpu, &theirs);
		kr_gpu_image_destroy(&rig.gpu, &ours);
		close(fd);
	}
	rig_close(&rig);
}

/* The other process: answers each image with 'y' if picture 1 is there, and puts 2 there. */
static int
look(int socket)
{
	struct kr_gpu_memory memory;
	struct rig rig;
	int fd;

	rig_open(&rig);
	while (rig_receive(socket, &memory, sizeof(memory), &fd)) {
		struct kr_gpu_image image;
		const char *reason;
		char answer = 'n';

		if (kr_gpu_image_import(&rig.gpu, &memory, fd, &image, &reason) == VK_SUCCESS) {
			if (rig_shows(&rig, &image, 1))
				answer = 'y';
			rig_fill(&rig, &image, 2);
			kr_gpu_image_destroy(&rig.gpu, &image);
		}
		close(fd);
		rig_send(socket, &answer, 1, -1);
	}
	rig_close(&rig);
	return 0;
}

/* W-11: the exact pixels, there and back. */
static void
other_process_sees_the_pixels(void **state)
{
	const struct kr_gpu_memory wanted = rig_wanted(120, 67);
	int sockets[2], fd, none, status;
	struct kr_gpu_image image;
	char answer;
	struct rig rig;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(sockets[0]);
		_exit(look(sockets[1]));
	}
	close(sockets[1]);
	rig_open(&rig);
	rig_export(&rig, &wanted, &image, &fd);
	rig_fill(&rig, &image, 1);
	rig_send(sockets[0], &image.description, sizeof(image.description), fd);
	close(fd);
	assert_true(rig_receive(sockets[0], &answer, 1, &none));
	assert_int_equal(answer, 'y');
	assert_true(rig_shows(&rig, &image, 2));
	close(sockets[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	kr_gpu_image_destroy(&rig.gpu, &image);
	rig_close(&rig);
}

/* Depth, stencil, layers, levels, cube maps, other formats: what the driver exports, it imports. */
static void
every_exported_description_is_imported(void **state)
{
	static const VkFormat formats[] = {VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8B8A8_SRGB,
		VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16,
		VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_R16G16B16A16_SFLOAT,
		VK_FORMAT_R16_UINT, VK_FORMAT_R16G16_UINT, VK_FORMAT_D16_UNORM,
		VK_FORMAT_D32_SFLOAT, VK_FORMAT_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT};
	unsigned had = 0;
	struct rig rig;

	rig_open(&rig);
	for (size_t i = 0; i < KR_ARRAY_LEN(formats) * 3; i++) {
		struct kr_gpu_memory wanted = rig_wanted(64, 64);
		struct kr_gpu_image ours, theirs;
		int fd;

		wanted.format = formats[i / 3];
		wanted.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
			(kr_gpu_aspects(wanted.format) & VK_IMAGE_ASPECT_COLOR_BIT
					? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
					: VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
		wanted.array_layers = i % 3 ? 6 : 1;
		wanted.mip_levels = i % 3 ? 7 : 1;
		wanted.flags = i % 3 == 2 ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
		if (!kr_gpu_image_possible(&rig.gpu, &wanted))
			continue;
		rig_export(&rig, &wanted, &ours, &fd);
		assert_int_equal(
			kr_gpu_image_import(&rig.gpu, &ours.description, fd, &theirs, NULL),
			VK_SUCCESS);
		kr_gpu_image_destroy(&rig.gpu, &theirs);
		kr_gpu_image_destroy(&rig.gpu, &ours);
		close(fd);
		had++;
	}
	assert_true(had > 20);
	rig_close(&rig);
}

/* A BLOB is a VkBuffer. */
static void
buffers_of_bytes_are_shared(void **state)
{
	const struct kr_gpu_memory wanted = {
		.kind = KR_GPU_OPAQUE_FD,
		.width = 10007,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	struct kr_gpu_image ours, theirs;
	struct rig rig;
	int fd;

	rig_open(&rig);
	rig_export(&rig, &wanted, &ours, &fd);
	assert_true(ours.buffer && !ours.image);
	assert_true(ours.description.allocation_size >= wanted.width);
	assert_int_equal(
		kr_gpu_image_import(&rig.gpu, &ours.description, fd, &theirs, NULL), VK_SUCCESS);
	kr_gpu_image_destroy(&rig.gpu, &theirs);
	kr_gpu_image_destroy(&rig.gpu, &ours);
	close(fd);
	rig_close(&rig);
}

/* What the driver doesn't have isn't made, and isn't said to be possible. */
static void
impossible_images_are_refused(void **state)
{
	struct kr_gpu_memory wanted = rig_wanted(64, 64);
	struct kr_gpu_image image;
	struct rig rig;

	rig_open(&rig);
	wanted.width = 1u << 30;
	assert_false(kr_gpu_image_possible(&rig.gpu, &wanted));
	assert_int_equal(
		kr_gpu_image_create(&rig.gpu, &wanted, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
	wanted = rig_wanted(64, 64);
	wanted.mip_levels = 8;
	assert_false(kr_gpu_image_possible(&rig.gpu, &wanted));
	wanted = rig_wanted(64, 64);
	wanted.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
	assert_false(kr_gpu_image_possible(&rig.gpu, &wanted));
	rig_close(&rig);
}

/* As applications do it: the image comes first, its memory later. */
static void
memory_is_imported_for_an_image_that_is_there(void **state)
{
	const struct kr_gpu_memory wanted = rig_wanted(64, 48);
	struct kr_gpu_image ours, theirs = {0};
	const char *reason = NULL;
	struct rig rig;
	VkImageCreateInfo info;
	VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
	};
	int fd;

	rig_open(&rig);
	external.handleTypes = kr_gpu_handle_types(&rig.gpu);
	info = (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &external,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = (VkFormat)wanted.format,
		.extent = {wanted.width, wanted.height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = 1,
		.usage = wanted.usage,
	};
	rig_export(&rig, &wanted, &ours, &fd);
	rig_fill(&rig, &ours, 4);
	assert_int_equal(rig.d.CreateImage(rig.vk.device, &info, NULL, &theirs.image), VK_SUCCESS);
	assert_int_equal(kr_gpu_memory_import(&rig.gpu, &ours.description, -1, &theirs, &reason),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_non_null(reason);
	assert_true(theirs.image && !theirs.memory && !theirs.map);
	assert_int_equal(kr_gpu_memory_import(&rig.gpu, &ours.description, fd, &theirs, &reason),
		VK_SUCCESS);
	assert_int_equal(
		rig.d.BindImageMemory(rig.vk.device, theirs.image, theirs.memory, 0), VK_SUCCESS);
	assert_true(rig_shows(&rig, &theirs, 4));
	rig.d.DestroyImage(rig.vk.device, theirs.image, NULL);
	rig.d.FreeMemory(rig.vk.device, theirs.memory, NULL);
	kr_gpu_memory_unmap(&theirs);
	assert_null(theirs.map);
	kr_gpu_image_destroy(&rig.gpu, &ours);
	close(fd);
	rig_close(&rig);
}

/* SwiftShader's memory is a file that can't be sealed: it goes out, and nobody takes it in. */
static void
unsealable_memory_is_not_imported(void **state)
{
	const struct kr_gpu_memory wanted = rig_wanted(64, 64);
	struct kr_gpu_image ours, theirs;
	const char *reason = NULL;
	struct rig rig;
	int fd;

	rig_open_swiftshader(&rig);
	rig_export(&rig, &wanted, &ours, &fd);
	assert_int_equal(kr_gpu_memory_check(&rig.gpu, &ours.description, fd, &reason), -EPERM);
	assert_non_null(reason);
	assert_int_equal(kr_gpu_image_import(&rig.gpu, &ours.description, fd, &theirs, &reason),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	kr_gpu_image_destroy(&rig.gpu, &ours);
	close(fd);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(imported_image_shows_what_was_exported, DRIVER),
	KR_TEST_FLAGS(other_process_sees_the_pixels, DRIVER),
	KR_TEST_FLAGS(every_exported_description_is_imported, DRIVER),
	KR_TEST_FLAGS(buffers_of_bytes_are_shared, DRIVER),
	KR_TEST_FLAGS(impossible_images_are_refused, DRIVER),
	KR_TEST_FLAGS(memory_is_imported_for_an_image_that_is_there, DRIVER),
	KR_TEST_FLAGS(unsealable_memory_is_not_imported, DRIVER),
};
KR_TEST_MAIN(tests)
