/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of EGL's android platform on a real vendor, through libEGL.so.1 as programs have it. The
 * far ends are readers of this process.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <errno.h>
#include <fcntl.h>
#include <krafla/window.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "programs.h"

#define WIDTH  64
#define HEIGHT 48

#define ES2                                                                                        \
	(const EGLint[])                                                                           \
	{                                                                                          \
		EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE                                            \
	}

#define PICTURE_MS 60000 /* that a picture takes at most, on an emulated processor too */

/* A manifest of gpu_guise.c. */
#define GUISE                                                                                      \
	"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"" TEST_GUISE "\"}}\n"

struct screen {
	EGLDisplay display;
	EGLConfig config;
	struct krafla_reader *reader;
	ANativeWindow *window;
	EGLSurface surface;
	EGLContext context;
};

/* Before libEGL.so.1 is asked for anything. */
static EGLDisplay
get_display(void)
{
	EGLDisplay display;

	skip_without_egl();
	assert_int_equal(putenv((char *)(uintptr_t)egl_env(EGL_KRAFLA)), 0);
	display = eglGetPlatformDisplay(EGL_PLATFORM_ANDROID_KHR, EGL_DEFAULT_DISPLAY, NULL);
	assert_ptr_not_equal(display, EGL_NO_DISPLAY);
	assert_true(eglInitialize(display, NULL, NULL));
	return display;
}

static EGLConfig
choose(EGLDisplay display, EGLint red, EGLint alpha, EGLint depth)
{
	const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_BUFFER_SIZE,
		red == 8 ? 32 - (alpha ? 0 : 8) : EGL_DONT_CARE, EGL_RED_SIZE, red, EGL_ALPHA_SIZE,
		alpha, EGL_DEPTH_SIZE, depth, EGL_NONE};
	EGLConfig configs[64];
	EGLint count = 0, value = 0;

	assert_true(eglChooseConfig(display, wanted, configs, 64, &count));
	for (EGLint i = 0; i < count; i++) {
		if (eglGetConfigAttrib(display, configs[i], EGL_RED_SIZE, &value) && value == red)
			return configs[i];
	}
	if (red != 10)
		fail_msg("there is no config of %d bits", red);
	return NULL;
}

static void
screen_open(struct screen *s, EGLDisplay display, EGLint red, EGLint alpha)
{
	const struct krafla_reader_config config = {
		.size = sizeof(config), .width = WIDTH, .height = HEIGHT, .max_images = 2};

	s->display = display;
	s->config = choose(display, red, alpha, 16);
	assert_int_equal(krafla_reader_open(&config, &s->reader), 0);
	assert_int_equal(krafla_reader_get_window(s->reader, &s->window), 0);
	s->surface =
		eglCreateWindowSurface(display, s->config, (EGLNativeWindowType)s->window, NULL);
	assert_int_equal(eglGetError(), EGL_SUCCESS);
	s->context = eglCreateContext(display, s->config, EGL_NO_CONTEXT, ES2);
	assert_true(eglMakeCurrent(display, s->surface, s->surface, s->context));
}

static void
screen_close(struct screen *s)
{
	assert_true(eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_true(eglDestroyContext(s->display, s->context));
	assert_true(eglDestroySurface(s->display, s->surface));
	ANativeWindow_release(s->window);
	krafla_reader_close(s->reader);
}

/* The whole of it in one colour, and the rows from the top on to `split` in the inverse one. */
static void
draw(unsigned picture, int split)
{
	const float red = (float)(picture & 1), green = (float)(picture >> 1 & 1);
	const float blue = (float)(picture >> 2 & 1);
	GLint height;
	EGLint value = 0;

	eglQuerySurface(eglGetCurrentDisplay(), eglGetCurrentSurface(EGL_DRAW), EGL_HEIGHT, &value);
	height = value;
	glClearColor(red, green, blue, 1);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, height - split, 32768, split);
	glClearColor(1 - red, 1 - green, 1 - blue, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDisable(GL_SCISSOR_TEST);
	assert_int_equal(glGetError(), GL_NO_ERROR);
}

static void
take(struct screen *s, struct krafla_image *image)
{
	struct pollfd ready = {.fd = krafla_reader_get_fd(s->reader), .events = POLLIN};
	int err = krafla_reader_acquire_next(s->reader, image);

	if (err == -EAGAIN && poll(&ready, 1, PICTURE_MS) == 1)
		err = krafla_reader_acquire_next(s->reader, image);
	assert_int_equal(err, 0);
}

static unsigned
colour_of(const uint8_t *pixel, uint32_t format)
{
	uint32_t word = 0;

	switch (format) {
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		memcpy(&word, pixel, 2);
		return (word >> 15 & 1) | (word >> 10 & 1) << 1 | (word >> 4 & 1) << 2;
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		memcpy(&word, pixel, 4);
		return (word >> 9 & 1) | (word >> 19 & 1) << 1 | (word >> 29 & 1) << 2;
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
		return (pixel[1] >> 5 & 1) | (pixel[3] >> 5 & 1) << 1 | (pixel[5] >> 5 & 1) << 2;
	default:
		return pixel[0] >> 7 | (pixel[1] >> 7) << 1 | (pixel[2] >> 7) << 2;
	}
}

/* The next frame is this picture, of that size; it goes back. */
static void
see(struct screen *s, unsigned picture, int split, uint32_t width, uint32_t height)
{
	struct krafla_image image;
	int32_t pixel_bytes, row_bytes;
	AHardwareBuffer_Desc desc;
	uint8_t *data;

	take(s, &image);
	AHardwareBuffer_describe(image.buffer, &desc);
	assert_int_equal(desc.width, width);
	assert_int_equal(desc.height, height);
	assert_int_equal(
		AHardwareBuffer_lockAndGetInfo(image.buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
			image.acquire_fence, NULL, (void **)&data, &pixel_bytes, &row_bytes),
		0);
	for (uint32_t y = 0; y < height; y++) {
		unsigned wanted = (int)y < split ? ~picture & 7 : picture & 7;

		for (uint32_t x = 0; x < width; x++)
			assert_int_equal(colour_of(data + y * (uint32_t)row_bytes +
							 x * (uint32_t)pixel_bytes,
						 desc.format),
				wanted);
	}
	AHardwareBuffer_unlock(image.buffer, NULL);
	assert_int_equal(krafla_reader_release(s->reader, &image, -1), 0);
}

static void
swap(struct screen *s)
{
	assert_true(eglSwapBuffers(s->display, s->surface));
	assert_int_equal(eglGetError(), EGL_SUCCESS);
}

static void
every_format_is_shown(void **state)
{
	static const struct {
		EGLint red, alpha, hal;
	} formats[] = {{8, 8, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM},
		{8, 0, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM},
		{5, 0, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM},
		{10, 2, AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM}};
	EGLDisplay display = get_display();
	struct screen s;
	EGLint format;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		/* NVIDIA's has none of 10 bits. */
		if (!choose(display, formats[i].red, formats[i].alpha, 16))
			continue;
		screen_open(&s, display, formats[i].red, formats[i].alpha);
		assert_true(eglGetConfigAttrib(display, s.config, EGL_NATIVE_VISUAL_ID, &format));
		assert_int_equal(format, formats[i].hal);
		for (unsigned picture = 0; picture < 8; picture++) {
			draw(picture, (int)picture + 3);
			swap(&s);
			see(&s, picture, (int)picture + 3, WIDTH, HEIGHT);
		}
		screen_close(&s);
	}
	assert_true(eglTerminate(display));
}

static void
it_follows_its_window(void **state)
{
	EGLDisplay display = get_display();
	EGLint value;
	struct screen s;

	screen_open(&s, display, 8, 8);
	/* What nobody has drawn may be anything. */
	draw(0, 0);
	for (int i = 0; i < 30; i++) {
		int width = WIDTH + i * 7 % 50, height = HEIGHT + i * 11 % 60;

		/* 0: the window's own format, which is another one. */
		assert_int_equal(ANativeWindow_setBuffersGeometry(s.window, width, height,
					 i % 2 ? AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM : 0),
			0);
		swap(&s);
		see(&s, i ? 2 : 0, 0, i ? (uint32_t)(WIDTH + (i - 1) * 7 % 50) : WIDTH,
			i ? (uint32_t)(HEIGHT + (i - 1) * 11 % 60) : HEIGHT);
		assert_true(eglQuerySurface(display, s.surface, EGL_WIDTH, &value));
		assert_int_equal(value, width);
		draw(2, 0);
	}
	screen_close(&s);
	assert_true(eglTerminate(display));
}

/* What programs do between two swaps, with their context and others. */
static void
contexts_come_and_go(void **state)
{
	static const EGLint size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
	EGLDisplay display = get_display();
	uint8_t pixel[4];
	EGLSurface pbuffer;
	EGLContext other;
	struct screen s;

	screen_open(&s, display, 8, 8);
	pbuffer = eglCreatePbufferSurface(display, s.config, size);
	other = eglCreateContext(display, s.config, s.context, ES2);
	for (unsigned picture = 0; picture < 20; picture++) {
		/* Half of it by another context, and read by way of a pbuffer's. */
		assert_true(eglMakeCurrent(display, s.surface, s.surface, other));
		draw(picture, 5);
		assert_true(eglMakeCurrent(display, pbuffer, s.surface, s.context));
		glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
		assert_int_equal(colour_of(pixel, 1), picture & 7);
		assert_false(eglSwapBuffers(display, s.surface));
		assert_int_equal(eglGetError(), EGL_BAD_SURFACE);
		assert_true(eglSwapBuffers(display, pbuffer));
		assert_true(eglMakeCurrent(display, s.surface, pbuffer, s.context));
		swap(&s);
		assert_ptr_equal(eglGetCurrentSurface(EGL_DRAW), s.surface);
		assert_ptr_equal(eglGetCurrentSurface(EGL_READ), pbuffer);
		see(&s, picture, 5, WIDTH, HEIGHT);
	}
	assert_true(eglDestroyContext(display, other));
	assert_true(eglDestroySurface(display, pbuffer));
	screen_close(&s);
	assert_true(eglTerminate(display));
}

static void
it_ends_while_it_is_current(void **state)
{
	EGLDisplay display = get_display();
	struct screen s;

	for (int i = 0; i < 4; i++) {
		screen_open(&s, display, 8, 8);
		draw(1, 3);
		swap(&s);
		if (i % 2) {
			assert_true(eglTerminate(display));
			assert_false(eglSwapBuffers(display, s.surface));
		} else {
			assert_true(eglDestroySurface(display, s.surface));
			assert_false(eglSwapBuffers(display, s.surface));
			assert_int_equal(eglGetError(), EGL_BAD_SURFACE);
		}
		see(&s, 1, 3, WIDTH, HEIGHT);
		/* Vendors may refuse to leave a display that was terminated (NVIDIA's does). */
		if (i >= 2 ||
			!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT))
			assert_true(eglReleaseThread());
		/* The window is free again. */
		assert_int_equal(s.window->perform(s.window, NATIVE_WINDOW_API_CONNECT,
					 NATIVE_WINDOW_API_CPU),
			0);
		ANativeWindow_release(s.window);
		krafla_reader_close(s.reader);
		assert_true(eglInitialize(display, NULL, NULL));
	}
	assert_true(eglTerminate(display));
}

static void
the_far_end_goes(void **state)
{
	EGLDisplay display = get_display();
	struct screen s;

	screen_open(&s, display, 8, 8);
	draw(1, 3);
	swap(&s);
	krafla_reader_close(s.reader);
	for (int i = 0; i < 3; i++) {
		draw(2, 3);
		assert_false(eglSwapBuffers(display, s.surface));
		assert_int_equal(eglGetError(), EGL_BAD_NATIVE_WINDOW);
	}
	assert_true(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	assert_false(eglMakeCurrent(display, s.surface, s.surface, s.context));
	assert_int_equal(eglGetError(), EGL_BAD_NATIVE_WINDOW);
	assert_true(eglDestroySurface(display, s.surface));
	assert_true(eglTerminate(display));
	ANativeWindow_release(s.window);
}

#define THREADS 4
#define FRAMES  40

static void *
thread_main(void *data)
{
	EGLDisplay display = data;
	struct screen s;

	assert_true(eglBindAPI(EGL_OPENGL_ES_API));
	for (int round = 0; round < 3; round++) {
		screen_open(&s, display, 8, 8);
		for (unsigned frame = 0; frame < FRAMES; frame++) {
			draw(frame, (int)frame);
			swap(&s);
			see(&s, frame, (int)frame, WIDTH, HEIGHT);
		}
		screen_close(&s);
	}
	assert_true(eglReleaseThread());
	return NULL;
}

static void
many_windows_in_many_threads(void **state)
{
	EGLDisplay display = get_display();
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, thread_main, display), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_true(eglTerminate(display));
}

#define BANDS 6

/* Each band of rows, from the top, in its colour. */
static void
see_bands(struct screen *s, const unsigned *colours)
{
	struct krafla_image image;
	int32_t pixel_bytes, row_bytes;
	uint8_t *data;

	take(s, &image);
	assert_int_equal(
		AHardwareBuffer_lockAndGetInfo(image.buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
			image.acquire_fence, NULL, (void **)&data, &pixel_bytes, &row_bytes),
		0);
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++)
			assert_int_equal(colour_of(data + y * row_bytes + x * pixel_bytes,
						 AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM),
				colours[y / (HEIGHT / BANDS)] & 7);
	}
	AHardwareBuffer_unlock(image.buffer, NULL);
	assert_int_equal(krafla_reader_release(s->reader, &image, -1), 0);
}

static void
draw_bands(const unsigned *colours)
{
	glEnable(GL_SCISSOR_TEST);
	for (int i = 0; i < BANDS; i++) {
		const unsigned c = colours[BANDS - 1 - i];

		glScissor(0, i * HEIGHT / BANDS, WIDTH, HEIGHT / BANDS);
		glClearColor((float)(c & 1), (float)(c >> 1 & 1), (float)(c >> 2 & 1), 1);
		glClear(GL_COLOR_BUFFER_BIT);
	}
	glDisable(GL_SCISSOR_TEST);
}

/* Buffers hold every frame whole, though damage alone is said, and copied. */
static void
damage_is_enough(void **state)
{
	EGLDisplay display = get_display();
	PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC swap_damage =
		(PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC)eglGetProcAddress(
			"eglSwapBuffersWithDamageKHR");
	unsigned colours[BANDS] = {0};
	struct screen s;

	assert_non_null(swap_damage);
	screen_open(&s, display, 8, 8);
	for (unsigned frame = 1; frame < 60; frame++) {
		unsigned band = frame * 5 % BANDS;
		EGLint rectangle[] = {
			0, (EGLint)(BANDS - 1 - band) * HEIGHT / BANDS, WIDTH, HEIGHT / BANDS};

		colours[band] = frame;
		draw_bands(colours);
		assert_true(swap_damage(display, s.surface, rectangle, frame % 13 ? 1 : 0));
		see_bands(&s, colours);
	}
	screen_close(&s);
	assert_true(eglTerminate(display));
}

/* A thread that wants what another one has. */
struct rival {
	struct screen *screen;
	EGLContext context; /* its own */
	atomic_bool free;   /* its owner lets go of it */
	atomic_uint refused;
};

static void *
rival_main(void *data)
{
	struct rival *rival = data;
	struct screen *s = rival->screen;

	assert_true(eglBindAPI(EGL_OPENGL_ES_API));
	while (!eglMakeCurrent(s->display, s->surface, s->surface,
		atomic_load(&rival->refused) % 2 ? rival->context : s->context)) {
		assert_int_equal(eglGetError(), EGL_BAD_ACCESS);
		atomic_fetch_add(&rival->refused, 1);
	}
	assert_true(atomic_load(&rival->free));
	draw(5, 7);
	swap(s);
	assert_true(eglReleaseThread());
	return NULL;
}

static void
it_is_current_in_one_thread(void **state)
{
	EGLDisplay display = get_display();
	struct rival rival;
	pthread_t thread;
	struct screen s;

	screen_open(&s, display, 8, 8);
	for (int preserved = 0; preserved < 2; preserved++) {
		rival = (struct rival){
			.screen = &s, .context = eglCreateContext(display, s.config, NULL, ES2)};
		assert_true(eglSurfaceAttrib(display, s.surface, EGL_SWAP_BEHAVIOR,
			preserved ? EGL_BUFFER_PRESERVED : EGL_BUFFER_DESTROYED));
		assert_int_equal(pthread_create(&thread, NULL, rival_main, &rival), 0);
		for (unsigned frame = 0; frame < FRAMES || !atomic_load(&rival.refused); frame++) {
			int split = (int)(frame % HEIGHT);

			draw(frame, split);
			swap(&s);
			see(&s, frame, split, WIDTH, HEIGHT);
		}
		atomic_store(&rival.free, true);
		assert_true(
			eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
		assert_int_equal(pthread_join(thread, NULL), 0);
		see(&s, 5, 7, WIDTH, HEIGHT);
		assert_true(eglMakeCurrent(display, s.surface, s.surface, s.context));
		assert_true(eglDestroyContext(display, rival.context));
	}
	screen_close(&s);
	assert_true(eglTerminate(display));
}

static void *
leave_main(void *data)
{
	struct screen *s = data;

	assert_true(eglBindAPI(EGL_OPENGL_ES_API));
	screen_open(s, s->display, 8, 8);
	draw(1, 3);
	swap(s);
	return NULL;
}

/* Mesa lets nobody have what was current in it; the window is free all the same. */
static void
a_thread_ends_with_it(void **state)
{
	struct screen s = {.display = get_display()};
	pthread_t thread;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&thread, NULL, leave_main, &s), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		see(&s, 1, 3, WIDTH, HEIGHT);
		assert_true(eglDestroySurface(s.display, s.surface));
		assert_int_equal(s.window->perform(s.window, NATIVE_WINDOW_API_CONNECT,
					 NATIVE_WINDOW_API_CPU),
			0);
		ANativeWindow_release(s.window);
		krafla_reader_close(s.reader);
	}
	assert_true(eglTerminate(s.display));
}

static bool
names(EGLDisplay display, const char *extension)
{
	return strstr(eglQueryString(display, EGL_EXTENSIONS), extension);
}

static unsigned
count(const char *text, const char *words)
{
	unsigned found = 0;

	for (; (text = strstr(text, words)); text += strlen(words))
		found++;
	return found;
}

/* What the process has said on stderr since it went to that file. */
static void
read_log(int file, char *text, size_t size)
{
	ssize_t length = pread(file, text, size - 1, 0);

	assert_true(length >= 0);
	text[length] = '\0';
}

/*
 * A GPU that imports the window's buffers: the first frame of each surface is also blitted, and is
 * the same; the faster way is taken for the others. llvmpipe stands for it, by another name.
 */
static void
the_gpu_copies(void **state)
{
	static const struct {
		EGLint red, alpha;
	} formats[] = {{8, 8}, {8, 0}, {5, 0}, {10, 2}};
	static char text[65536];
	EGLDisplay display;
	struct screen s;
	unsigned same, blitted;
	int log = open(kr_test_path("log"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	/* In the guise it can't be known that a card is there, over which llvmpipe crashes. */
	if (!getenv("KRAFLA_TEST_IMPORTS"))
		kr_test_skip("no-dma-bufs", NULL);
	setenv("VK_LOADER_DEBUG", "info", 1);
	setenv("KRAFLA_EGL_VENDORS", kr_test_file("guise.json", GUISE), 1);
	display = get_display();
	assert_true(names(display, "EGL_ANDROID_image_native_buffer"));
	assert_int_equal(dup2(log, STDERR_FILENO), STDERR_FILENO);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		screen_open(&s, display, formats[i].red, formats[i].alpha);
		for (unsigned picture = 0; picture < 6; picture++) {
			draw(picture, (int)picture);
			swap(&s);
			see(&s, picture, (int)picture, WIDTH, HEIGHT);
		}
		screen_close(&s);
	}
	read_log(log, text, sizeof(text));
	same = count(text, "the GPU's copy is the same");
	blitted = count(text, "frames are copied by the GPU");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		printf("# %s\n", line);
	printf("# %u of %zu surfaces are blitted from the second frame on\n", blitted,
		sizeof(formats) / sizeof(formats[0]));
	assert_int_equal(same, sizeof(formats) / sizeof(formats[0]));
	assert_true(eglTerminate(display));
	close(log);
}

#define KEEPS (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const struct kr_test tests[] = {
	KR_TEST_SLOW(every_format_is_shown, KEEPS, 60),
	KR_TEST_SLOW(it_follows_its_window, KEEPS, 60),
	KR_TEST_SLOW(contexts_come_and_go, KEEPS, 60),
	KR_TEST_SLOW(it_ends_while_it_is_current, KEEPS, 60),
	KR_TEST_SLOW(the_far_end_goes, KEEPS, 60),
	KR_TEST_SLOW(damage_is_enough, KEEPS, 60),
	KR_TEST_SLOW(it_is_current_in_one_thread, KEEPS, 60),
	KR_TEST_SLOW(a_thread_ends_with_it, KEEPS, 60),
	KR_TEST_SLOW(many_windows_in_many_threads, KEEPS, 120),
	KR_TEST_SLOW(the_gpu_copies, KEEPS, 60),
};
KR_TEST_MAIN(tests)
