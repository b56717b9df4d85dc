/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON object, when all is known. */
#include "check/run/report.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

struct json_report {
	struct check_report base; /* first */
	json_t *drivers, *driver, *cases;
};

/* Paths needn't be UTF-8. */
static json_t *
text(const char *string)
{
	json_t *value = string ? json_string(string) : json_null();

	return value ? value : json_string("?");
}

static json_t *
version(uint32_t v)
{
	return json_sprintf("%u.%u.%u", VK_API_VERSION_MAJOR(v), VK_API_VERSION_MINOR(v),
		VK_API_VERSION_PATCH(v));
}

static void
begin(struct check_report *report, const struct check_run_facts *facts)
{
	struct json_report *json = (struct json_report *)report;
	const struct check_facts *f = facts->facts;

	json->driver = json_object();
	json->cases = json_array();
	json_array_append_new(json->drivers, json->driver);
	json_object_set_new(json->driver, "name", text(facts->driver->name));
	json_object_set_new(json->driver, "module", text(facts->driver->module));
	json_object_set_new(json->driver, "icd", text(facts->driver->icd));
	json_object_set_new(
		json->driver, "seed", json_sprintf("%llu", (unsigned long long)facts->seed));
	if (f->known) {
		json_object_set_new(json->driver, "device", text(f->device_name));
		json_object_set_new(
			json->driver, "device_index", json_integer(facts->driver->device));
		json_object_set_new(json->driver, "devices", json_integer(f->device_count));
		json_object_set_new(json->driver, "api_version", version(f->api_version));
		json_object_set_new(
			json->driver, "native_buffer_version", json_integer(f->version));
	}
	json_object_set_new(json->driver, "cases", json->cases);
}

static json_t *
calls(const struct check_result *result)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < result->call_count; i++)
		json_array_append_new(array,
			json_pack("{s:o, s:i, s:I}", "name", text(result->calls[i].name), "thread",
				(int)result->calls[i].thread, "at_ns",
				(json_int_t)result->calls[i].at_ns));
	return array;
}

static void
add_end(json_t *row, const struct check_result *result)
{
	json_object_set_new(row, "calls", calls(result));
	json_object_set_new(row, "hung", json_boolean(result->hung));
	if (result->signal)
		json_object_set_new(row, "signal", json_integer(result->signal));
	if (result->trace)
		json_object_set_new(row, "backtrace", text(result->trace));
	if (result->output)
		json_object_set_new(row, "output", text(result->output));
	if (result->output_lost)
		json_object_set_new(
			row, "output_lost", json_integer((json_int_t)result->output_lost));
}

static void
add_result(struct check_report *report, const struct check_result *result)
{
	struct json_report *json = (struct json_report *)report;
	json_t *row = json_object(), *remarks = json_array();

	json_object_set_new(row, "name", text(result->row->name));
	json_object_set_new(row, "section", text(result->section));
	json_object_set_new(row, "requirement", text(result->row->requirement));
	json_object_set_new(row, "expected", text(result->row->expected));
	json_object_set_new(row, "consequence", text(result->row->consequence));
	json_object_set_new(row, "optional", json_boolean(result->row->optional));
	json_object_set_new(row, "verdict", text(check_verdict_word(result)));
	json_object_set_new(row, "seconds", json_real(result->seconds));
	if (result->seen[0])
		json_object_set_new(row, "seen", text(result->seen));
	for (unsigned i = 0; i < result->remark_count; i++)
		json_array_append_new(remarks, text(result->remarks[i]));
	json_object_set_new(row, "remarks", remarks);
	if (result->verdict <= CHECK_NO_VERDICT || result->verdict == CHECK_FAILED)
		add_end(row, result);
	json_array_append_new(json->cases, row);
}

static void
add_totals(json_t *object, const struct check_totals *totals)
{
	json_object_set_new(object, "held", json_integer(totals->held));
	json_object_set_new(object, "failed", json_integer(totals->failed));
	json_object_set_new(object, "not_applicable", json_integer(totals->not_applicable));
	json_object_set_new(object, "skipped", json_integer(totals->skipped));
	json_object_set_new(object, "remarks", json_integer(totals->remarks));
}

static void
end(struct check_report *report, const struct check_totals *totals)
{
	add_totals(((struct json_report *)report)->driver, totals);
}

static int
finish(struct check_report *report, const struct check_totals *totals)
{
	struct json_report *json = (struct json_report *)report;
	json_t *root = json_object();
	int ret;

	add_totals(root, totals);
	json_object_set_new(root, "drivers", json->drivers);
	ret = json_dumpf(root, report->out, JSON_INDENT(2) | JSON_ENSURE_ASCII) ? -ENOMEM : 0;
	fputc('\n', report->out);
	json_decref(root);
	free(json);
	return ret;
}

static const struct check_report_impl impl = {
	.begin = begin,
	.result = add_result,
	.end = end,
	.finish = finish,
};

struct check_report *
check_report_json(FILE *out)
{
	struct json_report *json = calloc(1, sizeof(*json));

	if (!json)
		return NULL;
	json->base = (struct check_report){&impl, out};
	json->drivers = json_array();
	return &json->base;
}
