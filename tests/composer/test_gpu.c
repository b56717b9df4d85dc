/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A display whose pictures a GPU draws: what its producers hear, and what becomes of who costs the
 * GPU's process its life (W-11). The process is one of the tests' (tests/hwc/fake_painter.h).
 */
#include "rig.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../hwc/fake_painter.h"
#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/fd.h"
#include "util/native_memory.h"

#define PATIENCE_NS (10 * KR_NSEC_PER_SEC)
#define WIDTH       RIG_WIDTH
#define HEIGHT      RIG_HEIGHT

/* A window of half the display's width. */
struct window {
	struct kr_queue *queue;
	unsigned kind; /* FAKE_* */
	uint32_t width;
	struct {
		const struct kr_buffer *buffer;
		int fd;
	} memory[8];
	uint64_t frames;
};

static struct kr_gpu_memory
describe(const struct window *window)
{
	return (struct kr_gpu_memory){
		.kind = KR_GPU_OPAQUE_FD,
		.device_uuid = {1},
		.driver_uuid = {2},
		.allocation_size = (uint64_t)window->width * HEIGHT * 4,
		.memory_type = window->kind,
		.format = 37, /* R8G8B8A8_UNORM */
		.width = window->width,
		.height = HEIGHT,
		.usage = 7,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
		.layout = 1,
	};
}

static int
memory_of(struct window *window, struct kr_buffer *buffer)
{
	const struct kr_gpu_memory memory = describe(window);
	unsigned i = 0;
	int fd;

	for (; window->memory[i].buffer; i++) {
		if (window->memory[i].buffer == buffer)
			return window->memory[i].fd;
	}
	fd = memfd_create("gpu", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)memory.allocation_size), 0);
	window->memory[i].buffer = buffer;
	assert_int_equal(kr_fd_dup(fd, &window->memory[i].fd), 0);
	assert_int_equal(kr_buffer_attach_gpu(buffer, &memory, fd), 0);
	return window->memory[i].fd;
}

/* 0xRRGGBB all over, in memory of the GPU; `black` in that of CPUs, if that is wanted. */
static int
try_show(struct window *window, uint32_t rgb, bool *had_pixels)
{
	const struct kr_queue_request request = {
		.width = window->width,
		.height = HEIGHT,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_clock_now() + PATIENCE_NS,
	};
	struct kr_queue_input input = {
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO,
	};
	uint32_t pixel = (rgb & 0xff) << 16 | (rgb & 0xff00) | rgb >> 16 | 0xff000000;
	struct kr_buffer *buffer;
	uint32_t *pixels, slot;
	uint32_t row[WIDTH];
	int fence, err, fd;

	err = kr_queue_dequeue(window->queue, &request, &slot, &buffer, &fence);
	if (err)
		return err;
	assert_int_equal(kr_fence_wait(fence, kr_clock_now() + PATIENCE_NS), 0);
	kr_fd_close(&fence);
	fd = memory_of(window, buffer);
	for (uint32_t i = 0; i < window->width; i++)
		row[i] = pixel;
	for (uint32_t y = 0; y < HEIGHT; y++)
		assert_int_equal(pwrite(fd, row, window->width * 4, (off_t)y * window->width * 4),
			window->width * 4);
	*had_pixels = kr_queue_next_wanted(window->queue);
	input.no_pixels = !*had_pixels;
	assert_int_equal(kr_buffer_map(buffer, (void **)&pixels), 0);
	for (uint32_t i = 0; i < kr_buffer_get_info(buffer)->stride * HEIGHT; i++)
		pixels[i] = *had_pixels ? pixel : 0;
	window->frames++;
	return kr_queue_queue(window->queue, slot, &input, -1, NULL);
}

static bool
show(struct window *window, uint32_t rgb)
{
	bool had_pixels;

	assert_int_equal(try_show(window, rgb, &had_pixels), 0);
	return had_pixels;
}

static void
open_window(struct window *window, const struct rig *rig, const char *label, uint32_t width)
{
	*window = (struct window){.queue = rig_window(rig, label), .width = width};
}

static void
close_window(struct window *window)
{
	for (unsigned i = 0; window->memory[i].buffer; i++)
		kr_fd_close(&window->memory[i].fd);
	rig_close(window->queue);
}

static void
start(struct rig *rig, enum kr_display_clock clock)
{
	struct kr_display_config config = rig_config(clock);

	fake_painters = (struct fake_painters){0};
	*rig = (struct rig){.fail_at = 0};
	config.device = "gpu:forced";
	config.size_given = true;
	config.layout = KR_LAYOUT_GRID;
	rig->laid_out = true;
	rig_start_with(rig, &config);
}

static void
stop(struct rig *rig, struct kr_display_stats *stats)
{
	rig_stop(rig, stats);
	assert_int_equal(fake_painters.alive, 0);
	assert_int_equal(fake_painters.known, 0);
	assert_int_equal(fake_painters.lent, 0);
}

/* Frames of both until the display has said that it wants pixels, or none. */
static void
show_until(struct window *a, struct window *b, bool pixels)
{
	int64_t until = kr_clock_now() + PATIENCE_NS;

	for (uint32_t i = 0;; i++) {
		bool of_a = show(a, 0x100000 + i), of_b = b ? show(b, 0x200000 + i) : of_a;

		if (of_a == pixels && of_b == pixels)
			return;
		assert_true(kr_clock_now() < until);
	}
}

/* Two windows are drawn by the GPU: nobody needs their pixels; one alone is handed over again. */
static void
producers_make_pixels_for_who_reads_them(void **state)
{
	struct kr_display_stats stats;
	struct window a, b;
	struct rig rig;

	start(&rig, KR_CLOCK_REAL);
	open_window(&a, &rig, "a", WIDTH);
	open_window(&b, &rig, "b", WIDTH);
	show_until(&a, &b, false);
	assert_true(rig_stats(&rig).drawn_by_gpu > 0);
	assert_string_equal(rig_stats(&rig).gpu, "a fake");
	close_window(&b);
	rig_wait_gone(&rig, 1);
	show_until(&a, NULL, true);
	rig_wait_stat(&rig, handed_over, 1);
	close_window(&a);
	stop(&rig, &stats);
	assert_false(stats.gpu_lost);
	assert_int_equal(stats.without_pixels, 0);
}

/* With a virtual clock frames have both kinds of pixels, and each picture has each frame. */
static void
a_virtual_clock_has_all_frames(void **state)
{
	struct kr_display_stats stats;
	struct window a, b;
	struct rig rig;

	start(&rig, KR_CLOCK_VIRTUAL);
	open_window(&a, &rig, "a", WIDTH / 2);
	open_window(&b, &rig, "b", WIDTH / 2);
	for (uint32_t i = 0; i < 20; i++) {
		assert_true(show(&a, 0x100000 + i));
		assert_true(show(&b, 0x200000 + i));
	}
	rig_wait_stat(&rig, drawn_by_gpu, 20);
	close_window(&a);
	close_window(&b);
	stop(&rig, &stats);
	assert_int_equal(stats.composed, 20);
	assert_int_equal(stats.drawn_by_gpu, 20);
	assert_int_equal(stats.shown, 40);
	assert_int_equal(stats.without_pixels, 0);
}

/* Who kills is cut off, by a frame that is alone in the painter's hands; the other goes on. */
static void
who_kills_the_painter_is_cut_off(void **state)
{
	struct kr_display_stats stats;
	struct window good, bad;
	struct rig rig;
	int64_t until = kr_clock_now() + PATIENCE_NS;
	bool had_pixels;

	start(&rig, KR_CLOCK_REAL);
	open_window(&good, &rig, "good", WIDTH / 2);
	open_window(&bad, &rig, "bad", WIDTH / 2);
	bad.kind = FAKE_DEADLY_TO_LOOK_AT;
	show(&bad, 0x112233);
	while (rig_stats(&rig).cut_off == 0) {
		show(&good, 0x445566);
		assert_true(kr_clock_now() < until);
	}
	rig_wait_gone(&rig, 1);
	while (try_show(&bad, 0x112233, &had_pixels) == 0)
		assert_true(kr_clock_now() < until);
	assert_int_equal(fake_painters.started, 2);
	show_until(&good, NULL, false);
	close_window(&bad);
	close_window(&good);
	stop(&rig, &stats);
	assert_int_equal(stats.cut_off, 1);
	assert_false(stats.gpu_lost);
}

/* When no painter is to be had any more all pixels are wanted at once, and told so. */
static void
the_cpu_goes_on_when_the_gpu_is_lost(void **state)
{
	struct kr_display_stats stats;
	struct window a, b;
	struct rig rig;

	start(&rig, KR_CLOCK_REAL);
	open_window(&a, &rig, "a", WIDTH / 2);
	open_window(&b, &rig, "b", WIDTH / 2);
	show_until(&a, &b, false);
	fake_painters.start_error = -ENOENT;
	fake_painters.die = true;
	fake_painter_go_on();
	show_until(&a, &b, true);
	show(&a, 0xabcdef);
	show(&b, 0xabcdef);
	close_window(&a);
	close_window(&b);
	stop(&rig, &stats);
	assert_true(stats.gpu_lost);
	assert_int_equal(stats.cut_off, 0);
	assert_true(stats.drawn > stats.drawn_by_gpu);
}

/* Memory that no GPU can use is read by the CPU: that window alone makes pixels for it. */
static void
refused_memory_needs_pixels(void **state)
{
	struct window good, odd;
	struct rig rig;

	start(&rig, KR_CLOCK_REAL);
	open_window(&good, &rig, "good", WIDTH / 2);
	open_window(&odd, &rig, "odd", WIDTH / 2);
	odd.kind = FAKE_REFUSED;
	show_until(&good, NULL, true);
	for (int i = 0; i < 10; i++) {
		show(&odd, 0x112233);
		show(&good, 0x445566);
	}
	show_until(&good, NULL, false);
	assert_true(show(&odd, 0x112233));
	close_window(&odd);
	close_window(&good);
	stop(&rig, NULL);
}

/* Windows are killed and come again: nothing of them stays in the painter, nor a descriptor. */
static void
nothing_stays_of_windows_that_go(void **state)
{
	struct window stays, comes;
	struct rig rig;
	int before = 0;

	start(&rig, KR_CLOCK_REAL);
	open_window(&stays, &rig, "stays", WIDTH / 2);
	for (unsigned i = 0; i < 100; i++) {
		open_window(&comes, &rig, "comes", WIDTH / 2);
		for (unsigned frame = 0; frame < i % 4; frame++) {
			show(&comes, i);
			show(&stays, i);
		}
		close_window(&comes);
		rig_wait_gone(&rig, i + 1);
		if (i == 9)
			before = kr_test_count_fds();
	}
	show(&stays, 0);
	for (int i = 0; i < 1000 && (fake_painters.known > 8 || kr_test_count_fds() > before); i++)
		poll(NULL, 0, 5);
	assert_true(fake_painters.known <= 8);
	assert_true(kr_test_count_fds() <= before);
	close_window(&stays);
	stop(&rig, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(producers_make_pixels_for_who_reads_them),
	KR_TEST(a_virtual_clock_has_all_frames),
	KR_TEST(who_kills_the_painter_is_cut_off),
	KR_TEST(the_cpu_goes_on_when_the_gpu_is_lost),
	KR_TEST(refused_memory_needs_pixels),
	KR_TEST(nothing_stays_of_windows_that_go),
};

KR_TEST_MAIN(tests)
