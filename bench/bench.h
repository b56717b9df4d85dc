/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-bench: what things cost, as ratios measured in one run (DESIGN 7). A benchmark
 * adds rows to a report; a row has a value, its unit, and where there is one the value of
 * what it is compared with.
 */
#ifndef KR_BENCH_BENCH_H
#define KR_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <jansson.h>

/* Loaders that are measured side by side. */
enum kr_bench_whose {
	KR_BENCH_KRAFLA,
	KR_BENCH_OTHER, /* the system's, or --other */
	KR_BENCH_GIVEN, /* --loader */
	KR_BENCH_LOADERS
};

#define KR_BENCH_NUMBERS    8 /* that a child prints at most */
#define KR_BENCH_MAX_REPEAT 100

struct kr_bench {
	json_t *rows;                          /* array of objects */
	const char *loaders[KR_BENCH_LOADERS]; /* their libvulkan.so.1; NULL: not measured */
	const char *prefix;                    /* where the Krafla that is measured is installed */
	const char *null_manifest;             /* the null driver as an ICD */
	const char *self;                      /* this program, for children */
	const char *drivers;                   /* VK_DRIVER_FILES as it was given, or NULL */
	unsigned repeat;                       /* runs of which the median counts */
	bool quick;                            /* a tenth of the work */
	unsigned goals;                        /* rows that have one */
	unsigned missed;                       /* and miss it */
};

/*
 * goal: the ratio that DESIGN 7 asks for, 0 when it names none; a miss is told and counted.
 * reference NULL: no comparison.
 */
void kr_bench_row(struct kr_bench *bench, const char *name, const char *unit, double value,
	const char *reference, double reference_value, double goal);
/*
 * One row for each loader that Krafla is compared with. `values`: of each loader, NAN when it could
 * not be measured; `goals`: of the ratio to each, [KR_BENCH_KRAFLA] unused; NULL: no goals.
 */
void kr_bench_compare(struct kr_bench *bench, const char *name, const char *unit,
	const double values[KR_BENCH_LOADERS], const double *goals);
/* A number of things that went wrong, of `of`: the goal is that there are none. */
void kr_bench_none(
	struct kr_bench *bench, const char *name, const char *unit, double value, unsigned of);
/* The same for what could not be measured here; the reason is part of the report. */
void kr_bench_skip(struct kr_bench *bench, const char *name, const char *reason);

int64_t kr_bench_now(void);
double kr_bench_median(double *values, unsigned count);
/* How a loader is called in rows. */
const char *kr_bench_loader_name(enum kr_bench_whose whose);

/*
 * Runs a child of this program, which sees no manifests, settings and variables of the machine,
 * with extra `NAME=value` environment; its stdout in `out`. Its status.
 */
int kr_bench_child(struct kr_bench *bench, const char *const *arguments,
	const char *const *environment, char *out, unsigned size);
/* The numbers that such a child prints; NAN for what it did not. */
void kr_bench_child_numbers(struct kr_bench *bench, const char *const *arguments,
	const char *const *environment, double numbers[KR_BENCH_NUMBERS]);

/*
 * kr_bench_child() in two steps, so that several run at a time. `wrap`: words to be put in front,
 * of a program that runs another one; or NULL. 0 or -1; either way it is to be collected.
 */
struct kr_bench_process {
	int pid;
	int out;
};
int kr_bench_spawn(struct kr_bench *bench, const char *const *wrap, const char *const *arguments,
	const char *const *environment, struct kr_bench_process *process);
int kr_bench_collect(struct kr_bench_process *process, char *out, unsigned size);

/*
 * `--child CHILD LOADER MORE...` for each loader, bench->repeat times in turns: the medians of the
 * numbers that it prints, NAN for a loader that failed. Up to 6 words of `more`.
 */
void kr_bench_measure(struct kr_bench *bench, const char *child, const char *const *more,
	const char *const *environment, double numbers[KR_BENCH_LOADERS][KR_BENCH_NUMBERS]);
/*
 * In a child, before it becomes another program: keeps the machine's own manifests, layers and
 * settings out of the comparison. `environment` is what it gets besides, and must stay.
 */
void kr_bench_isolate(const char *const *environment);
/*
 * What a child's environment says of drivers, where real ones are measured: those that
 * VK_DRIVER_FILES names, without it lavapipe, where that isn't installed all that are found.
 */
void kr_bench_drivers(const struct kr_bench *bench, char *text, size_t size);
/* An X server of our own, without TCP; its pid, or -1. `display`: DISPLAY=... */
pid_t kr_bench_start_xvfb(char *display, size_t size);
void kr_bench_stop_xvfb(pid_t pid);
/* "VK_DRIVER_FILES=", the null driver. */
void kr_bench_null_driver(const struct kr_bench *bench, char *text, size_t size);

void kr_bench_calls(struct kr_bench *bench);
void kr_bench_instances(struct kr_bench *bench);
void kr_bench_compose(struct kr_bench *bench);
void kr_bench_composer(struct kr_bench *bench);
void kr_bench_devices(struct kr_bench *bench);
void kr_bench_cold(struct kr_bench *bench);
void kr_bench_egl(struct kr_bench *bench);
void kr_bench_fences(struct kr_bench *bench);
/* Of user-space fences: one's whole life, waking a thread that sleeps. Whether they were had. */
bool kr_bench_fence_costs(struct kr_bench *bench, double *create_us, double *wake_us);
void kr_bench_frames(struct kr_bench *bench);
void kr_bench_overlap(struct kr_bench *bench);
void kr_bench_pacing(struct kr_bench *bench);
void kr_bench_painter(struct kr_bench *bench);
void kr_bench_run(struct kr_bench *bench);
void kr_bench_service(struct kr_bench *bench);
void kr_bench_shared(struct kr_bench *bench);
void kr_bench_waits(struct kr_bench *bench);

/* Children: `--child NAME ARGUMENT...`; what each takes stands before it. */
int kr_bench_child_calls(int argc, char **argv);
int kr_bench_child_cold(int argc, char **argv);
int kr_bench_child_devices(int argc, char **argv);
int kr_bench_child_egl_calls(int argc, char **argv);
int kr_bench_child_egl_fences(int argc, char **argv);
int kr_bench_child_egl_swaps(int argc, char **argv);
int kr_bench_child_frames(int argc, char **argv);
int kr_bench_child_first(int argc, char **argv);
int kr_bench_child_encode(int argc, char **argv);
int kr_bench_child_program(int argc, char **argv);
int kr_bench_child_instances(int argc, char **argv);
int kr_bench_child_overlap(int argc, char **argv);
int kr_bench_child_libraries(int argc, char **argv);
int kr_bench_child_shared(int argc, char **argv);
int kr_bench_child_shared_crowd(int argc, char **argv);
int kr_bench_child_shared_kills(int argc, char **argv);
int kr_bench_child_shared_source(int argc, char **argv);
int kr_bench_child_waits(int argc, char **argv);

#endif
