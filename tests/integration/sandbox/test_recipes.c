/* SPDX-License-Identifier: Apache-2.0 */
/* The recipes of docs/deliver.md and README.md, each run by a shell as it stands on the page. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "sandbox.h"
#include "service.h"
#include "tests/integration/programs/images.h"
#include "tests/integration/programs/spawn.h"
#include "xvfb.h"

#define LIMIT_S 120
#define PAGE    TEST_SOURCE_DIR "/../../docs/deliver.md"
#define README  TEST_SOURCE_DIR "/../../README.md"
#define FENCE   "```sh"
#define RECIPE  " recipe="

static const char *const known[] = {"shortest", "system", "strict", "window", "service", "socket",
	"readme", "readme-film", "readme-service", "readme-watch", NULL};

static char page[64 * 1024];

static void
read_page(void)
{
	static const char *const paths[] = {PAGE, README};
	size_t size = 0;

	for (size_t i = 0; i < 2; i++) {
		FILE *file = fopen(paths[i], "re");

		assert_non_null(file);
		size += fread(page + size, 1, sizeof(page) - 1 - size, file);
		fclose(file);
	}
	page[size] = '\0';
	assert_true(size < sizeof(page) - 1);
}

/* The text of a recipe, valid until the case ends. */
static const char *
find_recipe(const char *name)
{
	static char recipe[2048];
	char head[64], *at, *end;

	read_page();
	snprintf(head, sizeof(head), "\n" FENCE RECIPE "%s\n", name);
	at = strstr(page, head);
	end = at ? strstr(at + strlen(head), "\n```") : NULL;
	if (!end)
		fail_msg("there is no recipe '%s' in " PAGE " and " README, name);
	snprintf(recipe, sizeof(recipe), "%.*s", (int)(end - at - strlen(head)), at + strlen(head));
	return recipe;
}

/* From the folder that holds `root`, with this krafla first and lavapipe the only driver. */
static void
run_recipe(const char *name, const char *variable, const char *display)
{
	struct spawn child;
	char script[4096];

	snprintf(script, sizeof(script), "cd %s || exit 99; PATH=%s:$PATH; unset CDPATH\n%s\n",
		kr_test_dir(), prefix_path("bin"), find_recipe(name));
	spawn_run(&child, LIMIT_S, ARGV("sh", "-c", script),
		ENV("KRAFLA_SERVICE=none", env_text("XDG_RUNTIME_DIR", kr_test_dir()), variable,
			display));
	expect_code(&child, 0);
	expect_text(&child, "llvmpipe");
	spawn_finish(&child);
}

static void
make_root(void)
{
	skip_without_lavapipe();
	sandbox_make(ARGV("/usr/bin/vulkaninfo", "/usr/bin/vkcube", system_loader()));
}

/* A recipe that nobody runs can be wrong. */
static void
every_recipe_is_run(void **state)
{
	const char *at = page;
	size_t count = 0;

	read_page();
	while ((at = strstr(at, "\n" FENCE))) {
		char name[64] = "";

		at += strlen("\n" FENCE);
		if (sscanf(at, RECIPE "%63s", name) != 1)
			fail_msg("the recipe after '%.60s' has no name", at - 80);
		for (size_t i = 0; known[i]; i++)
			count += !strcmp(known[i], name);
	}
	assert_int_equal(count, sizeof(known) / sizeof(known[0]) - 1);
	for (size_t i = 0; known[i]; i++)
		find_recipe(known[i]);
}

static void
shortest(void **state)
{
	make_root();
	run_recipe("shortest", lavapipe_env(), NULL);
}

static void
programs_of_the_system(void **state)
{
	make_root();
	run_recipe("system", lavapipe_env(), NULL);
}

static void
strict(void **state)
{
	make_root();
	run_recipe("strict", lavapipe_env(), NULL);
}

static void
window(void **state)
{
	struct kr_xvfb x;

	make_root();
	kr_xvfb_start(&x, "640x640x24", NULL, NULL);
	run_recipe("window", lavapipe_env(), env_text("DISPLAY", x.display));
	kr_xvfb_stop(&x);
}

static void
service(void **state)
{
	struct spawn daemon;

	make_root();
	service_start(&daemon, kr_test_path("krafla/service"));
	run_recipe("service", lavapipe_env(), NULL);
	service_stop(&daemon);
}

static void
socket_alone(void **state)
{
	struct spawn daemon;

	make_root();
	sandbox_swap_loader();
	service_start(&daemon, kr_test_path("krafla/service"));
	run_recipe("socket", NULL, NULL);
	service_stop(&daemon);
}

/* On the average, of all channels: chroma has half the pixels in a film, so edges differ. */
static double
mean_difference(const struct image *a, const struct image *b)
{
	size_t size = (size_t)a->width * a->height * 3;
	uint64_t sum = 0;

	assert_int_equal(a->width, b->width);
	assert_int_equal(a->height, b->height);
	for (size_t i = 0; i < size; i++)
		sum += (uint64_t)abs(a->rgb[i] - b->rgb[i]);
	return (double)sum / (double)size;
}

/* The film has all pictures, in their size, and the colours of the captures. */
static void
film(void **state)
{
	static const char look[] =
		"cd %s || exit 99; PATH=%s:$PATH; krafla run --display 640x360 --clock virtual "
		"--frames 60 --capture-from 60 --capture captured.ppm -- krafla-cube 2>/dev/null && "
		"ffprobe -v error -count_frames -show_entries "
		"stream=width,height,color_space,nb_read_frames -of csv=p=0 cube.mp4 && "
		"ffmpeg -v error -i cube.mp4 -vf 'select=eq(n\\,59)' -frames:v 1 -pix_fmt rgb24 "
		"shown.ppm";
	struct image captured, shown;
	struct spawn child;
	char text[1024];

	skip_without_lavapipe();
	if (kr_test_shell("ffmpeg -v error -encoders 2>&1 | grep libx264", text, sizeof(text)))
		kr_test_skip("no-ffmpeg", NULL);
	run_recipe("readme-film", lavapipe_env(), NULL);
	snprintf(text, sizeof(text), look, kr_test_dir(), prefix_path("bin"));
	spawn_run(&child, LIMIT_S, ARGV("sh", "-c", text),
		ENV(lavapipe_env(), env_text("XDG_RUNTIME_DIR", kr_test_dir())));
	expect_code(&child, 0);
	expect_text(&child, "640,360,bt709,120");
	spawn_finish(&child);
	image_load_ppm(&captured, kr_test_path("captured.ppm"));
	image_load_ppm(&shown, kr_test_path("shown.ppm"));
	assert_true(mean_difference(&captured, &shown) < 2);
	image_free(&captured);
	image_free(&shown);
}

static void
readme(void **state)
{
	make_root();
	run_recipe("readme", lavapipe_env(), NULL);
}

/* It makes the package and starts the service, too. */
static void
readme_service(void **state)
{
	make_root();
	sandbox_swap_loader();
	run_recipe("readme-service", NULL, NULL);
}

/* On an X server of its own; the last picture is there. */
static void
readme_watch(void **state)
{
	struct kr_xvfb server;
	char display[32];
	size_t size = 0;
	FILE *last;

	skip_without_lavapipe();
	kr_xvfb_start(&server, "800x600x24", NULL, NULL);
	snprintf(display, sizeof(display), "DISPLAY=%s", server.display);
	run_recipe("readme-watch", lavapipe_env(), display);
	kr_xvfb_stop(&server);
	last = fopen(kr_test_path("frames-120.png"), "re");
	assert_non_null(last);
	size = fread(page, 1, sizeof(page), last);
	fclose(last);
	assert_true(size > 1000);
}

static const struct kr_test tests[] = {
	KR_TEST(every_recipe_is_run),
	KR_TEST_SLOW(shortest, 0, LIMIT_S),
	KR_TEST_SLOW(programs_of_the_system, 0, LIMIT_S),
	KR_TEST_SLOW(strict, 0, LIMIT_S),
	KR_TEST_SLOW(window, 0, LIMIT_S),
	KR_TEST_SLOW(service, 0, LIMIT_S),
	KR_TEST_SLOW(socket_alone, 0, LIMIT_S),
	KR_TEST_SLOW(film, 0, LIMIT_S),
	KR_TEST_SLOW(readme, 0, LIMIT_S),
	KR_TEST_SLOW(readme_service, 0, LIMIT_S),
	KR_TEST_SLOW(readme_watch, 0, LIMIT_S),
};

KR_TEST_MAIN(tests)
