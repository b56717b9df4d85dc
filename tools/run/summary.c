/* SPDX-License-Identifier: Apache-2.0 */
/* The two forms of the summary. Keys of the JSON are a promise: docs/commands.md lists them. */
#include "tools/run/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "colour/space.h"
#include "gralloc/buffer.h"
#include "tools/command/command.h"
#include "tools/command/json_values.h"
#include "tools/run/capture/report.h"
#include "tools/run/composing.h"
#include "tools/run/place.h"
#include "util/clock.h"
#include "util/text.h"

#define MHZ_PER_HZ 1000

/* Of the pictures, which may be another size than programs heard. */
static uint32_t
width_of(const struct kr_session *session)
{
	return session->stats.width ? session->stats.width : session->options->width;
}

static uint32_t
height_of(const struct kr_session *session)
{
	return session->stats.height ? session->stats.height : session->options->height;
}

static double
ms(int64_t ns)
{
	return (double)ns / (double)KR_NSEC_PER_MSEC;
}

static int64_t
mean_latency(const struct kr_display_stats *stats)
{
	return stats->latency_count ? stats->latency_sum / (int64_t)stats->latency_count : 0;
}

/* DESIGN 6: the lowest of the windows' tiers; NULL as long as no frame was shown. */
static const char *
tier_name(const struct kr_display_stats *stats)
{
	if (!stats->windows)
		return NULL;
	if (stats->windows_t1 != stats->windows)
		return "T0";
	return stats->plane_frames >= stats->shown && !stats->user_fences && stats->kernel_fences
		? "T2"
		: "T1";
}

/* What came, which is what the tier is made of. */
static void
print_tier(const struct kr_display_stats *stats, FILE *out)
{
	const struct {
		uint64_t count;
		const char *what;
	} fences[] = {
		{stats->kernel_fences, "with a kernel's fence"},
		{stats->user_fences, "with a fence of user space"},
		{stats->unfenced, "without a fence (present may wait on the CPU for its frame)"},
	};
	const char *between = "";

	fprintf(out, "  tier       %s: ", tier_name(stats));
	for (int backend = 1; backend <= KR_BUFFER_GPU; backend++) {
		if (!(stats->backends & (1u << backend)))
			continue;
		fprintf(out, "%s%s", between,
			kr_buffer_backend_name((enum kr_buffer_backend)backend));
		between = " and ";
	}
	fputs(" buffers; frames ", out);
	between = "";
	for (size_t i = 0; i < KR_ARRAY_LEN(fences); i++) {
		if (!fences[i].count)
			continue;
		fprintf(out, "%s%" PRIu64 " %s", between, fences[i].count, fences[i].what);
		between = ", ";
	}
	if (stats->plane_frames)
		fprintf(out, "; %" PRIu64 " on planes", stats->plane_frames);
	fputc('\n', out);
}

static void
print_skipped(const struct kr_display_stats *stats, FILE *out)
{
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
		{stats->hidden, "frames of which nothing was seen"},
		{stats->dropped, "frames replaced by newer ones before they were shown"},
		{stats->dropped_late, "frames whose time had passed, or was far off at the end"},
		{stats->late, "frames after the last picture that was asked for"},
		{stats->failed, "frames whose acquire fence failed"},
		{stats->stuck, "frames whose acquire fence did not signal for 5 s"},
		{stats->idle_skips, "ticks that did not wait for an idle window"},
		{stats->groups_missed,
			"programs that the first tick did not wait for: another run may give other pictures"},
		{stats->rejected, "connections refused"},
	};
	bool any = false;

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		if (rows[i].count)
			fprintf(out, "%s%" PRIu64 " %s\n", any ? "             " : "  skipped    ",
				rows[i].count, rows[i].what);
		any |= rows[i].count > 0;
	}
	if (!any)
		fputs("  skipped    nothing\n", out);
}

/* Of a display that has several. */
static void
print_rates(const struct kr_display_stats *stats, FILE *out)
{
	if (stats->rate_count < 2)
		return;
	for (unsigned i = 0; i < stats->rate_count; i++)
		fprintf(out, "%s%.7g Hz%s %" PRIu64, i ? ", " : "  rates      ",
			(double)stats->rates_mhz[i] / MHZ_PER_HZ, i ? "" : ": pictures",
			stats->rate_pictures[i]);
	fputc('\n', out);
}

static void
print_wish(const struct kr_frame_rate *wish, FILE *out)
{
	if (wish->rate > 0)
		fprintf(out, ", wished for %s%.7g Hz",
			wish->compatibility == NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE
				? "a multiple of "
				: "",
			(double)wish->rate);
}

static void
print_windows(const struct kr_session *session, FILE *out)
{
	uint64_t more = session->stats.producers - session->window_count;

	for (unsigned i = 0; i < session->window_count; i++) {
		fprintf(out, "%s%s (pid %d) on %s", i ? "             " : "  windows    ",
			session->windows[i].label ? session->windows[i].label : "?",
			session->windows[i].pid,
			session->windows[i].device ? session->windows[i].device : "no device");
		print_wish(&session->windows[i].wish, out);
		fputc('\n', out);
	}
	if (more)
		fprintf(out, "             and %" PRIu64 " more\n", more);
}

static void
print_stuck(const struct kr_session *session, FILE *out)
{
	char sentence[KR_FENCE_SENTENCE];

	for (unsigned i = 0; i < session->stuck_count; i++) {
		const struct kr_session_stuck *stuck = &session->stuck[i];

		kr_fence_sentence(&stuck->fence, sentence);
		fprintf(out, "%sframe %" PRIu64 " of %s (pid %d) for the fence %s\n",
			i ? "             " : "  waited 5 s ", stuck->frame,
			stuck->label ? stuck->label : "?", stuck->pid, sentence);
	}
}

static void
print_names(const struct kr_run_options *options, FILE *out)
{
	unsigned more = options->program_count - 1;

	fputs(options->programs[0].argv[0], out);
	if (more)
		fprintf(out, " and %u other program%s", more, more > 1 ? "s" : "");
}

static void
print_counts(const struct kr_display_group_stats *group, FILE *out)
{
	fprintf(out, "%" PRIu64 " window%s, frames %" PRIu64 " queued, %" PRIu64 " shown",
		group->windows, group->windows == 1 ? "" : "s", group->frames_queued, group->shown);
	if (group->hidden)
		fprintf(out, ", %" PRIu64 " hidden", group->hidden);
	if (group->dropped)
		fprintf(out, ", %" PRIu64 " replaced", group->dropped);
}

/* Of one program alone the other lines say it. */
static void
print_programs(const struct kr_session *session, FILE *out)
{
	const struct kr_display_group_stats *others = &session->groups[KR_DISPLAY_MAX_GROUPS];
	unsigned count = session->options->program_count;

	if (count == 1 && !others->windows)
		return;
	for (unsigned i = 0; i < count; i++) {
		int status = session->programs->children[i].status;

		fprintf(out, "%s%u %s: ", i ? "             " : "  programs   ", i + 1,
			session->options->programs[i].argv[0]);
		print_counts(&session->groups[i], out);
		if (WIFSIGNALED(status))
			fprintf(out, ", ended by signal %d\n", WTERMSIG(status));
		else
			fprintf(out, ", exit code %d\n", WEXITSTATUS(status));
	}
	if (others->windows) {
		fputs("             joined by others: ", out);
		print_counts(others, out);
		fputc('\n', out);
	}
}

void
kr_summary_print(const struct kr_summary *summary, FILE *out)
{
	const struct kr_session *session = summary->session;
	const struct kr_run_options *options = session->options;
	const struct kr_display_stats *stats = &session->stats;
	char rates[KR_RUN_RATES_TEXT];
	int32_t transform;

	if (!session->display)
		return;
	transform = kr_display_get_transform(session->display);
	fprintf(out, "krafla: ");
	print_names(options, out);
	fprintf(out, " on a display of %" PRIu32 "x%" PRIu32 "@%s, %s%s%s%s%s%s clock, %.2f s\n",
		width_of(session), height_of(session), kr_run_rates_text(options, rates),
		options->dataspace ? kr_colour_name(options->dataspace) : "",
		options->dataspace ? ", " : "", transform ? "turned " : "",
		transform ? kr_layout_turn_name(transform) : "", transform ? ", " : "",
		options->clock == KR_CLOCK_VIRTUAL ? "virtual" : "real",
		(double)summary->wall_ns / (double)KR_NSEC_PER_SEC);
	fprintf(out, "  frames     %" PRIu64 " queued, %" PRIu64 " shown in %" PRIu64 " pictures",
		stats->queued, stats->shown, stats->composed);
	kr_capture_print_written(session->outputs.open[KR_RUN_OUTPUT_CAPTURE], out);
	fputc('\n', out);
	print_rates(stats, out);
	kr_capture_print_waits(session->outputs.open[KR_RUN_OUTPUT_CAPTURE], out);
	kr_run_outputs_print(&session->outputs, options, out);
	if (stats->latency_count)
		fprintf(out, "  waiting    acquire to present min %.2f, mean %.2f, max %.2f ms\n",
			ms(stats->latency_min), ms(mean_latency(stats)), ms(stats->latency_max));
	kr_composing_print(stats, out);
	if (tier_name(stats))
		print_tier(stats, out);
	kr_run_costs_print(&session->witness.egl, out);
	print_programs(session, out);
	print_windows(session, out);
	print_skipped(stats, out);
	print_stuck(session, out);
}

static const char *
end_name(enum kr_run_end end)
{
	static const char *const names[] = {
		[KR_RUN_END_PROGRAM] = "program",
		[KR_RUN_END_FRAMES] = "frames",
		[KR_RUN_END_SIGNAL] = "signal",
		[KR_RUN_END_CLOSED] = "closed",
		[KR_RUN_END_ERROR] = "error",
	};

	return names[end];
}

static json_t *
json_program(const struct kr_session *session, unsigned number)
{
	const struct kr_display_group_stats *group = &session->groups[number];
	int status = session->programs->children[number].status;
	json_t *argv = json_array();

	for (char **word = session->options->programs[number].argv; *word; word++)
		json_array_append_new(argv, kr_tool_json_text(*word));
	return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "argv", argv, "exit_code",
		WIFEXITED(status) ? json_integer(WEXITSTATUS(status)) : json_null(), "signal",
		WIFSIGNALED(status) ? json_integer(WTERMSIG(status)) : json_null(), "windows",
		(json_int_t)group->windows, "queued", (json_int_t)group->frames_queued, "shown",
		(json_int_t)group->shown, "hidden", (json_int_t)group->hidden, "dropped",
		(json_int_t)group->dropped);
}

static json_t *
json_programs(const struct kr_session *session)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < session->options->program_count; i++)
		json_array_append_new(array, json_program(session, i));
	return array;
}

/* From 1, as on the command line; null for a window that is none's. */
static json_t *
json_program_number(int program)
{
	return program == KR_DISPLAY_NO_GROUP ? json_null() : json_integer(program + 1);
}

static json_t *
json_wish(const struct kr_frame_rate *wish)
{
	bool fixed = wish->compatibility == NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE;
	bool always = wish->strategy == NATIVE_WINDOW_CHANGE_FRAME_RATE_ALWAYS;

	return kr_tool_json_wish((double)wish->rate, fixed, always);
}

static json_t *
json_windows(const struct kr_session *session)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < session->window_count; i++)
		json_array_append_new(array,
			json_pack("{s:o, s:i, s:o, s:o, s:o}", "label",
				kr_tool_json_text(session->windows[i].label), "pid",
				session->windows[i].pid, "program",
				json_program_number(session->windows[i].program), "device",
				kr_tool_json_text(session->windows[i].device), "wish",
				json_wish(&session->windows[i].wish)));
	return array;
}

static json_t *
json_stuck(const struct kr_session *session)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < session->stuck_count; i++) {
		const struct kr_session_stuck *stuck = &session->stuck[i];
		const struct kr_fence_description *fence = &stuck->fence;

		json_array_append_new(array,
			json_pack("{s:o, s:i, s:I, s:o, s:o, s:I, s:i}", "label",
				kr_tool_json_text(stuck->label), "pid", stuck->pid, "frame",
				(json_int_t)stuck->frame, "fence", kr_tool_json_text(fence->name),
				"timeline", kr_tool_json_text(fence->timeline), "point",
				(json_int_t)fence->point, "owner", (int)fence->owner));
	}
	return array;
}

static json_t *
json_rates(const struct kr_display_stats *stats)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < stats->rate_count; i++)
		json_array_append_new(array,
			json_pack("{s:I, s:I}", "refresh_mhz", (json_int_t)stats->rates_mhz[i],
				"pictures", (json_int_t)stats->rate_pictures[i]));
	return array;
}

static json_t *
json_display(const struct kr_session *session)
{
	const struct kr_run_options *options = session->options;

	return json_pack("{s:I, s:I, s:I, s:s, s:s, s:s, s:o}", "width",
		(json_int_t)width_of(session), "height", (json_int_t)height_of(session),
		"refresh_mhz", (json_int_t)options->refresh_mhz, "clock",
		options->clock == KR_CLOCK_VIRTUAL ? "virtual" : "real", "colour",
		kr_colour_name(kr_colour_resolve(options->dataspace, HAL_DATASPACE_SRGB)), "rotate",
		kr_layout_turn_name(kr_display_get_transform(session->display)), "rates",
		json_rates(&session->stats));
}

static json_t *
json_frames(const struct kr_session *session)
{
	const struct kr_display_stats *stats = &session->stats;

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "requested",
		(json_int_t)session->options->frames, "queued", (json_int_t)stats->queued, "shown",
		(json_int_t)stats->shown, "hidden", (json_int_t)stats->hidden, "composed",
		(json_int_t)stats->composed, "captured",
		(json_int_t)session->outputs.shown[KR_RUN_OUTPUT_CAPTURE], "dropped",
		(json_int_t)stats->dropped, "failed", (json_int_t)stats->failed, "stuck",
		(json_int_t)stats->stuck, "late", (json_int_t)stats->late, "dropped_late",
		(json_int_t)stats->dropped_late);
}

static json_t *
json_buffers(const struct kr_display_stats *stats)
{
	json_t *array = json_array();

	for (int backend = 1; backend <= KR_BUFFER_GPU; backend++) {
		if (stats->backends & (1u << backend))
			json_array_append_new(array,
				json_string(
					kr_buffer_backend_name((enum kr_buffer_backend)backend)));
	}
	return array;
}

static json_t *
json_fences(const struct kr_display_stats *stats)
{
	return json_pack("{s:I, s:I, s:I}", "kernel", (json_int_t)stats->kernel_fences, "user",
		(json_int_t)stats->user_fences, "none", (json_int_t)stats->unfenced);
}

static json_t *
json_latency(const struct kr_display_stats *stats)
{
	if (!stats->latency_count)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I}", "count", (json_int_t)stats->latency_count, "min",
		(json_int_t)stats->latency_min, "mean", (json_int_t)mean_latency(stats), "max",
		(json_int_t)stats->latency_max);
}

static json_t *
json_summary(const struct kr_summary *summary)
{
	const struct kr_session *session = summary->session;
	const struct kr_display_stats *stats = &session->stats;
	const char *tier = tier_name(stats);
	json_t *display = session->display ? json_display(session) : json_null();

	return json_pack(
		"{s:s, s:o, s:o, s:s, s:i, s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:I, s:I}}",
		"krafla", KRAFLA_VERSION, "program", json_program(session, 0), "programs",
		json_programs(session), "ended_by", end_name(summary->end), "exit_code",
		summary->exit_code, "wsi", session->options->driver_wsi ? "driver" : "platform",
		"wall_s", (double)summary->wall_ns / (double)KR_NSEC_PER_SEC, "display", display,
		"frames", json_frames(session), "modes", kr_composing_modes_json(stats), "captures",
		kr_capture_report_json(session->outputs.open[KR_RUN_OUTPUT_CAPTURE]), "outputs",
		kr_run_outputs_json(&session->outputs, session->options), "pictures",
		kr_composing_json(stats), "ticks", kr_composing_ticks_json(stats),
		"acquire_to_present_ns", json_latency(stats), "tier",
		tier ? json_string(tier) : json_null(), "buffers", json_buffers(stats), "fences",
		json_fences(stats), "egl", kr_run_costs_json(&session->witness.egl), "windows",
		json_windows(session), "stuck_fences", json_stuck(session), "skipped", "idle_ticks",
		(json_int_t)stats->idle_skips, "programs", (json_int_t)stats->groups_missed,
		"rejected_connections", (json_int_t)stats->rejected);
}

/* Replaces a file by one that has all of `text`, or writes it to what isn't one. */
static int
write_to_place(const char *path, const char *text)
{
	struct kr_place place;
	int err = kr_place_find(&place, path, KR_PLACE_FOLLOW);

	if (err == 0 && place.to_write_to)
		err = kr_place_open(&place, &place.fd);
	else if (err == 0)
		err = kr_place_create_file(&place);
	if (err == 0)
		err = kr_write_all(place.fd, text, strlen(text));
	err = kr_place_put_file(&place, err);
	if (err == -ENXIO && S_ISFIFO(place.found.st_mode))
		kr_complain("run", "can't write the summary %s: nobody reads this FIFO", path);
	else if (err < 0)
		kr_complain("run", "can't write the summary %s: %s", path, strerror(-err));
	kr_place_finish(&place);
	return err;
}

int
kr_summary_write(const struct kr_summary *summary, const char *path)
{
	json_t *json = json_summary(summary);
	char *dump = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
	char *text = dump ? kr_asprintf("%s\n", dump) : NULL;
	int err = -ENOMEM;

	if (text && strcmp(path, "-") != 0) {
		err = write_to_place(path, text);
	} else {
		if (text)
			err = kr_write_all(STDOUT_FILENO, text, strlen(text));
		if (err < 0)
			kr_complain("run", "can't write the summary to standard output: %s",
				strerror(-err));
	}
	free(text);
	free(dump);
	json_decref(json);
	return err;
}
