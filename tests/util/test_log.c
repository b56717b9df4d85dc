/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: who hears what. */
#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/log.h"
#include "util/log_budget.h"

static char heard[2 * KR_LOG_LONGEST];
static uint32_t heard_bits;
static int heard_count;

static void
listen(void *data, uint32_t bits, const char *message)
{
	assert_ptr_equal(data, heard);
	heard_bits = bits;
	heard_count++;
	snprintf(heard, sizeof(heard), "%s", message);
}

/* What `say` writes to stderr, in a buffer that the next call reuses. */
static const char *
stderr_of(void (*say)(void))
{
	static char text[2 * KR_LOG_LONGEST];
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t size;

	dup2(fileno(file), STDERR_FILENO);
	say();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	fclose(file);
	return text;
}

static void
say_each(void)
{
	kr_error("e%d", 1);
	kr_warn("w");
	kr_info("i");
	kr_debug("d");
	kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "driver");
	kr_log(KR_LOG_WARN | KR_LOG_LAYER, "layer");
}

/* K-09 */
static void
says_what_is_asked_for(void **state)
{
	setenv("VK_LOADER_DEBUG", "error,layer", 1);
	assert_string_equal(
		stderr_of(say_each), "[Krafla] ERROR: e1\n[Krafla] WARNING | LAYER: layer\n");
	assert_true(kr_log_enabled(KR_LOG_ERROR));
	assert_false(kr_log_enabled(KR_LOG_DEBUG));
}

/* K-09 */
static void
icd_means_driver_and_words_may_be_cut_or_longer(void **state)
{
	setenv("VK_LOADER_DEBUG", ",icd,bogus,warnings,", 1);
	assert_string_equal(stderr_of(say_each),
		"[Krafla] WARNING: w\n[Krafla] DEBUG | DRIVER: driver\n"
		"[Krafla] WARNING | LAYER: layer\n");
}

static void
is_silent_by_default(void **state)
{
	unsetenv("VK_LOADER_DEBUG");
	assert_string_equal(stderr_of(say_each), "");
	assert_false(kr_log_enabled(KR_LOG_ALL));
}

static void
a_sink_hears_everything(void **state)
{
	kr_log_set_mask(0);
	kr_log_set_sink(listen, heard);
	assert_true(kr_log_enabled(KR_LOG_DEBUG));
	kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "%s %d", "number", 7);
	assert_string_equal(heard, "number 7");
	assert_int_equal(heard_bits, KR_LOG_DEBUG | KR_LOG_DRIVER);
	kr_log_set_sink(NULL, NULL);
	kr_error("nobody listens");
	assert_int_equal(heard_count, 1);
}

/* K-09: as libvulkan.so.1 sets it, like the usual loader. */
static void
the_text_begins_in_its_column(void **state)
{
	kr_log_set_mask(KR_LOG_ALL);
	kr_log_set_prefix("[Vulkan Loader] ", 32);
	assert_string_equal(stderr_of(say_each),
		"[Vulkan Loader] ERROR:          e1\n"
		"[Vulkan Loader] WARNING:        w\n"
		"[Vulkan Loader] INFO:           i\n"
		"[Vulkan Loader] DEBUG:          d\n"
		"[Vulkan Loader] DEBUG | DRIVER: driver\n"
		"[Vulkan Loader] WARNING | LAYER: layer\n");
}

/* K-09 */
static void
words_are_known(void **state)
{
	static const struct {
		const char *word;
		uint32_t bits;
	} words[] = {
		{"", 0},
		{"all", KR_LOG_ALL},
		{"a", KR_LOG_ALL},
		{"err", KR_LOG_ERROR},
		{"error", KR_LOG_ERROR},
		{"w", KR_LOG_WARN},
		{"i", KR_LOG_INFO},
		{"p", KR_LOG_PERF},
		{"d", KR_LOG_DEBUG},
		{"dr", KR_LOG_DRIVER},
		{"la", KR_LOG_LAYER},
		{"implem,,w", KR_LOG_DRIVER | KR_LOG_WARN},
		{"ic", KR_LOG_DRIVER},
		{"none", 0},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(words); i++)
		assert_int_equal(
			kr_log_bits_from_list(words[i].word, strlen(words[i].word)), words[i].bits);
	/* No further than it was told. */
	assert_int_equal(kr_log_bits_from_list("error,warn", 5), KR_LOG_ERROR);
}

/* K-20: a settings file's levels stand in for those of the environment, until it goes. */
static void
a_settings_file_stands_in_for_the_environment(void **state)
{
	setenv("VK_LOADER_DEBUG", "error", 1);
	kr_log_set_override(KR_LOG_INFO);
	assert_true(kr_log_enabled(KR_LOG_INFO));
	assert_false(kr_log_enabled(KR_LOG_ERROR));
	kr_log_set_override(0);
	assert_false(kr_log_enabled(KR_LOG_INFO));
	assert_true(kr_log_enabled(KR_LOG_ERROR));
}

static void
say_fatal(void)
{
	kr_log(KR_LOG_FATAL | KR_LOG_ERROR | KR_LOG_VALIDATION, "vkFoo: bad [VUID-vkFoo-a]");
}

/* K-50 */
static void
what_ends_the_process_is_always_said(void **state)
{
	kr_log_set_mask(0);
	assert_true(kr_log_enabled(KR_LOG_FATAL | KR_LOG_ERROR));
	assert_string_equal(stderr_of(say_fatal), "[Krafla] ERROR: vkFoo: bad [VUID-vkFoo-a]\n");
}

static char story[64];

static void
remember(void *data, uint32_t bits, const char *message)
{
	strcat(story, message);
	/* Who is told may log, too. */
	if (!strcmp(message, "a"))
		kr_info("(b)");
}

/* K-50: nobody is told anything while a lock is held. */
static void
held_messages_come_at_the_end(void **state)
{
	struct kr_log_hold outer, inner;

	kr_log_set_sink(remember, NULL);
	kr_log_hold_begin(&outer);
	kr_info("a");
	kr_log_hold_begin(&inner);
	kr_info("c");
	kr_log_hold_end(&inner);
	kr_info("d");
	assert_string_equal(story, "");
	kr_log_hold_end(&outer);
	assert_string_equal(story, "a(b)cd");
	kr_info("e");
	assert_string_equal(story, "a(b)cde");
	kr_log_set_sink(NULL, NULL);
}

static char long_text[KR_LOG_LONGEST + 1000];

static void
say_long(void)
{
	kr_warn("%s", long_text);
}

/* Around the sizes at which the way of composing changes, and at the limit. */
static void
long_messages_come_whole(void **state)
{
	static const size_t sizes[] = {900, 990, 1000, 1004, 1005, 1006, 1007, 1008, 1020, 1023,
		1024, 1100, 5000, KR_LOG_LONGEST - 1, KR_LOG_LONGEST};

	kr_log_set_sink(listen, heard);
	kr_log_set_mask(KR_LOG_WARN);
	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++) {
		const char *line;

		memset(long_text, 'x', sizes[i]);
		long_text[sizes[i] - 1] = 'y';
		long_text[sizes[i]] = '\0';
		line = stderr_of(say_long);
		assert_string_equal(heard, long_text);
		assert_int_equal(strlen(line), strlen("[Krafla] WARNING: \n") + sizes[i]);
		assert_string_equal(line + strlen(line) - 2, "y\n");
	}
	kr_log_set_sink(NULL, NULL);
}

static void
too_long_messages_say_so(void **state)
{
	const char *line;

	memset(long_text, 'x', sizeof(long_text) - 1);
	kr_log_set_sink(listen, heard);
	kr_log_set_mask(KR_LOG_WARN);
	line = stderr_of(say_long);
	kr_log_set_sink(NULL, NULL);
	assert_int_equal(strlen(heard), KR_LOG_LONGEST);
	assert_string_equal(heard + strlen(heard) - 4, "x...");
	assert_string_equal(line + strlen(line) - 5, "x...\n");
}

static unsigned told;
static char last_count[128];

static void
count_messages(void *data, uint32_t bits, const char *message)
{
	told++;
	if (strstr(message, "left out"))
		snprintf(last_count, sizeof(last_count), "%s", message);
}

/* What a peer repeats is told a few times a second, and then how often it came. */
static void
repeated_messages_are_counted(void **state)
{
	struct kr_log_budget budget = {0};
	int64_t begin = kr_clock_now();

	kr_log_set_sink(count_messages, NULL);
	for (unsigned i = 0; i < 5000; i++)
		kr_log_limited(&budget, KR_LOG_WARN, "refused %u", i);
	assert_in_range(told, KR_LOG_BUDGET,
		(KR_LOG_BUDGET + 1) * (1 + (kr_clock_now() - begin) / KR_NSEC_PER_SEC));
	poll(NULL, 0, 1050);
	kr_log_limited(&budget, KR_LOG_WARN, "refused again");
	kr_log_set_sink(NULL, NULL);
	assert_non_null(strstr(last_count, " more messages like the next one were left out"));
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(says_what_is_asked_for, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(icd_means_driver_and_words_may_be_cut_or_longer, KR_TEST_KEEPS_MEMORY),
	KR_TEST(the_text_begins_in_its_column),
	KR_TEST(words_are_known),
	KR_TEST_FLAGS(a_settings_file_stands_in_for_the_environment, KR_TEST_KEEPS_MEMORY),
	KR_TEST(what_ends_the_process_is_always_said),
	KR_TEST_FLAGS(is_silent_by_default, KR_TEST_KEEPS_MEMORY),
	KR_TEST(a_sink_hears_everything),
	KR_TEST(held_messages_come_at_the_end),
	KR_TEST(long_messages_come_whole),
	KR_TEST(too_long_messages_say_so),
	KR_TEST(repeated_messages_are_counted),
};

KR_TEST_MAIN(tests)
