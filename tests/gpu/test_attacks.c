/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What somebody else may send instead of memory, and say of it. Each case imports what must not
 * get as far as the driver: a mistake ends the process, or shows in what is open or mapped after.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define DRIVER (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)
#define SEALS  (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* The words in front of lavapipe's memory. */
struct words {
	uint64_t size;
	uint64_t offset;
	uint8_t whose[16];
};

struct victim {
	struct rig rig;
	struct kr_gpu_image image;
	int fd;
	uint64_t file_size;
	int fds;
};

static void
begin(struct victim *victim)
{
	const struct kr_gpu_memory wanted = rig_wanted(64, 48);

	rig_open(&victim->rig);
	rig_export(&victim->rig, &wanted, &victim->image, &victim->fd);
	rig_fill(&victim->rig, &victim->image, 3);
	victim->file_size = (uint64_t)lseek(victim->fd, 0, SEEK_END);
	victim->fds = kr_test_count_fds();
}

static void
end(struct victim *victim)
{
	assert_true(rig_shows(&victim->rig, &victim->image, 3));
	kr_gpu_image_destroy(&victim->rig.gpu, &victim->image);
	close(victim->fd);
	rig_close(&victim->rig);
}

/* Nothing is imported, nothing stays open, and a reason is told. */
static void
refused(struct victim *victim, const struct kr_gpu_memory *memory, int fd, int err)
{
	const char *reason = NULL;
	struct kr_gpu_image image;

	assert_int_equal(kr_gpu_memory_check(&victim->rig.gpu, memory, fd, &reason), err);
	assert_non_null(reason);
	assert_int_equal(kr_gpu_image_import(&victim->rig.gpu, memory, fd, &image, NULL),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
}

static void
refused_fd(struct victim *victim, int take_fd, int err)
{
	refused(victim, &victim->image.description, take_fd, err);
	close(take_fd);
	assert_int_equal(kr_test_count_fds(), victim->fds);
}

/* A copy of the victim's file, of another length, with other words in front. */
static int
forged(const struct victim *victim, uint64_t size, const struct words *words, int seals)
{
	int fd = memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char page[4096];

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(pread(victim->fd, page, sizeof(page), 0), sizeof(page));
	if (words)
		memcpy(page, words, sizeof(*words));
	assert_true(pwrite(fd, page, size < sizeof(page) ? size : sizeof(page), 0) >= 0);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static int
opened(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* Of a file another mode is another kind; of a device the driver may have to say no. */
static void
refused_reopened(struct victim *victim, int flags)
{
	struct kr_gpu_image image;
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", victim->fd);
	fd = opened(path, flags);
	if (victim->rig.gpu.sample.file)
		refused(victim, &victim->image.description, fd, -EINVAL);
	assert_true(kr_gpu_image_import(
			    &victim->rig.gpu, &victim->image.description, fd, &image, NULL) < 0);
	close(fd);
	assert_int_equal(kr_test_count_fds(), victim->fds);
}

/* W-11 */
static void
other_kinds_of_descriptors_are_refused(void **state)
{
	struct victim victim;
	int pair[2];

	begin(&victim);
	refused(&victim, &victim.image.description, -1, -EINVAL);
	refused(&victim, &victim.image.description, 1000, -EINVAL);
	assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
	close(pair[1]);
	refused_fd(&victim, pair[0], -EINVAL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	close(pair[1]);
	refused_fd(&victim, pair[0], -EINVAL);
	refused_fd(&victim, opened("/dev/null", O_RDWR), -EINVAL);
	refused_fd(&victim, opened("/dev/zero", O_RDWR), -EINVAL);
	refused_fd(&victim, opened("/", O_RDONLY | O_DIRECTORY), -EINVAL);
	refused_fd(&victim, opened(kr_test_file("file", "text"), O_RDWR), -EINVAL);
	refused_reopened(&victim, O_RDONLY);
	refused_reopened(&victim, O_PATH);
	end(&victim);
}

/* W-11: files that the driver would believe, or that its maker could shrink. */
static void
forged_files_are_refused(void **state)
{
	struct victim victim;
	struct words words, lie;
	uint64_t size;

	begin(&victim);
	size = victim.file_size;
	assert_int_equal(pread(victim.fd, &words, sizeof(words), 0), sizeof(words));
	refused_fd(&victim, forged(&victim, size, NULL, 0), -EPERM);
	refused_fd(&victim, forged(&victim, size, NULL, F_SEAL_GROW), -EPERM);
	refused_fd(&victim, forged(&victim, size, NULL, F_SEAL_SHRINK), -EPERM);
	refused_fd(&victim, forged(&victim, size, NULL, SEALS | F_SEAL_WRITE), -EINVAL);
	refused_fd(&victim, forged(&victim, size, NULL, SEALS | F_SEAL_FUTURE_WRITE), -EINVAL);
	refused_fd(&victim, forged(&victim, size - 1, NULL, SEALS), -EINVAL);
	refused_fd(&victim, forged(&victim, size + 1, NULL, SEALS), -EINVAL);
	refused_fd(&victim, forged(&victim, 4096, NULL, SEALS), -EINVAL);
	refused_fd(&victim, forged(&victim, 0, NULL, SEALS), -EINVAL);
	lie = words;
	lie.size = UINT64_C(1) << 40;
	refused_fd(&victim, forged(&victim, size, &lie, SEALS), -EINVAL);
	lie = words;
	lie.offset = UINT64_MAX - 4095;
	refused_fd(&victim, forged(&victim, size, &lie, SEALS), -EINVAL);
	lie = words;
	lie.whose[3] ^= 1;
	refused_fd(&victim, forged(&victim, size, &lie, SEALS), -EINVAL);
	end(&victim);
}

/* What another driver exported, and what this one did for an image of another size. */
static void
swapped_descriptors_are_refused(void **state)
{
	const struct kr_gpu_memory larger = rig_wanted(65, 148), same = rig_wanted(64, 48);
	struct kr_gpu_image other, imported;
	struct victim victim;
	struct rig rig;
	int fd;

	begin(&victim);
	rig_export(&victim.rig, &larger, &other, &fd);
	refused(&victim, &victim.image.description, fd, -EINVAL);
	refused(&victim, &other.description, victim.fd, -EINVAL);
	kr_gpu_image_destroy(&victim.rig.gpu, &other);
	close(fd);
	/* Of the same size nobody can tell, and it is somebody's picture. */
	rig_export(&victim.rig, &same, &other, &fd);
	assert_int_equal(kr_gpu_image_import(
				 &victim.rig.gpu, &victim.image.description, fd, &imported, NULL),
		VK_SUCCESS);
	assert_false(rig_shows(&victim.rig, &imported, 3));
	kr_gpu_image_destroy(&victim.rig.gpu, &imported);
	kr_gpu_image_destroy(&victim.rig.gpu, &other);
	close(fd);
	rig_open_swiftshader(&rig);
	rig_export(&rig, &same, &other, &fd);
	refused(&victim, &other.description, fd, -EXDEV);
	refused(&victim, &victim.image.description, fd, -EINVAL);
	kr_gpu_image_destroy(&rig.gpu, &other);
	close(fd);
	rig_close(&rig);
	end(&victim);
}

/* Seals, and what the check wants, keep the file as long as it is. */
static void
imported_memory_cannot_be_shrunk(void **state)
{
	struct kr_gpu_image image;
	struct victim victim;

	begin(&victim);
	assert_int_equal(kr_gpu_image_import(&victim.rig.gpu, &victim.image.description, victim.fd,
				 &image, NULL),
		VK_SUCCESS);
	assert_int_equal(ftruncate(victim.fd, 4096), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(victim.fd, (off_t)victim.file_size * 2), -1);
	assert_true(rig_shows(&victim.rig, &image, 3));
	kr_gpu_image_destroy(&victim.rig.gpu, &image);
	end(&victim);
}

static unsigned
count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned count = 0;
	int c;

	assert_non_null(maps);
	while ((c = fgetc(maps)) != EOF)
		count += c == '\n';
	fclose(maps);
	return count;
}

/*
 * Lavapipe reads the words in front of its memory again when that is freed, and unmaps what they
 * say. Whoever sent the file has written others there meanwhile.
 */
static void
words_that_change_later_unmap_nothing(void **state)
{
	const uint64_t lies[] = {0, 1, 4096, UINT64_C(1) << 32, UINT64_MAX, UINT64_MAX - 65535};
	struct victim victim;
	unsigned before;

	begin(&victim);
	before = count_mappings();
	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		struct words words = {lies[i], lies[i], {0}};
		struct kr_gpu_image image;
		char page[4096];

		assert_int_equal(kr_gpu_image_import(&victim.rig.gpu, &victim.image.description,
					 victim.fd, &image, NULL),
			VK_SUCCESS);
		assert_int_equal(pread(victim.fd, page, sizeof(page), 0), sizeof(page));
		assert_int_equal(pwrite(victim.fd, &words, sizeof(words), 0), sizeof(words));
		assert_int_equal(pwrite(victim.fd, &lies[i], 8, 4096 - 8), 8);
		assert_true(rig_shows(&victim.rig, &image, 3));
		kr_gpu_image_destroy(&victim.rig.gpu, &image);
		assert_int_equal(pwrite(victim.fd, page, sizeof(page), 0), sizeof(page));
	}
	assert_int_equal(count_mappings(), before);
	end(&victim);
}

/* Numbers that can't be, each by itself. */
static void
lying_descriptions_are_refused(void **state)
{
	struct victim victim;

	begin(&victim);
#define LIE(field, value, err)                                                                     \
	do {                                                                                       \
		struct kr_gpu_memory lie = victim.image.description;                               \
		lie.field = value;                                                                 \
		refused(&victim, &lie, victim.fd, err);                                            \
	} while (0)
	LIE(kind, 0, -EINVAL);
	LIE(kind, 77, -EINVAL);
	LIE(kind, KR_GPU_DMA_BUF, victim.rig.gpu.dma_buf ? -EINVAL : -EOPNOTSUPP);
	LIE(device_uuid[0], (uint8_t)(victim.image.description.device_uuid[0] ^ 1), -EXDEV);
	LIE(driver_uuid[15], (uint8_t)(victim.image.description.driver_uuid[15] ^ 1), -EXDEV);
	LIE(allocation_size, 0, -EINVAL);
	LIE(allocation_size, UINT64_MAX, -EINVAL);
	LIE(allocation_size, UINT64_C(1) << 45, -EINVAL);
	LIE(allocation_size, victim.image.description.allocation_size + 1, -EINVAL);
	LIE(memory_type, 32, -EINVAL);
	LIE(memory_type, UINT32_MAX, -EINVAL);
	LIE(format, 0x7fffffff, -EINVAL);
	LIE(format, VK_FORMAT_BC1_RGB_UNORM_BLOCK, -EINVAL);
	LIE(format, VK_FORMAT_R32G32B32A32_SFLOAT, -EINVAL); /* too large for the memory */
	LIE(width, 0, -EINVAL);
	LIE(width, 1u << 31, -EOPNOTSUPP);
	LIE(width, 65, -EINVAL);
	LIE(height, 0, -EINVAL);
	LIE(height, 4000, -EINVAL);
	LIE(flags, 0x80000000u, -EINVAL);
	LIE(flags, VK_IMAGE_CREATE_SPARSE_BINDING_BIT, -EINVAL);
	LIE(flags, VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT, -EINVAL);
	LIE(flags, VK_IMAGE_CREATE_PROTECTED_BIT, -EOPNOTSUPP);
	LIE(usage, 0, -EINVAL);
	LIE(usage, 0x80000000u, -EINVAL);
	LIE(tiling, 2, -EINVAL);
	LIE(tiling, VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT, -EINVAL);
	LIE(mip_levels, 0, -EINVAL);
	LIE(mip_levels, 30, -EINVAL);
	LIE(array_layers, 0, -EINVAL);
	LIE(array_layers, 1u << 20, -EOPNOTSUPP);
	LIE(array_layers, 200, -EINVAL);
	LIE(samples, 0, -EINVAL);
	LIE(samples, 64, -EINVAL);
	LIE(layout, VK_IMAGE_LAYOUT_UNDEFINED, -EINVAL);
	LIE(layout, 0x7fffffff, -EINVAL);
	LIE(view_format_count, 5, -EINVAL);
	LIE(view_format_count, UINT32_MAX, -EINVAL);
	LIE(view_format_count, 1, -EINVAL); /* of format 0 */
	LIE(plane_count, UINT32_MAX, -EINVAL);
#undef LIE
	assert_int_equal(kr_test_count_fds(), victim.fds);
	end(&victim);
}

/* Anything at all, from a fixed seed: imported or not, nothing is left and nobody dies. */
static void
mutated_descriptions_harm_nobody(void **state)
{
	static const uint32_t odd[] = {0, 1, 2, 3, 63, 64, 4096, 65535, 0x7fffffff, 0x80000000u,
		0xffffffffu, 1000156003u, 1000158000u};
	unsigned imported = 0, before = 0;
	uint64_t seed = 16;
	struct victim victim;

	begin(&victim);
	for (unsigned i = 0; i < 4000; i++) {
		struct kr_gpu_memory memory = victim.image.description;
		uint32_t words[sizeof(memory) / 4];
		struct kr_gpu_image image;

		memcpy(words, &memory, sizeof(words));
		for (unsigned n = 0; n < 1 + i % 3; n++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			words[(seed >> 33) % KR_ARRAY_LEN(words)] = i % 2
				? odd[(seed >> 20) % KR_ARRAY_LEN(odd)]
				: words[(seed >> 33) % KR_ARRAY_LEN(words)] ^
					1u << ((seed >> 20) % 32);
		}
		memcpy(&memory, words, sizeof(words));
		/* What no decoder lets through: a bool that is none. */
		memory.dedicated = *(unsigned char *)&memory.dedicated % 2;
		if (kr_gpu_image_import(&victim.rig.gpu, &memory, victim.fd, &image, NULL) ==
			VK_SUCCESS) {
			kr_gpu_image_destroy(&victim.rig.gpu, &image);
			imported++;
		}
		if (i == 100)
			before = count_mappings();
	}
	assert_true(imported > 0);
	assert_true(count_mappings() <= before + 8);
	assert_int_equal(kr_test_count_fds(), victim.fds);
	end(&victim);
}

/* Without a free descriptor nothing is made, and nothing is left. */
static void
lack_of_descriptors_is_an_error(void **state)
{
	const struct kr_gpu_memory wanted = rig_wanted(64, 48);
	struct kr_gpu_image ours, theirs;
	struct victim victim;
	int fd = -1, fds;

	begin(&victim);
	fds = kr_test_count_fds();
	for (int more = 0; more < 3; more++) {
		VkResult result;

		kr_test_limit_fds(more);
		result = kr_gpu_image_create(&victim.rig.gpu, &wanted, &ours);
		if (result == VK_SUCCESS) {
			result = kr_gpu_image_export(&victim.rig.gpu, &ours, &fd);
			kr_gpu_image_destroy(&victim.rig.gpu, &ours);
		}
		if (result == VK_SUCCESS)
			close(fd);
		/* A mapping needs none. */
		if (kr_gpu_image_import(&victim.rig.gpu, &victim.image.description, victim.fd,
			    &theirs, NULL) == VK_SUCCESS)
			kr_gpu_image_destroy(&victim.rig.gpu, &theirs);
		kr_test_end_fd_limit();
		assert_true(result < 0 || more > 0);
		assert_int_equal(kr_test_count_fds(), fds);
	}
	end(&victim);
}

/* A thousand lives, of images and of imports: no descriptor and no mapping more than before. */
static void
thousand_rounds_leave_nothing(void **state)
{
	const struct kr_gpu_memory wanted = rig_wanted(64, 48);
	struct victim victim;
	unsigned before = 0;

	begin(&victim);
	for (unsigned i = 0; i < 1000; i++) {
		struct kr_gpu_image ours, theirs, again;
		int fd;

		rig_export(&victim.rig, &wanted, &ours, &fd);
		assert_int_equal(
			kr_gpu_image_import(&victim.rig.gpu, &ours.description, fd, &theirs, NULL),
			VK_SUCCESS);
		/* The same one twice is two images of one memory. */
		assert_int_equal(
			kr_gpu_image_import(&victim.rig.gpu, &ours.description, fd, &again, NULL),
			VK_SUCCESS);
		kr_gpu_image_destroy(&victim.rig.gpu, &ours);
		kr_gpu_image_destroy(&victim.rig.gpu, &theirs);
		kr_gpu_image_destroy(&victim.rig.gpu, &again);
		close(fd);
		if (i == 10)
			before = count_mappings();
	}
	assert_true(count_mappings() <= before + 8);
	assert_int_equal(kr_test_count_fds(), victim.fds);
	end(&victim);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(other_kinds_of_descriptors_are_refused, DRIVER),
	KR_TEST_FLAGS(forged_files_are_refused, DRIVER),
	KR_TEST_FLAGS(swapped_descriptors_are_refused, DRIVER),
	KR_TEST_FLAGS(imported_memory_cannot_be_shrunk, DRIVER),
	KR_TEST_FLAGS(words_that_change_later_unmap_nothing, DRIVER),
	KR_TEST_FLAGS(lying_descriptions_are_refused, DRIVER),
	KR_TEST_SLOW(mutated_descriptions_harm_nobody, DRIVER, 120),
	KR_TEST_FLAGS(lack_of_descriptors_is_an_error, DRIVER),
	KR_TEST_SLOW(thousand_rounds_leave_nothing, DRIVER, 120),
};
KR_TEST_MAIN(tests)
