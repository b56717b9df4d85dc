/* SPDX-License-Identifier: Apache-2.0 */
/* V-03: The command line of `krafla check`, its reports, and which drivers it takes. */
#include "answer.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NULL_ " " NULL_MODULE

/* Where cases and drivers are made up, and no other driver of this machine is looked at. */
static void
be_alone(void)
{
	setenv("DIR", kr_test_dir(), 1);
	setenv("VK_DRIVER_FILES", "/nonexistent.json", 1);
	setenv("KRAFLA_PROPERTIES", "/nonexistent", 1);
	unsetenv("KRAFLA_NULL_DRIVER");
}

static void
wrong_lines(void **state)
{
	static const struct {
		const char *line, *said;
	} lines[] = {
		{"--filter", "needs a value"},
		{"--filter nothing.like.it", "--filter 'nothing.like.it' fits no case"},
		{"--jobs 0", "--jobs wants a number from 1 to 256, not '0'"},
		{"--jobs x", "not 'x'"},
		{"--timeout -1", "not '-1'"},
		{"--seed 99999999999999999999", "--seed wants a number"},
		{"--device 16", "--device wants a number from 0 to 15"},
		{"--json --tap", "both want standard output"},
		{"--list --tap", "--list runs nothing"},
		{"--list --junit x", "--list runs nothing"},
		{"--junit ''", "--junit wants the name of a file"},
		{"--nonsense", "unknown or ambiguous option"},
		{"-x", "unknown option '-x'"},
		{"--list=1", "takes no value"},
		{"a b", "'b' is one driver too many"},
		{"''", "the driver's name is empty"},
	};

	be_alone();
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(shell(KRAFLA " check %s 2>&1", lines[i].line), 2);
		expect(lines[i].said);
		expect("krafla help check");
	}
}

static void
no_drivers(void **state)
{
	static const struct {
		const char *driver, *said;
	} drivers[] = {
		{"$DIR/none.so", "none.so: No such file or directory"},
		{"$DIR", "is no file"},
		{"$DIR/fifo", "is no file"},
		{"$DIR/text.so", "text.so can't be used"},
		{"$DIR/empty.so", "empty.so can't be used"},
		{"$DIR/empty.json", "empty.json can't be used"},
		{"$DIR/list.json", "list.json can't be used"},
		{"$DIR/lost.json", "lost.so"},
		{"$DIR/self.json", "self.json"},
		{PLAIN_LIBRARY, "is no driver: it has neither the symbol HMI"},
		{"", "this machine has no driver"},
	};
	char deep[4096];

	be_alone();
	assert_int_equal(mkfifo(kr_test_path("fifo"), 0600), 0);
	kr_test_file("text.so", "no library\n");
	kr_test_file("empty.so", "");
	kr_test_file("empty.json", "");
	kr_test_file("list.json", "[]");
	kr_test_file("lost.json",
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": "
		"\"./lost.so\", \"api_version\": \"1.0\"}}");
	assert_int_equal(symlink("self.json", kr_test_path("self.json")), 0);
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		assert_int_equal(shell(KRAFLA " check %s 2>&1", drivers[i].driver), 3);
		expect(drivers[i].said);
	}
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	kr_test_file("deep.json", deep);
	assert_int_equal(shell(KRAFLA " check $DIR/deep.json 2>&1"), 3);
}

static void
cases_are_listed(void **state)
{
	json_t *list;

	be_alone();
	assert_int_equal(shell(KRAFLA " check --list --filter 'module.*' --filter '*.draw'"), 0);
	expect("module.has_the_tag: [D-02] hw_module_t::tag is HARDWARE_MODULE_TAG\n");
	expect("instances.draw: ");
	assert_null(strstr(answer, "opening."));
	assert_int_equal(shell(KRAFLA " check --list --json"), 0);
	list = json_loads(answer, 0, NULL);
	assert_true(json_array_size(list) > 40);
	json_decref(list);
}

/* Several at a time, and told in their order. */
static void
the_order_is_the_lists(void **state)
{
	be_alone();
	assert_int_equal(
		shell(KRAFLA
			" check --list --filter 'functions.*' --filter 'handles*' | cut -d: -f1 | tr '\\n' ' ' > $DIR/a; " KRAFLA
			" check --jobs 7 --filter 'functions.*' --filter 'handles*'" NULL_
			" | awk '/^  held/ {print $2}' | tr '\\n' ' ' > $DIR/b; "
			"cmp $DIR/a $DIR/b && wc -w < $DIR/b"),
		0);
	assert_true(strtoul(answer, NULL, 10) > 10);
}

static void
reports_say_the_same(void **state)
{
	json_t *root, *driver;

	be_alone();
	assert_int_equal(shell(KRAFLA " check --seed 4711 --junit $DIR/a.xml --filter 'module.*'"
				      " --filter instances.second_device" NULL_),
		0);
	expect("HAL module");
	expect("Krafla null driver, Vulkan 1.3");
	expect("7 cases, --seed 4711");
	expect("6 held, 0 failed, 1 not applicable, 0 skipped");
	assert_int_equal(
		shell(PYTHON " -c 'import xml.dom.minidom as m, os; "
			     "s = m.parse(os.environ[\"DIR\"] + \"/a.xml\")."
			     "getElementsByTagName(\"testsuite\")[0]; "
			     "print(s.getAttribute(\"tests\"), s.getAttribute(\"failures\"), "
			     "s.getAttribute(\"skipped\"))'"),
		0);
	assert_string_equal(answer, "7 0 1\n");
	assert_int_equal(shell(KRAFLA " check --tap --filter 'module.*'"
				      " --filter instances.second_device" NULL_),
		0);
	expect("TAP version 13\n");
	expect("ok 1 - module.has_the_tag\n");
	expect("ok 7 - instances.second_device # SKIP the driver has one physical device\n");
	expect("\n1..7\n");
	assert_int_equal(
		shell(KRAFLA " check --json --seed 18446744073709551615 --filter 'module.*'" NULL_),
		0);
	root = json_loads(answer, 0, NULL);
	driver = json_array_get(json_object_get(root, "drivers"), 0);
	assert_string_equal(
		json_string_value(json_object_get(driver, "seed")), "18446744073709551615");
	assert_int_equal(json_integer_value(json_object_get(driver, "native_buffer_version")), 8);
	assert_int_equal(json_integer_value(json_object_get(root, "held")), 6);
	json_decref(root);
}

static void
failures_are_in_each_report(void **state)
{
	be_alone();
	setenv("KRAFLA_NULL_DRIVER", "mutant=module_without_tag", 1);
	assert_int_equal(
		shell(KRAFLA " check --tap --junit $DIR/a.xml --filter 'module.*'" NULL_), 1);
	expect("not ok 1 - module.has_the_tag\n# requirement: D-02\n");
	expect("# seen: the module's tag is 0x00000000, where 0x48574d54 is due\n");
	assert_int_equal(shell("cat $DIR/a.xml"), 0);
	expect("tests=\"6\" failures=\"1\"");
	expect("<failure message=\"the module's tag is 0x00000000");
	/* Drivers without the version that a case needs. */
	setenv("KRAFLA_NULL_DRIVER", "mutant=no_such_mutant", 1);
	assert_int_equal(shell(KRAFLA " check --filter 'module.*'" NULL_), 0);
}

static void
files_are_there_or_not(void **state)
{
	be_alone();
	assert_int_equal(
		shell(KRAFLA " check --junit $DIR/none/a.xml --filter 'module.*'" NULL_ " 2>&1"),
		125);
	expect("a.xml can't be written: No such file or directory");
	assert_int_equal(
		shell(KRAFLA " check --junit /dev/full --filter 'module.*'" NULL_ " 2>&1"), 125);
	expect("/dev/full can't be written: No space left on device");
	assert_int_equal(
		shell(KRAFLA " check --junit $DIR --filter 'module.*'" NULL_ " 2>&1"), 125);
	expect("can't be written: Is a directory");
	assert_int_equal(shell("echo before > $DIR/b; ln -s b $DIR/link; " KRAFLA
			       " check --junit $DIR/link --filter 'module.*'" NULL_
			       " > /dev/null && readlink $DIR/link && head -c 5 $DIR/b"),
		0);
	assert_string_equal(answer, "b\n<?xml");
	assert_int_equal(shell("mkfifo $DIR/fifo; timeout 20 cat $DIR/fifo > $DIR/read & " KRAFLA
			       " check --junit $DIR/fifo --filter 'module.*'" NULL_
			       " > /dev/null; wait; tail -c 14 $DIR/read; test -p $DIR/fifo"),
		0);
	assert_string_equal(answer, "</testsuites>\n");
	/* Nobody reads: the file is there all the same. */
	assert_int_equal(
		shell("{ " KRAFLA " check --junit $DIR/d --filter 'f*'" NULL_
		      " 2> $DIR/said; echo $? > $DIR/code; } | true; sleep 1;"
		      "cat $DIR/code; tail -c 14 $DIR/d; cat $DIR/said; rm $DIR/d $DIR/code $DIR/said"),
		0);
	expect("125\n</testsuites>\nkrafla check: the answer can't be written to standard output");
	assert_int_equal(
		shell("umask 027; " KRAFLA " check --junit $DIR/c --filter 'module.*'" NULL_
		      " > /dev/null; stat -c %%a $DIR/c; ls $DIR | tr '\\n' ' '"),
		0);
	assert_string_equal(answer, "640\nb c fifo link read ");
}

/* Each that the loader would find, in turn: a HAL module, and a manifest through the adapter. */
static void
what_this_machine_has(void **state)
{
	be_alone();
	setenv("KRAFLA_PROP_ro_hardware_vulkan", "null", 1);
	setenv("KRAFLA_HAL_PATH", NULL_DIR, 1);
	setenv("VK_DRIVER_FILES", NULL_MANIFEST, 1);
	assert_int_equal(
		shell(KRAFLA " check --filter module.is_vulkan --filter instances.several"), 0);
	expect("vulkan.null.so, HAL module\n");
	expect("null_icd.json, through Krafla's adapter\n");
	expect("all 2 drivers: 4 held, 0 failed, 0 not applicable, 0 skipped\n");
}

/* Also where dlopen would look for another of that name. */
static void
a_bare_name_is_a_file(void **state)
{
	be_alone();
	assert_int_equal(shell("cd " NULL_DIR " && " KRAFLA
			       " check --filter module.is_vulkan vulkan.null.so"),
		0);
	expect("./vulkan.null.so, HAL module\n");
	assert_int_equal(shell("cd $DIR && cp " NULL_MANIFEST " a.json && " KRAFLA
			       " check --filter module.is_vulkan a.json"),
		0);
	expect("./a.json, through Krafla's adapter\n");
}

static void
devices_are_chosen(void **state)
{
	be_alone();
	setenv("KRAFLA_NULL_DRIVER", "devices=2", 1);
	assert_int_equal(
		shell(KRAFLA " check --device 1 --filter instances.second_device" NULL_), 0);
	expect("device 1 of 2");
	expect("1 held");
	assert_int_equal(shell(KRAFLA " check --device 2 --filter instances.draw" NULL_), 0);
	expect("skipped        instances.draw: the driver has 2 devices, and none of number 2");
}

/* What setenv replaces is kept. */
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(wrong_lines, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(no_drivers, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(cases_are_listed, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(the_order_is_the_lists, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(reports_say_the_same, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(failures_are_in_each_report, KR_TEST_KEEPS_MEMORY),
	KR_TEST_SLOW(files_are_there_or_not, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_FLAGS(what_this_machine_has, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_bare_name_is_a_file, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(devices_are_chosen, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
