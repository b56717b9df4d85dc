/* SPDX-License-Identifier: Apache-2.0 */
/* Which backend gives a buffer: KRAFLA_BUFFERS, and what there is. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer_rig.h"
#include "util/log.h"

static char messages[4096];
static unsigned message_count;

static void
remember(void *data, uint32_t bits, const char *message)
{
	size_t used = strlen(messages);

	message_count++;
	snprintf(messages + used, sizeof(messages) - used, "%s%s\n",
		bits & KR_LOG_LOUD ? "LOUD " : "", message);
}

/* Begins with KRAFLA_BUFFERS set to this; NULL: unset. */
static void
begin(const char *word)
{
	static char variable[64];

	snprintf(variable, sizeof(variable), "KRAFLA_BUFFERS=%s", word ? word : "");
	putenv(variable);
	kr_log_set_sink(remember, NULL);
	rig_begin();
}

static void
end(void)
{
	rig_end();
	kr_log_set_sink(NULL, NULL);
}

/* The backend of a new buffer, or -errno. */
static int
allocate_sized(uint32_t width, uint32_t height)
{
	const struct kr_buffer_desc desc = {width, height, 1, 1, 0x33};
	struct kr_buffer *buffer = NULL;
	int answer = kr_buffer_allocate(&desc, &buffer);

	if (!answer) {
		answer = (int)kr_buffer_get_info(buffer)->backend;
		kr_buffer_unref(buffer);
	} else {
		assert_null(buffer);
	}
	return answer;
}

static int
allocate(void)
{
	return allocate_sized(64, 64);
}

static void
check_auto(const char *word)
{
	begin(word);
	assert_int_equal(allocate(), KR_BUFFER_DMA_HEAP);
	rig_device_remove("dma_heap/system");
	assert_int_equal(allocate(), KR_BUFFER_UDMABUF);
	rig_device_remove("udmabuf");
	assert_int_equal(allocate(), KR_BUFFER_MEMFD);
	end();
}

static void
auto_takes_the_best_there_is(void **state)
{
	check_auto("auto");
}

static void
auto_is_the_default(void **state)
{
	check_auto(NULL);
}

/* The device is there, but gives nothing, or nothing of that size: the next. */
static void
auto_goes_on_when_a_device_refuses(void **state)
{
	begin("auto");
	rig_device_fails(-ENOMEM);
	assert_int_equal(allocate(), KR_BUFFER_MEMFD);
	assert_int_equal(rig_device_asked(), 2);
	rig_device_fails(0);
	rig_device_remove("dma_heap/system");
	rig_device_limits(65536);
	assert_int_equal(allocate_sized(64, 64), KR_BUFFER_UDMABUF);
	assert_int_equal(allocate_sized(1024, 1024), KR_BUFFER_MEMFD);
	end();
}

/* What was demanded is what there is, or nothing. */
static void
a_demand_is_kept(void **state)
{
	begin("memfd");
	assert_int_equal(allocate(), KR_BUFFER_MEMFD);
	assert_int_equal(rig_device_asked(), 0);
	end();
}

static void
a_demanded_device_is_used(void **state)
{
	begin("udmabuf");
	assert_int_equal(allocate(), KR_BUFFER_UDMABUF);
	assert_int_equal(rig_device_asked(), 1);
	assert_string_equal(messages, "");
	end();
}

static void
a_demand_that_cant_be_met_is_an_error(void **state)
{
	static const char *const words[] = {"udmabuf", "dma-heap"};
	static const char *const nodes[] = {"udmabuf", "dma_heap/system"};
	char path[300];

	for (int i = 0; i < 2; i++) {
		if (i) {
			end();
			messages[0] = '\0';
			message_count = 0;
		}
		begin(words[i]);
		rig_device_remove(nodes[i]);
		assert_int_equal(allocate(), -ENODEV);
		/* Told once and aloud, with what was asked for, what is missing, and what to do. */
		assert_int_equal(message_count, 1);
		assert_non_null(strstr(messages, "LOUD KRAFLA_BUFFERS demands"));
		assert_non_null(strstr(messages, words[i]));
		snprintf(path, sizeof(path), "%s/%s", rig_device_dir(), nodes[i]);
		assert_non_null(strstr(messages, path));
		assert_non_null(strstr(messages, "No such file or directory"));
		assert_non_null(strstr(messages, "KRAFLA_BUFFERS=auto"));
		assert_int_equal(allocate(), -ENODEV);
		assert_int_equal(message_count, 1);
	}
	end();
}

/* Running out says nothing about the backend. */
static void
a_lack_of_memory_stays_one(void **state)
{
	begin("dma-heap");
	rig_device_fails(-ENOMEM);
	assert_int_equal(allocate(), -ENOMEM);
	rig_device_fails(-EMFILE);
	assert_int_equal(allocate(), -EMFILE);
	assert_string_equal(messages, "");
	end();
}

static void
an_unknown_word_is_an_error(void **state)
{
	begin("dmaheap");
	assert_int_equal(allocate(), -ENODEV);
	assert_int_equal(allocate(), -ENODEV);
	assert_int_equal(message_count, 1);
	assert_non_null(strstr(messages, "LOUD KRAFLA_BUFFERS is 'dmaheap'"));
	assert_non_null(strstr(messages, KR_BUFFER_WORDS));
	assert_int_equal(rig_device_asked(), 0);
	end();
}

static void
what_there_is_can_be_asked(void **state)
{
	struct kr_buffer_backend_state states[KR_BUFFER_BACKENDS];

	begin("auto");
	kr_buffer_backends_ask(states);
	assert_int_equal(states[0].backend, KR_BUFFER_DMA_HEAP);
	assert_true(states[0].chosen && !states[1].chosen && !states[2].chosen);
	assert_int_equal(states[0].error | states[1].error | states[2].error, 0);
	assert_non_null(strstr(states[0].node, "/dma_heap/system"));
	assert_string_equal(states[2].node, "");
	rig_device_remove("dma_heap/system");
	rig_device_fails(-EPERM);
	kr_buffer_backends_ask(states);
	assert_int_equal(states[0].error, -ENOENT);
	assert_int_equal(states[1].error, -EPERM);
	assert_true(!states[0].chosen && !states[1].chosen && states[2].chosen);
	end();
}

/* Who only asks is told nothing, so that the one who allocates is. */
static void
an_unknown_word_chooses_nothing(void **state)
{
	struct kr_buffer_backend_state states[KR_BUFFER_BACKENDS];

	begin("stone");
	kr_buffer_backends_ask(states);
	assert_true(!states[0].chosen && !states[1].chosen && !states[2].chosen);
	assert_int_equal(message_count, 0);
	assert_int_equal(allocate(), -ENODEV);
	assert_int_equal(message_count, 1);
	end();
	assert_false(kr_buffer_word_is_known("stone"));
	assert_true(kr_buffer_word_is_known(NULL));
	assert_true(kr_buffer_word_is_known("auto"));
	/* Each that messages name is one. */
	assert_non_null(strstr(KR_BUFFER_WORDS, "auto, "));
	for (int i = 0; i < KR_BUFFER_BACKENDS; i++) {
		const char *name = kr_buffer_backend_name(states[i].backend);

		assert_true(kr_buffer_word_is_known(name));
		assert_non_null(strstr(KR_BUFFER_WORDS, name));
	}
}

static void
what_is_demanded_is_what_is_chosen(void **state)
{
	struct kr_buffer_backend_state states[KR_BUFFER_BACKENDS];

	begin("udmabuf");
	kr_buffer_backends_ask(states);
	assert_true(!states[0].chosen && states[1].chosen && !states[2].chosen);
	rig_device_remove("udmabuf");
	kr_buffer_backends_ask(states);
	assert_true(!states[0].chosen && !states[1].chosen && !states[2].chosen);
	end();
}

static const struct kr_test tests[] = {
	KR_TEST(auto_takes_the_best_there_is),
	KR_TEST(auto_is_the_default),
	KR_TEST(auto_goes_on_when_a_device_refuses),
	KR_TEST(a_demand_is_kept),
	KR_TEST(a_demanded_device_is_used),
	KR_TEST(a_demand_that_cant_be_met_is_an_error),
	KR_TEST(a_lack_of_memory_stays_one),
	KR_TEST(an_unknown_word_is_an_error),
	KR_TEST(what_there_is_can_be_asked),
	KR_TEST(an_unknown_word_chooses_nothing),
	KR_TEST(what_is_demanded_is_what_is_chosen),
};

int
main(int argc, char **argv)
{
	/* The environment gets its room here, not in a case whose memory is counted. */
	setenv("KRAFLA_BUFFERS", "", 1);
	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
