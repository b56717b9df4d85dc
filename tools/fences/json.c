/* SPDX-License-Identifier: Apache-2.0 */
/* The same for programs: docs/commands.md has the keys. */
#include "tools/fences/report.h"

#include <jansson.h>
#include <stdio.h>

#include "tools/command/json_values.h"
#include "tools/fences/process.h"
#include "util/clock.h"

/* null for what isn't known. */
static json_t *
text_or_null(const char *text)
{
	return text[0] ? kr_tool_json_text(text) : json_null();
}

static json_t *
number_or_null(bool known, int64_t value)
{
	return known ? json_integer((json_int_t)value) : json_null();
}

static json_t *
make_owner(const struct kr_fences_sample *sample, pid_t pid)
{
	struct kr_fences_process process;

	if (!pid)
		return json_null();
	kr_fences_process_find(sample, pid, &process);
	return json_pack("{s:i, s:o, s:s}", "pid", (int)pid, "command",
		text_or_null(process.command), "state", kr_fences_state(process.state));
}

static json_t *
make_holders(const struct kr_fences_sample *sample, const struct kr_fences_row *row)
{
	static const char *const roles[] = {
		[KR_FENCES_HELD] = "fence",
		[KR_FENCES_PRODUCER] = "producer",
		[KR_FENCES_BUFFER] = "buffer",
	};
	json_t *array = json_array();
	size_t count;

	for (size_t i = row->first; i < row->first + row->count; i += count) {
		const struct kr_fences_seen *seen = &sample->seen[i];
		struct kr_fences_process process;

		count = 1;
		if (!seen->pid)
			continue; /* the table of sockets has it, no process */
		for (; i + count < row->first + row->count; count++) {
			if (seen[count].pid != seen->pid || seen[count].role != seen->role)
				break;
		}
		kr_fences_process_find(sample, seen->pid, &process);
		json_array_append_new(array,
			json_pack("{s:i, s:o, s:s, s:i, s:o}", "pid", (int)seen->pid, "command",
				text_or_null(process.command), "role", roles[seen->role],
				"descriptors", (int)count, "buffer", text_or_null(seen->buffer)));
	}
	return array;
}

static json_t *
make_fence(const struct kr_fences_sample *sample, const struct kr_fences_row *row)
{
	const struct kr_fence_description *about = &row->best->about;
	const char *status = about->status < 0     ? "failed"
		: about->status == KR_FENCE_ACTIVE ? "active"
						   : "signalled";

	return json_pack("{s:o, s:o, s:o, s:i, s:s, s:o, s:s, s:o, s:o, s:b, s:b, s:o, s:o}",
		"name", text_or_null(about->name), "timeline", text_or_null(about->timeline),
		"point",
		number_or_null(about->point && about->point <= INT64_MAX, (int64_t)about->point),
		"points", (int)about->points, "backend",
		about->kind == KR_FENCE_KIND_KERNEL ? "kernel" : "user", "driver",
		text_or_null(about->driver), "status", status, "errno",
		number_or_null(about->status < 0, -about->status), "age_ns",
		number_or_null(row->age_ns >= 0, row->age_ns), "late", row->late, "elsewhere",
		row->elsewhere, "owner", make_owner(sample, about->owner), "holders",
		make_holders(sample, row));
}

static json_t *
make_processes(const struct kr_fences_sample *sample)
{
	json_t *array = json_array();

	for (size_t i = 0; i < sample->process_count; i++) {
		const struct kr_fences_process *process = &sample->processes[i];
		bool any = process->counts[KR_FENCES_HELD] || process->counts[KR_FENCES_PRODUCER] ||
			process->counts[KR_FENCES_BUFFER];

		if (process->beside || (!any && !process->named && !process->not_seen))
			continue;
		json_array_append_new(array,
			json_pack("{s:i, s:o, s:i, s:i, s:i, s:o}", "pid", (int)process->pid,
				"command", text_or_null(process->command), "fences",
				(int)process->counts[KR_FENCES_HELD], "producers",
				(int)process->counts[KR_FENCES_PRODUCER], "buffers",
				(int)process->counts[KR_FENCES_BUFFER], "not_seen",
				kr_tool_json_text(process->not_seen)));
	}
	return array;
}

static json_t *
make_findings(const struct kr_fences_findings *findings)
{
	json_t *array = json_array();

	for (size_t i = 0; i < findings->count; i++) {
		const struct kr_fences_finding *finding = &findings->findings[i];
		json_t *object =
			json_pack("{s:s, s:o, s:o}", "kind", finding->leak ? "leak" : "late", "pid",
				number_or_null(finding->pid, finding->pid), "text",
				kr_tool_json_text(finding->text));

		if (finding->row)
			json_object_set_new(object, "fences", json_integer(finding->fences));
		if (finding->group) {
			json_object_set_new(
				object, "timeline", text_or_null(finding->group->timeline));
			json_object_set_new(
				object, "descriptors", json_integer(finding->group->counts[0]));
			json_object_set_new(object, "grown", json_integer(finding->grown));
		}
		json_array_append_new(array, object);
	}
	return array;
}

int
kr_fences_print_json(const struct kr_fences_report *report, bool lines)
{
	json_t *fences = json_array(), *all;
	int failed;

	for (size_t i = 0; i < report->rows->count; i++)
		json_array_append_new(fences, make_fence(report->sample, &report->rows->rows[i]));
	all = json_pack("{s:s, s:I, s:I, s:o, s:o, s:o}", "krafla", KRAFLA_VERSION, "taken_ns",
		(json_int_t)report->sample->taken_ns, "budget_ms",
		(json_int_t)(report->budget_ns / KR_NSEC_PER_MSEC), "fences", fences, "processes",
		make_processes(report->sample), "findings", make_findings(report->findings));
	failed = all ? json_dumpf(all, stdout, lines ? JSON_COMPACT : JSON_INDENT(2)) : -1;
	putchar('\n');
	json_decref(all);
	return failed;
}
