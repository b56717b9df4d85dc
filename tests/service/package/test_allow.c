/* SPDX-License-Identifier: Apache-2.0 */
/* Allow lists: the one that comes with Krafla, and what is said of bad ones. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "service/package/allow.h"
#include "util/macros.h"

#define HEAD "platform 3\nlibraries libc.so.6\n"

static struct kr_allow_list *
parse(const char *text)
{
	struct kr_allow_list *list;
	char *reason;

	if (kr_allow_parse("3.txt", text, strlen(text), &list, &reason))
		fail_msg("refused: %s", reason);
	assert_null(reason);
	return list;
}

static void
is_refused(const char *text, size_t size, const char *words)
{
	struct kr_allow_list *list;
	char *reason;
	int ret = kr_allow_parse("3.txt", text, size, &list, &reason);

	if (!ret)
		fail_msg("it isn't refused, though it should be for: %s", words);
	assert_int_equal(ret, -EINVAL);
	if (!strstr(reason, words))
		fail_msg("refused with: %s\nand not for: %s", reason, words);
	free(reason);
}

static enum kr_allow_kind
kind(const struct kr_allow_list *list, const char *symbol)
{
	const struct kr_allow_rule *rule = kr_allow_find(list, symbol);

	if (!rule)
		fail_msg("%s isn't on the list", symbol);
	return rule->kind;
}

/* Words count for the names behind them, in their block. */
static void
words_of_a_list(void **state)
{
	struct kr_allow_list *list = parse(HEAD
		"application libxcb-*\n"
		"plain # comment\n\tnames malloc  free\n\tnames __isoc23_*\n\tuntil 4\n\tinstead  a b \n"
		"\tnames old\n"
		"family process\n\tdoes starts programs\n\tinstead x\n\tnames popen\n\tinstead y\n"
		"\tnames system\n"
		"noted n\n\tdoes d\n\tinstead i\n\tnames dlsym\n"
		"refused r\n\tdoes d\n\tinstead i\n\tnames gets\n"
		"family process\n\tdoes waits\n\tinstead i\n\tnames wait\n"
		"family net-work\n\tdoes d\n\tinstead i\n\tnames socket");
	char *families = kr_allow_families(list);

	assert_int_equal(list->version, 3);
	assert_int_equal(kind(list, "malloc"), KR_ALLOW_PLAIN);
	assert_int_equal(kr_allow_find(list, "free")->until, 0);
	assert_int_equal(kind(list, "__isoc23_strtol"), KR_ALLOW_PLAIN);
	assert_int_equal(kr_allow_find(list, "old")->until, 4);
	assert_string_equal(kr_allow_find(list, "old")->instead, "a b");
	assert_int_equal(kind(list, "popen"), KR_ALLOW_FAMILY);
	assert_string_equal(kr_allow_find(list, "popen")->word, "process");
	assert_string_equal(kr_allow_find(list, "popen")->does, "starts programs");
	assert_string_equal(kr_allow_find(list, "popen")->instead, "x");
	assert_string_equal(kr_allow_find(list, "system")->instead, "y");
	assert_string_equal(kr_allow_find(list, "system")->does, "starts programs");
	assert_int_equal(kind(list, "dlsym"), KR_ALLOW_NOTED);
	assert_int_equal(kind(list, "gets"), KR_ALLOW_REFUSED);
	assert_null(kr_allow_find(list, "mallo"));
	assert_null(kr_allow_find(list, "mallocs"));
	assert_true(kr_allow_is_library(list, "libc.so.6"));
	assert_true(kr_allow_is_library(list, "libxcb-dri3.so.0"));
	assert_false(kr_allow_is_library(list, "libxcb.so.1"));
	assert_false(kr_allow_is_library(list, "libc.so.61"));
	assert_string_equal(families, "process, net-work");
	assert_true(kr_allow_is_family(list, "process"));
	assert_false(kr_allow_is_family(list, "n"));
	free(families);
	kr_allow_destroy(list);
}

/* Each with file and line. */
static void
bad_lists(void **state)
{
	static const struct {
		const char *text, *words;
	} lists[] = {
		{"", "3.txt: it has no platform"},
		{"platform 3\n", "3.txt: it has no libraries"},
		{HEAD, "3.txt: it has no names"},
		{"libraries libc.so.6\n", "3.txt, line 1: libraries: the list must begin with"},
		{HEAD "platform 3\n", "3.txt, line 3: platform: it stands there twice"},
		{"platform\n", "3.txt, line 1: one number, 1 or more, must stand here"},
		{"platform 0\n", "3.txt, line 1: 0: one number"},
		{"platform 1x\n", "1x: one number"},
		{"platform 1 2\n", "1: one number"},
		{"platform 1234567\n", "1234567: one number"},
		{HEAD "libraries\n", "line 3: names of libraries must stand here"},
		{HEAD "libraries lib*.so\n", "lib*.so: a `*` may stand at the end of a name only"},
		{HEAD "colour red\n", "3.txt, line 3: colour: this word isn't known"},
		{HEAD "names f\n", "line 3: names: it belongs into a block"},
		{HEAD "plain x\n", "line 3: x: nothing stands behind plain"},
		{HEAD "family\n", "line 3: one word must stand here"},
		{HEAD "family a b\n", "line 3: a: one word must stand here"},
		{HEAD "family A\n", "A: it must be of small letters and dashes"},
		{HEAD "plain\nnames\n", "line 4: names of symbols must stand here"},
		{HEAD "plain\nnames *\n", "line 4: *: a `*` may stand at the end"},
		{HEAD "plain\nnames f\n\nnames g f\n", "line 6: f: it stands in the list twice"},
		{HEAD "plain\nnames g f*\nnames f*\n", "line 5: f*: it stands in the list twice"},
		{HEAD "plain\ndoes  \n", "line 4: a text must stand here"},
		{HEAD "family a\ndoes x\nnames f\n", "line 5: a: `does` and `instead` must say"},
		{HEAD "plain\nuntil 2\nnames f\n", "line 4: until: that version is older"},
		{HEAD "plain\nuntil x\nnames f\n", "line 4: x: one number"},
		{HEAD "plain\nnames f\x80\n", "line 4: only printable ASCII characters"},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(lists); i++)
		is_refused(lists[i].text, strlen(lists[i].text), lists[i].words);
	is_refused("platform 3\n\0", 12, "3.txt: it is no text: byte 11 is zero");
}

/* I-04: the list that is installed with Krafla. */
static void
list_of_the_platform(void **state)
{
	static const struct {
		const char *symbol, *word;
	} families[] = {
		{"popen", "process"},
		{"execve", "process"},
		{"posix_spawn", "process"},
		{"socket", "network"},
		{"__recv_chk", "network"},
		{"getpwuid_r", "users"},
		{"sigaction", "signals"},
		{"setenv", "process-state"},
		{"tcsetattr", "terminal"},
		{"ptrace", "inspection"},
		{"iopl", "hardware"},
	};
	struct kr_allow_lists lists;
	char *reason;

	if (kr_allow_read(0, &lists, &reason))
		fail_msg("%s", reason);
	assert_int_equal(lists.count, 1);
	assert_int_equal(lists.lists[0]->version, 1);
	for (size_t i = 0; i < KR_ARRAY_LEN(families); i++) {
		assert_int_equal(kind(lists.lists[0], families[i].symbol), KR_ALLOW_FAMILY);
		assert_string_equal(
			kr_allow_find(lists.lists[0], families[i].symbol)->word, families[i].word);
	}
	assert_int_equal(kind(lists.lists[0], "malloc"), KR_ALLOW_PLAIN);
	assert_int_equal(kind(lists.lists[0], "dlsym"), KR_ALLOW_NOTED);
	assert_int_equal(kind(lists.lists[0], "setuid"), KR_ALLOW_REFUSED);
	assert_int_equal(kr_allow_find(lists.lists[0], "readdir_r")->until, 1);
	assert_null(kr_allow_find(lists.lists[0], "clnt_create"));
	assert_true(kr_allow_is_library(lists.lists[0], "libm.so.6"));
	assert_false(kr_allow_is_library(lists.lists[0], "libresolv.so.2"));
	kr_allow_finish(&lists);
}

static void
write_list(const char *name, const char *text)
{
	mkdir(kr_test_path("platform"), 0755);
	kr_test_file(name, text);
	setenv("KRAFLA_PLATFORM", kr_test_path("platform"), 1);
}

static void
read_fails(unsigned version, int code, const char *words)
{
	struct kr_allow_lists lists;
	char *reason;
	int ret = kr_allow_read(version, &lists, &reason);

	if (ret != code || !strstr(reason, words))
		fail_msg("%d: %s\nand not %d for: %s", ret, reason, code, words);
	free(reason);
}

/* One version, and what comes after it; what isn't called as a list is no list. */
static void
versions_of_lists(void **state)
{
	struct kr_allow_lists lists;
	char *reason;

	write_list("platform/10.txt", "platform 10\nlibraries l\nplain\nnames f\n");
	write_list("platform/2.txt", "platform 2\nlibraries l\nplain\nnames f g\n");
	write_list("platform/02.txt", "nonsense");
	write_list("platform/2.txt~", "nonsense");
	assert_int_equal(kr_allow_read(0, &lists, &reason), 0);
	assert_int_equal(lists.count, 1);
	assert_int_equal(lists.lists[0]->version, 10);
	kr_allow_finish(&lists);
	assert_int_equal(kr_allow_read(2, &lists, &reason), 0);
	assert_int_equal(lists.count, 2);
	assert_int_equal(lists.lists[0]->version, 2);
	assert_int_equal(lists.lists[1]->version, 10);
	kr_allow_finish(&lists);
	read_fails(3, -ENOENT, "platform/3.txt is missing; there are versions 2 to 10");
}

/* A file or directory that is broken or missing is named. */
static void
lists_that_are_missing(void **state)
{
	setenv("KRAFLA_PLATFORM", kr_test_path("nowhere"), 1);
	read_fails(0, -ENOENT, "/nowhere can't be read: No such file or directory");
	write_list("platform/README", "");
	read_fails(0, -ENOENT, "there is no allow list in ");
	write_list("platform/1.txt", "platform 2\nlibraries l\nplain\nnames f\n");
	read_fails(0, -EINVAL, "platform/1.txt: it says platform 2, and isn't called so");
	write_list("platform/1.txt", "platform 1\nlibraries l\nplain\nnames f\n");
	write_list("platform/2.txt", "platform 2\nnonsense\n");
	read_fails(1, -EINVAL, "platform/2.txt, line 2: nonsense: this word isn't known");
	assert_int_equal(mkdir(kr_test_path("platform/3.txt"), 0755), 0);
	read_fails(3, -EISDIR, "platform/3.txt can't be read: Is a directory");
}

/* setenv keeps what it is told. */
static const struct kr_test tests[] = {
	KR_TEST(words_of_a_list),
	KR_TEST(bad_lists),
	KR_TEST(list_of_the_platform),
	KR_TEST_FLAGS(versions_of_lists, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(lists_that_are_missing, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
