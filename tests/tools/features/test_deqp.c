/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla features --deqp`: when results hold the level of a must-pass list. V-02. The lists and
 * results are a few lines each, typed here in the form that VK-GL-CTS writes.
 */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#define LIST "vk-main-2022-03-01.txt"
#define NAME "android.software.vulkan.deqp.level"

static char output[65536];

/* Runs `krafla features` with these words: the exit code. Both outputs land in `output`. */
static int
features(const char *words)
{
	char command[2048];

	snprintf(command, sizeof(command),
		"cd %s && VK_DRIVER_FILES=" NULL_DIR "/null_icd.json " KRAFLA " features %s 2>&1",
		kr_test_dir(), words);
	return kr_test_shell(command, output, sizeof(output));
}

static void
says(int code, const char *words, const char *text)
{
	int got = features(words);

	if (got != code || !strstr(output, text))
		fail_msg("features %s: exit code %d, and not %d with \"%s\":\n%s", words, got, code,
			text, output);
}

/* Results as dEQP writes them. `cases` are "name Code", one a line; `end` closes the session. */
static void
write_results(const char *file, const char *cases, const char *end)
{
	static char text[65536];
	size_t used = (size_t)snprintf(text, sizeof(text),
		"#sessionInfo releaseName vulkan-cts-1.3.6\n#sessionInfo releaseId 0x00000001\n"
		"#sessionInfo targetName \"Default\"\n#beginSession\n");
	char name[128], code[64];
	int length;

	for (; sscanf(cases, "%127s %63s%n", name, code, &length) == 2; cases += length)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"\n#beginTestCaseResult %s\n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			"<TestCaseResult Version=\"0.3.4\" CasePath=\"%s\" CaseType=\"SelfValidate\">\n"
			" <ShaderSource>#version 310 es\n#endSession of nothing\n#define X "
			"&lt;Result StatusCode=&quot;Fail&quot;\n</ShaderSource>\n"
			" <Number Name=\"TestDuration\" Unit=\"us\">17</Number>\n"
			" <Result StatusCode=\"%s\">text</Result>\n</TestCaseResult>\n\n"
			"#endTestCaseResult\n",
			name, name, code);
	snprintf(text + used, sizeof(text) - used, "%s", end);
	kr_test_file(file, text);
}

#define END "\n#endSession\n"

static void
list_of_three(void)
{
	kr_test_file(LIST, "dEQP-VK.a.one\ndEQP-VK.a.two\ndEQP-VK.b.three\n");
}

static void
level_is_the_date_of_the_list(void **state)
{
	static const struct {
		const char *list, *level;
	} lists[] = {
		{"vk-master-2019-03-01.txt", "0x07E30301 (2019-03-01)"},
		{"vk-master-2020-03-01.txt", "0x07E40301 (2020-03-01)"},
		{"vk-main-2022-03-01.txt", "0x07E60301 (2022-03-01)"},
		{"vk-main-2024-02-29.txt", "0x07E8021D (2024-02-29)"},
	};

	write_results("r.qpa", "dEQP-VK.a.one Pass", END);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		char words[128];

		kr_test_file(lists[i].list, "dEQP-VK.a.one\n");
		snprintf(words, sizeof(words), "--deqp r.qpa --caselist %s", lists[i].list);
		says(0, words, lists[i].level);
		assert_non_null(strstr(output, "\nholds: "));
	}
}

static void
names_that_are_no_date(void **state)
{
	static const char *const lists[] = {
		"vk-main-2022-13-01.txt",
		"vk-main-2022-00-01.txt",
		"vk-main-2022-04-31.txt",
		"vk-main-2023-02-29.txt",
		"vk-main-2022-03-00.txt",
		"vk-main-2022-3-1.txt",
		"vk-main-2022-03-01.txt.txt",
		"vk-main-22-03-01.txt",
		"vk-main.txt",
		"gles3-main-2022-03-01.txt",
		"vk-main-0000-03-01.txt",
	};

	write_results("r.qpa", "dEQP-VK.a.one Pass", END);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		char words[128];

		kr_test_file(lists[i], "dEQP-VK.a.one\n");
		snprintf(words, sizeof(words), "--deqp r.qpa --caselist %s", lists[i]);
		says(125, words, lists[i]);
	}
}

static void
verdicts_that_hold_and_that_refuse(void **state)
{
	static const struct {
		const char *code;
		bool holds;
	} codes[] = {
		{"Pass", true},
		{"NotSupported", true},
		{"QualityWarning", true},
		{"CompatibilityWarning", true},
		{"Waiver", true},
		{"Fail", false},
		{"Pending", false},
		{"ResourceError", false},
		{"InternalError", false},
		{"Crash", false},
		{"Timeout", false},
		{"Passed", false},
	};

	list_of_three();
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		char cases[128];

		snprintf(cases, sizeof(cases),
			"dEQP-VK.a.one Pass\ndEQP-VK.a.two %s\ndEQP-VK.b.three Pass\n",
			codes[i].code);
		write_results("r.qpa", cases, END);
		says(codes[i].holds ? 0 : 1, "--deqp r.qpa --caselist " LIST,
			codes[i].holds ? "\nholds: " : "doesn't hold: 1 of 3 cases");
		if (!codes[i].holds)
			assert_non_null(strstr(output, "\n      dEQP-VK.a.two\n"));
	}
}

static void
missing_case_refuses(void **state)
{
	list_of_three();
	write_results("r.qpa", "dEQP-VK.a.one Pass\ndEQP-VK.other Fail\n", END);
	says(1, "--deqp r.qpa --caselist " LIST, "doesn't hold: 2 of 3 cases");
	assert_non_null(
		strstr(output, "[-] missing: 2\n      dEQP-VK.a.two\n      dEQP-VK.b.three\n"));
	assert_non_null(strstr(output, "1 results are of cases that the list hasn't got"));
}

static void
case_that_never_ends_refuses(void **state)
{
	static const struct {
		const char *end, *verdict;
	} ends[] = {
		{"\n#beginTestCaseResult dEQP-VK.b.three\n<TestCaseResult>\n", "truncated"},
		{"\n#beginTestCaseResult dEQP-VK.b.three\n <Result StatusCode=\"Pass\">\n",
			"truncated"},
		{"\n#beginTestCaseResult dEQP-VK.b.three\n <Result StatusCode=\"Pass\">\n" END,
			"truncated"},
		{"\n#beginTestCaseResult dEQP-VK.b.three\n <Result StatusCode=\"Pass\">\n"
		 "#beginTestCaseResult dEQP-VK.c\n#endTestCaseResult\n" END,
			"truncated"},
		{"\n#beginTestCaseResult dEQP-VK.b.three\n#endTestCaseResult\n" END, "no result"},
		{"\n#beginTestCaseResult dEQP-VK.b.three\n#terminateTestCaseResult Crash\n" END,
			"Crash"},
		{"\n#beginTestCaseResult dEQP-VK.b.three\n#terminateTestCaseResult Timeout\n" END,
			"Timeout"},
		{"\n#beginTestCaseResult dEQP-VK.b.three\n#terminateTestCaseResult Pass\n" END,
			"terminated"},
	};

	list_of_three();
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char row[64];

		write_results("r.qpa", "dEQP-VK.a.one Pass\ndEQP-VK.a.two Pass\n", ends[i].end);
		snprintf(row, sizeof(row), "[-] %s: 1\n      dEQP-VK.b.three", ends[i].verdict);
		says(1, "--deqp r.qpa --caselist " LIST, row);
	}
}

/* All cases are there, but nobody knows what the file has lost. */
static void
session_that_never_ends_refuses(void **state)
{
	static const char all[] = "dEQP-VK.a.one Pass\ndEQP-VK.a.two Pass\ndEQP-VK.b.three Pass\n";

	list_of_three();
	write_results("r.qpa", all, "");
	says(1, "--deqp r.qpa --caselist " LIST, "doesn't hold: the results aren't whole");
	write_results("r.qpa", all, "#beginSession\n" END);
	says(1, "--deqp r.qpa --caselist " LIST, "1 of its sessions");
	write_results("r.qpa", all, END "#beginSession\n#endSession\n");
	says(0, "--deqp r.qpa --caselist " LIST, "\nholds: ");
	write_results("r.qpa", all, END "#beginTestCaseResult dEQP-VK.x\n#endTestCaseResult\n");
	says(1, "--deqp r.qpa --caselist " LIST, "1 of its sessions");
}

static void
results_of_a_run_in_parts(void **state)
{
	list_of_three();
	write_results("a.qpa", "dEQP-VK.a.one Pass\ndEQP-VK.a.two NotSupported\n", END);
	write_results("b.qpa", "dEQP-VK.b.three Pass\ndEQP-VK.a.one Pass\n", END);
	says(0, "--deqp a.qpa --deqp b.qpa --caselist " LIST, "\nholds: ");
	says(1, "--deqp b.qpa --caselist " LIST, "[-] missing: 1\n");
	write_results("b.qpa", "dEQP-VK.b.three Pass\ndEQP-VK.a.one NotSupported\n", END);
	says(1, "--deqp a.qpa --deqp b.qpa --caselist " LIST,
		"[-] contradicted: 1\n      dEQP-VK.a.one");
	write_results("b.qpa", "dEQP-VK.b.three Pass\ndEQP-VK.b.three Fail\n", END);
	says(1, "--deqp a.qpa --deqp b.qpa --caselist " LIST,
		"[-] contradicted: 1\n      dEQP-VK.b.three");
}

static void
list_of_lists(void **state)
{
	assert_int_equal(mkdir(kr_test_path("vk-main-2022-03-01"), 0755), 0);
	assert_int_equal(mkdir(kr_test_path("vk-main-2022-03-01/image"), 0755), 0);
	kr_test_file(LIST,
		"# of parts\nvk-main-2022-03-01/api.txt\r\n"
		"vk-main-2022-03-01/image/store.txt\n");
	kr_test_file("vk-main-2022-03-01/api.txt", "dEQP-VK.a.one\n");
	kr_test_file("vk-main-2022-03-01/image/store.txt", "dEQP-VK.b.two\ndEQP-VK.b.two\n\n");
	write_results("r.qpa", "dEQP-VK.a.one Pass\n", END);
	says(1, "--deqp r.qpa --caselist " LIST, "missing: 1\n      dEQP-VK.b.two\n");
	write_results("r.qpa", "dEQP-VK.a.one Pass\ndEQP-VK.b.two Pass\n", END);
	says(0, "--deqp r.qpa --caselist " LIST, LIST ": 2 cases");
	/* A part that isn't there would have made the list a weaker one. */
	unlink(kr_test_path("vk-main-2022-03-01/api.txt"));
	says(125, "--deqp r.qpa --caselist " LIST, "api.txt' can't be read");
	kr_test_file("vk-main-2022-03-01/api.txt", "vk-main-2022-03-01/api.txt\n");
	says(125, "--deqp r.qpa --caselist " LIST, "line 1: ");
	kr_test_file(LIST, "../api.txt\n");
	says(125, "--deqp r.qpa --caselist " LIST, "'../api.txt' is no case");
	kr_test_file(LIST, "/etc/api.txt\n");
	says(125, "--deqp r.qpa --caselist " LIST, "is no case");
}

static void
files_that_are_bad(void **state)
{
	write_results("r.qpa", "dEQP-VK.a.one Pass\n", END);
	says(125, "--deqp r.qpa --caselist " LIST, LIST "' can't be read: No such file");
	kr_test_file(LIST, "");
	says(125, "--deqp r.qpa --caselist " LIST, "is empty");
	kr_test_file(LIST, "# nothing\n");
	says(125, "--deqp r.qpa --caselist " LIST, "holds no case");
	kr_test_file(LIST, "dEQP-VK.a.one\ndEQP-VK.a.tw");
	says(125, "--deqp r.qpa --caselist " LIST, "was cut");
	kr_test_file(LIST, "dEQP-VK.a.one\n<html>\n");
	says(125, "--deqp r.qpa --caselist " LIST, "line 2: '<html>'");
	unlink(kr_test_path(LIST));
	assert_int_equal(mkfifo(kr_test_path(LIST), 0600), 0);
	says(125, "--deqp r.qpa --caselist " LIST, "no regular file");
	unlink(kr_test_path(LIST));

	kr_test_file(LIST, "dEQP-VK.a.one\n");
	says(125, "--deqp none.qpa --caselist " LIST, "'none.qpa' can't be read: No such file");
	says(125, "--deqp . --caselist " LIST, "'.' can't be read: Is a directory");
	kr_test_file("text.qpa", "dEQP-VK.a.one Pass\n");
	says(125, "--deqp text.qpa --caselist " LIST, "is no .qpa file");
	assert_int_equal(mkfifo(kr_test_path("fifo.qpa"), 0600), 0);
	says(125, "--deqp fifo.qpa --caselist " LIST, "no regular file");
	says(125, "--deqp r.qpa --deqp none.qpa --caselist " LIST, "none.qpa");
}

/* Beside another question the system has the level that holds, and no other. V-01 V-06 */
static void
level_beside_another_question(void **state)
{
	static const char results[] = " --deqp r.qpa --caselist " LIST;
	char words[512];
	FILE *file;
	char text[1024] = "";

	list_of_three();
	write_results(
		"r.qpa", "dEQP-VK.a.one Pass\ndEQP-VK.a.two Pass\ndEQP-VK.b.three Pass\n", END);
	snprintf(words, sizeof(words), "--has %s 2022-03-01%s", NAME, results);
	says(0, words, NAME);
	snprintf(words, sizeof(words), "--has %s 2022-03-02%s", NAME, results);
	assert_int_equal(features(words), 1);
	snprintf(words, sizeof(words), "--has %s", NAME);
	assert_int_equal(features(words), 1);
	assert_int_equal(mkdir(kr_test_path("p"), 0755), 0);
	snprintf(words, sizeof(words), "--write-permissions p%s", results);
	says(0, words, NAME);
	file = fopen(kr_test_path("p/" NAME ".xml"), "r");
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	(void)fclose(file);
	assert_non_null(strstr(text, "132514561"));
	write_results("r.qpa", "dEQP-VK.a.one Pass\n", END);
	snprintf(words, sizeof(words), "--has %s%s", NAME, results);
	says(1, words, "the results don't hold the level");
	snprintf(words, sizeof(words), "--has %s --deqp none.qpa --caselist " LIST, NAME);
	says(125, words, "none.qpa");
}

static void
wrong_lines(void **state)
{
	says(2, "--deqp r.qpa", "--deqp and --caselist are given together");
	says(2, "--caselist " LIST, "--deqp and --caselist are given together");
	says(2, "--deqp r.qpa --caselist " LIST " --caselist " LIST, "one --caselist");
	says(2, "--deqp r.qpa --caselist " LIST " more", "'more' is one argument too many");
}

/* A million names, a line of 3 MiB, and a name that is longer than any may be. */
static void
large_files(void **state)
{
	FILE *list = fopen(kr_test_path(LIST), "w"), *results;

	assert_non_null(list);
	results = fopen(kr_test_path("r.qpa"), "w");
	assert_non_null(results);
	fputs("#beginSession\n", results);
	for (int i = 0; i < 1000000; i++) {
		fprintf(list, "dEQP-VK.large.case_%d\n", i);
		fprintf(results,
			"#beginTestCaseResult dEQP-VK.large.case_%d\n<Result StatusCode=\"%s\">\n",
			i, i == 777777 ? "Fail" : "Pass");
		if (i == 5) {
			for (int k = 0; k < 3 << 20; k++)
				putc('A', results);
			putc('\n', results);
		}
		fputs("#endTestCaseResult\n", results);
	}
	fputs("#beginTestCaseResult ", results);
	for (int k = 0; k < 100000; k++)
		putc('n', results);
	fputs("\n#endTestCaseResult\n#endSession\n", results);
	assert_int_equal(fclose(list), 0);
	assert_int_equal(fclose(results), 0);
	says(1, "--deqp r.qpa --caselist " LIST, "doesn't hold: 1 of 1000000 cases");
	assert_non_null(strstr(output, "[-] Fail: 1\n      dEQP-VK.large.case_777777\n"));
}

static void
progress_is_for_terminals(void **state)
{
	char command[1024];

	list_of_three();
	write_results("r.qpa", "dEQP-VK.a.one Pass\n", END);
	says(1, "--deqp r.qpa --caselist " LIST, "[-] missing: 2");
	assert_null(strstr(output, "MiB"));
	snprintf(command, sizeof(command),
		"cd %s && script -qec '" KRAFLA " features --deqp r.qpa --caselist " LIST
		"' /dev/null </dev/null",
		kr_test_dir());
	assert_int_equal(kr_test_shell(command, output, sizeof(output)), 1);
	assert_non_null(strstr(output, "r.qpa: 0 of 0 MiB"));
	assert_non_null(strstr(output, "[-] missing: 2"));
}

static void
what_is_said_as_json(void **state)
{
	json_t *root, *refusing;

	list_of_three();
	write_results("r.qpa", "dEQP-VK.a.one Pass\ndEQP-VK.a.two Fail\n", END);
	assert_int_equal(features("--json --deqp r.qpa --caselist " LIST), 1);
	root = json_loads(output, 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "version")), 0x07E60301);
	assert_true(json_is_false(json_object_get(root, "holds")));
	assert_int_equal(json_integer_value(json_object_get(root, "cases")), 3);
	assert_int_equal(json_integer_value(json_object_get(root, "refusing_cases")), 2);
	refusing = json_object_get(root, "refusing");
	assert_string_equal(json_string_value(json_array_get(json_object_get(refusing, "Fail"), 0)),
		"dEQP-VK.a.two");
	assert_int_equal(json_array_size(json_object_get(refusing, "missing")), 1);
	assert_int_equal(json_array_size(json_object_get(root, "files")), 1);
	json_decref(root);
}

static const struct kr_test tests[] = {
	KR_TEST(level_is_the_date_of_the_list),
	KR_TEST(names_that_are_no_date),
	KR_TEST(verdicts_that_hold_and_that_refuse),
	KR_TEST(missing_case_refuses),
	KR_TEST(case_that_never_ends_refuses),
	KR_TEST(session_that_never_ends_refuses),
	KR_TEST(results_of_a_run_in_parts),
	KR_TEST(list_of_lists),
	KR_TEST(files_that_are_bad),
	KR_TEST(level_beside_another_question),
	KR_TEST(wrong_lines),
	KR_TEST_SLOW(large_files, 0, 60),
	KR_TEST(progress_is_for_terminals),
	KR_TEST(what_is_said_as_json),
};

KR_TEST_MAIN(tests)
