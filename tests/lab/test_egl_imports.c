/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that others made, as EGLImages of Mesa's llvmpipe. By itself: what its two winsyses make
 * of whose dma-bufs, which src/egl/vendor/import.c rests on. And as AHardwareBuffers with Krafla in
 * between: what OpenGL ES samples is what their makers mapped, and the other way round.
 */
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/videodev2.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "tests/integration/egl/rules.h"
#include "tests/integration/egl/sampling.h"
#include "tests/lab/camera.h"
#include "tests/lab/dumb.h"

#define SAMPLED AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE
#define DRAWN   (SAMPLED | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER)
#define AB24    0x34324241

enum { WIDTH = 64, HEIGHT = 48, MAX_DEVICES = 8, TRIAL_S = 30 };

static uint32_t
some_pixel(uint32_t x, uint32_t y)
{
	return (x * 0x010203u + y * 0x070b0du) ^ 0x80402010u;
}

/* --- displays --- */

static bool
is_software(EGLDeviceEXT device)
{
	PFNEGLQUERYDEVICESTRINGEXTPROC query =
		(PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress("eglQueryDeviceStringEXT");
	const char *extensions = query(device, EGL_EXTENSIONS);

	return extensions && strstr(extensions, "EGL_MESA_device_software");
}

/* llvmpipe without a card, though there are some: Mesa's driver "swrast". */
static EGLDisplay
open_software(void)
{
	PFNEGLQUERYDEVICESEXTPROC query =
		(PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
	EGLDeviceEXT devices[MAX_DEVICES];
	EGLint count = 0;

	assert_true(query(MAX_DEVICES, devices, &count));
	for (EGLint i = 0; i < count; i++) {
		EGLDisplay display;

		if (!is_software(devices[i]))
			continue;
		display = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL);
		assert_true(eglInitialize(display, NULL, NULL));
		return display;
	}
	fail_msg("Mesa has no software device");
	return EGL_NO_DISPLAY;
}

/* The first card that Mesa finds, which is vgem: its driver "kms_swrast". */
static EGLDisplay
open_card(void)
{
	return open_display(EGL_PLATFORM_SURFACELESS_MESA);
}

static bool
driver_is(EGLDisplay display, const char *name)
{
	PFNEGLGETDISPLAYDRIVERNAMEPROC get =
		(PFNEGLGETDISPLAYDRIVERNAMEPROC)eglGetProcAddress("eglGetDisplayDriverName");

	return !strcmp(get(display), name);
}

static bool
has(EGLDisplay display, const char *extension)
{
	const char *list = eglQueryString(display, EGL_EXTENSIONS), *at = strstr(list, extension);
	size_t len = strlen(extension);

	return at && (at[len] == ' ' || !at[len]);
}

/* --- makers of memory --- */

struct memory {
	int dma_buf;
	uint32_t *pixels; /* by its maker's mapping */
	uint32_t row_bytes;
};

static void
make_dumb(struct memory *memory, const char *driver)
{
	struct dumb dumb;

	dumb_open_on(&dumb, driver, some_pixel, WIDTH, HEIGHT, O_RDWR);
	*memory = (struct memory){dumb.dma_buf, dumb.pixels, dumb.made.pitch};
}

static void
make_in_heap(struct memory *memory, const char *heap)
{
	struct dma_heap_allocation_data data = {
		.len = WIDTH * HEIGHT * 4, .fd_flags = O_RDWR | O_CLOEXEC};
	int device = open(heap, O_RDONLY | O_CLOEXEC);

	assert_int_equal(ioctl(device, DMA_HEAP_IOCTL_ALLOC, &data), 0);
	close(device);
	memory->dma_buf = (int)data.fd;
	memory->row_bytes = WIDTH * 4;
	memory->pixels =
		mmap(NULL, data.len, PROT_READ | PROT_WRITE, MAP_SHARED, memory->dma_buf, 0);
	assert_ptr_not_equal(memory->pixels, MAP_FAILED);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
		memory->pixels[i] = some_pixel(i % WIDTH, i / WIDTH);
}

static const struct maker {
	const char *name;
	void (*make)(struct memory *memory, const char *name);
} makers[] = {
	{"vgem", make_dumb},
	{"vkms", make_dumb},
	{"virtio_gpu", make_dumb},
	{"/dev/dma_heap/system", make_in_heap},
};

static uint32_t *
pixel_of(const struct memory *memory, uint32_t i)
{
	return &memory->pixels[i / WIDTH * (memory->row_bytes / 4) + i % WIDTH];
}

/* --- what is done with it --- */

/* Whether what is sampled is what the maker's mapping has. */
static bool
is_sampled(EGLImage image, const struct memory *memory)
{
	static uint32_t read[WIDTH * HEIGHT];

	sample_image(image, WIDTH, HEIGHT, read);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
		if (read[i] != *pixel_of(memory, i))
			return false;
	}
	return true;
}

static bool
is_drawn_into(EGLImage image, const struct memory *memory)
{
	fill_image(image);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
		if (*pixel_of(memory, i) != FILL_COLOUR)
			return false;
	}
	return true;
}

/* --- Mesa by itself --- */

enum outcome { RIGHT, WRONG, REFUSED, CRASHES };

static enum outcome
use(EGLDisplay display, const struct memory *memory, bool draws)
{
	const EGLAttrib list[] = {EGL_WIDTH, WIDTH, EGL_HEIGHT, HEIGHT, EGL_LINUX_DRM_FOURCC_EXT,
		AB24, EGL_DMA_BUF_PLANE0_FD_EXT, memory->dma_buf, EGL_DMA_BUF_PLANE0_OFFSET_EXT, 0,
		EGL_DMA_BUF_PLANE0_PITCH_EXT, memory->row_bytes, EGL_NONE};
	EGLImage image = eglCreateImage(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, list);

	if (!image)
		return REFUSED;
	if (draws)
		return is_drawn_into(image, memory) ? RIGHT : WRONG;
	return is_sampled(image, memory) ? RIGHT : WRONG;
}

/* In a process of its own. */
static enum outcome
try_maker(EGLDisplay (*open_it)(void), const char *driver, const struct maker *maker, bool draws)
{
	struct memory memory;
	EGLDisplay display;
	int status;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, SIG_DFL); /* the test's runner has a handler */
		alarm(TRIAL_S);
		choose(EGL_PLAIN, MESA_MANIFEST);
		maker->make(&memory, maker->name);
		display = open_it();
		assert_true(driver_is(display, driver));
		assert_true(has(display, "EGL_EXT_image_dma_buf_import"));
		begin_sampling(display);
		_exit((int)use(display, &memory, draws));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV)
		return CRASHES;
	assert_true(WIFEXITED(status));
	assert_in_range(WEXITSTATUS(status), RIGHT, REFUSED);
	return (enum outcome)WEXITSTATUS(status);
}

static void
expect(EGLDisplay (*open_it)(void), const char *driver, const char *own, enum outcome others)
{
	static const char *const words[] = {"right", "wrong", "refused", "crashes"};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		enum outcome wanted = !strcmp(makers[i].name, own) ? RIGHT : others;

		for (int draws = 0; draws < 2; draws++) {
			enum outcome found = try_maker(open_it, driver, &makers[i], draws);

			printf("# %s, a dma-buf of %s: %s %s\n", driver, makers[i].name,
				draws ? "drawn into" : "sampled", words[found]);
			if (found != wanted)
				fail_msg(
					"it used to be '%s': src/egl/vendor/import.c says which imports can be used",
					words[wanted]);
		}
	}
}

static void
without_a_card_all_is_right(void **state)
{
	skip_without_egl();
	expect(open_software, "swrast", "", RIGHT);
}

/* Mesa 25.0's images have no memory, where a card maps its own dma-bufs alone. */
static void
over_a_card_its_own_is_right(void **state)
{
	skip_without_egl();
	expect(open_card, "kms_swrast", "vgem", CRASHES);
}

/* --- with Krafla in between --- */

static EGLDisplay
begin(void)
{
	EGLDisplay display;

	skip_without_egl();
	choose(EGL_KRAFLA, MESA_MANIFEST);
	display = open_software();
	assert_true(driver_is(display, "swrast"));
	assert_true(has(display, "EGL_ANDROID_image_native_buffer"));
	assert_true(has(display, "EGL_ANDROID_get_native_client_buffer"));
	begin_sampling(display);
	return display;
}

static AHardwareBuffer *
take_in(const struct memory *memory, uint32_t width, uint32_t height)
{
	const struct krafla_dma_buf from = {
		.size = sizeof(from),
		.width = width,
		.height = height,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = DRAWN,
		.plane_count = 1,
		.planes = {{memory->dma_buf, 0, memory->row_bytes}},
	};
	AHardwareBuffer *buffer;

	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&from, &buffer), 0);
	return buffer;
}

static EGLImage
make_image(EGLDisplay display, const AHardwareBuffer *buffer)
{
	PFNEGLGETNATIVECLIENTBUFFERANDROIDPROC client_buffer =
		(PFNEGLGETNATIVECLIENTBUFFERANDROIDPROC)eglGetProcAddress(
			"eglGetNativeClientBufferANDROID");
	EGLImage image = eglCreateImage(
		display, EGL_NO_CONTEXT, EGL_NATIVE_BUFFER_ANDROID, client_buffer(buffer), NULL);

	assert_int_equal(eglGetError(), EGL_SUCCESS);
	assert_non_null(image);
	return image;
}

/* Zero copy: a later change of the maker's is seen, and what is drawn is in his mapping. */
static void
others_memory_is_one(void **state)
{
	EGLDisplay display = begin();

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		AHardwareBuffer *buffer;
		struct memory memory;
		EGLImage image;

		makers[i].make(&memory, makers[i].name);
		buffer = take_in(&memory, WIDTH, HEIGHT);
		image = make_image(display, buffer);
		AHardwareBuffer_release(buffer);
		assert_true(is_sampled(image, &memory));
		*pixel_of(&memory, WIDTH + 1) ^= 0xffffff;
		assert_true(is_sampled(image, &memory));
		assert_true(is_drawn_into(image, &memory));
		assert_true(eglDestroyImage(display, image));
	}
	assert_true(eglTerminate(display));
}

static void
pictures_of_a_camera_are_sampled(void **state)
{
	static uint32_t read[320 * 180];
	EGLDisplay display = begin();
	AHardwareBuffer *buffer;
	struct memory memory;
	struct camera camera;
	EGLImage image;

	camera_open(&camera, V4L2_PIX_FMT_RGBA32, 320, 180);
	memory = (struct memory){camera.dma_buf, camera.pixels, camera.pitch};
	buffer = take_in(&memory, 320, 180);
	image = make_image(display, buffer);
	sample_image(image, 320, 180, read);
	for (uint32_t y = 0; y < 180; y++)
		assert_memory_equal(
			read + (size_t)y * 320, memory.pixels + y * (camera.pitch / 4), 320 * 4);
	assert_true(eglDestroyImage(display, image));
	AHardwareBuffer_release(buffer);
	camera_close(&camera);
	assert_true(eglTerminate(display));
}

/* A display over a card doesn't say that it could, and a buffer is refused before it is drawn. */
static void
over_a_card_nothing_is_offered(void **state)
{
	EGLDisplay display;
	struct memory memory;
	AHardwareBuffer *buffer;

	skip_without_egl();
	choose(EGL_KRAFLA, MESA_MANIFEST);
	display = open_card();
	assert_true(driver_is(display, "kms_swrast"));
	assert_false(has(display, "EGL_ANDROID_image_native_buffer"));
	make_dumb(&memory, "vkms");
	buffer = take_in(&memory, WIDTH, HEIGHT);
	assert_null(eglCreateImage(
		display, EGL_NO_CONTEXT, EGL_NATIVE_BUFFER_ANDROID, (EGLClientBuffer)buffer, NULL));
	assert_int_equal(eglGetError(), EGL_BAD_PARAMETER);
	AHardwareBuffer_release(buffer);
	assert_true(eglTerminate(display));
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(without_a_card_all_is_right, RULE_FLAGS, 120),
	KR_TEST_SLOW(over_a_card_its_own_is_right, RULE_FLAGS, 120),
	KR_TEST_SLOW(others_memory_is_one, RULE_FLAGS, 60),
	KR_TEST_SLOW(pictures_of_a_camera_are_sampled, RULE_FLAGS, 60),
	KR_TEST_SLOW(over_a_card_nothing_is_offered, RULE_FLAGS, 60),
};

KR_TEST_MAIN(tests)
