/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this room share: a display, its producers, and who does what with them.
 *
 *   producer.c  one connection, with its queue of frames
 *   head.c      the next frame of it, and that frame's fence
 *   join.c      from which picture on it takes part
 *   wants.c     which of its frames need pixels
 *   layer.c     the one on screen, and when it goes back
 *   modes.c     what present modes ask for
 *   due.c       when frames have their turn that ask for a time
 *   wish.c      which rate windows wish for
 *   pace.c      which the display has for that; rate.c: the rule
 *   prepare.c   frames that take longer than a tick; prepared.c: what came of it
 *   windows.c   the stack, the list that others read, and who asks for what
 *   groups.c    programs, which the first tick waits for
 *   place.c     where each lies, and whether it is a layer
 *   layout.c    the rule for that
 *   seen.c      which are seen
 *   told.c      who is told that his frames are shown, and that a refresh has begun
 *   times.c     who is told what became of a frame when
 *   tick.c      when the next picture is due, and making it
 *   targets.c   everywhere that it is made
 *   target.c    one display of a hardware composer: validate, present, release fences
 *   target_layers.c  which of its layers are whose, what is black behind windows, what has changed
 *   client.c    drawing what a device hands back
 *   screen.c    our own such display, whose pictures outputs get
 *   hold.c      pixels that outlive the call that shows them
 *   cleaner.c   buffers that are large go on a thread of their own
 *   wake.c      makes the loop go round
 *   display.c   the loop around them
 *   module.c    outputs that are libraries of their own, loaded when they are asked for
 *   output/     where the pictures go
 */
#ifndef KR_COMPOSER_DISPLAY_H
#define KR_COMPOSER_DISPLAY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "composer/cleaner.h"
#include "composer/composer.h"
#include "composer/grid.h"
#include "composer/hold.h"
#include "composer/output/output.h"
#include "composer/prepare.h"
#include "composer/rate.h"
#include "composer/screen.h"
#include "composer/target.h"
#include "hwc/drawing.h"
#include "sync/wait/watchdog.h"
#include "util/clock.h"
#include "util/list.h"
#include "util/mutex.h"
#include "window/consumer/consumer.h"
#include "window/remote/descriptors.h"
#include "window/remote/listener.h"

/* More connections than this are refused: each costs descriptors, and poll walks them all. */
#define KR_DISPLAY_MAX_PRODUCERS 64
/* A peer that has not said hello by then is sent away. */
#define KR_DISPLAY_HELLO_NS (5 * KR_NSEC_PER_SEC)
/*
 * A fence that is active for longer is no longer waited for (DESIGN rule 7). It was named before.
 */
#define KR_DISPLAY_WATCHDOG_NS (5 * KR_NSEC_PER_SEC)

/* The oldest frame of a producer that isn't on screen yet. */
enum kr_head {
	KR_HEAD_NONE,
	KR_HEAD_PENDING, /* its acquire fence is active */
	KR_HEAD_READY,
};

/* Whether it is known which picture each frame of a producer will be in (wants.c). */
enum kr_following {
	KR_FOLLOWS_NEVER, /* not, or not any more, or nobody asks */
	KR_FOLLOWS_NOT_YET,
	KR_FOLLOWS, /* frame n in picture n + ahead */
};

/* What any thread may see and ask of a window. */
struct kr_display_entry {
	bool used;
	struct kr_display_window window;
	struct kr_layout_place place; /* asked for */
};

struct kr_display_group {
	struct kr_layout_place place;
	bool ended;
	struct kr_display_group_stats closed; /* of windows that are */
};

/* A frame that somebody waits for. */
struct kr_producer_ask {
	uint64_t number;
	uint64_t picture; /* once this one and all before it are where they go */
};

/* More than pictures that are on their way. */
#define KR_PRODUCER_ASKS 4

/* A frame that was taken to be shown, and whose times somebody may ask for. */
struct kr_producer_timed {
	struct kr_frame_events events; /* `known`: what isn't told yet */
	uint64_t picture;              /* the first with it */
	bool shown;                    /* what comes with that picture is known */
	bool over;                     /* no further picture has it */
	bool unseen;                   /* it was on no screen */
	int64_t tell_ns;               /* what is known then is told, whether it is over or not */
	int64_t limit_ns;              /* until then screens may be silent about it */
};

/* Frames that are shown, and pictures that may be on their way to a server that is slow. */
#define KR_PRODUCER_TIMED 8
#define KR_DISPLAY_TIMED  16

/* When a picture was made and shown. */
struct kr_picture_times {
	uint64_t number;
	int64_t composed_ns;
	int64_t gpu_ns;    /* KR_TIME_INVALID: no GPU drew it */
	int64_t screen_ns; /* a screen that knows has shown it; 0: none has (yet) */
	int64_t handed_ns; /* it was handed to who is told of pictures at once; 0: not (yet) */
};

/* What holds from the first frame on with a number above that. */
struct kr_wish_ahead {
	uint64_t after;
	struct kr_frame_rate rate;
};

/* As many as frames can wait, and what comes before and after them. */
#define KR_PRODUCER_WISHES (KR_QUEUE_SLOTS + 2)

struct kr_producer {
	struct kr_list link;
	struct kr_list in_stack;
	struct kr_display_entry *entry; /* of the display's; constant, what it has its lock's */
	int group;
	/* As the last look at its place has it (kr_display_take_places): */
	struct kr_layout_place place;
	int32_t z;
	bool visible;
	struct kr_display *display;
	struct kr_consumer *consumer;
	uint64_t own_number;  /* no other producer of the display has had it */
	bool greeted;         /* it shook hands: counted, and its owner was told */
	bool gone;            /* disconnected or dead; what it queued is still shown */
	int64_t ends_ns;      /* gone, or the display drains: frames for later go back; 0 not yet */
	bool joined;          /* it takes part (join.c) */
	bool of_this_process; /* the producer's fences are its own, too */
	bool heard_hello;     /* joins_after is known */
	uint64_t joins_after; /* so many frames of its process */
	uint64_t done;        /* its frames that have left the queue */
	uint64_t left_before; /* of windows of its process that are closed: older ones */
	uint64_t left_after;  /* and newer ones */
	enum kr_following following;
	uint64_t ahead;     /* modulo 2^64 */
	bool told_no_wants; /* a GPU draws it: its frames need no pixels for CPUs */
	bool gpu_refused;   /* none can */
	bool refused;       /* a frame of a kind that can't be drawn was logged */
	bool on_screen;
	struct kr_frame current; /* when on_screen */
	uint64_t current_serial;
	int current_fence; /* who still reads it: its release fences until now; -1 */
	int64_t current_ready_ns;
	bool fresh; /* it isn't counted yet */
	bool has_replaced;
	struct kr_frame replaced; /* by `current` in the picture that is made */
	uint64_t replaced_serial;
	int replaced_fence;
	struct kr_content content; /* what layers have of it */
	uint64_t damage_from; /* the content that the damage of `current` is against; 0: none */
	bool placed;          /* current can be drawn, by what is known */
	struct kr_layout_shape shape;
	struct kr_layout_spot spot;
	uint64_t spot_serial; /* another with each place */
	uint64_t spot_of;     /* kr_display.arranged */
	uint64_t spot_box;    /* of what is prepared */
	bool failed;          /* current could not be drawn */
	bool skipped;         /* a frame between current and the next that is shown wasn't read */
	bool unready;         /* current takes more work than a tick has, and isn't prepared */
	struct kr_prepared prepared; /* current, when it took more work than a tick has */
	struct kr_prepared spare;    /* the one before, to draw into again */
	uint64_t spare_since;        /* kr_display.ticks */
	int lent;                /* signals when nothing that was given back is read any more; -1 */
	bool again;              /* what is prepared isn't what the buffer has any more */
	bool costly;             /* the head takes more work than this tick has for it */
	bool warned;             /* that it was costly */
	bool staging;            /* its next frame is prepared (prepare.c) */
	struct kr_frame coming;  /* when staging */
	int64_t coming_ready_ns; /* when its fence signalled */
	uint64_t staged_at;      /* its last turn; 0: it had none */
	enum kr_head head;
	uint64_t head_number; /* the frame's */
	uint8_t head_mode;    /* enum kr_present_mode */
	struct kr_frame_target head_target;
	bool head_tells_shown;
	int head_fence;                /* borrowed from the consumer until its next call; -1 none */
	int64_t head_since_ns;         /* when it became the head */
	int64_t ready_ns;              /* when its fence signalled */
	bool waited;                   /* its fence was found active */
	bool fence_woke;               /* poll said that the fence is done */
	bool stuck;                    /* the head's fence ran into the watchdog */
	struct kr_fence_watchdog late; /* names the head's fence in the log */
	int64_t idle_since_ns;         /* since when it owes a frame */
	int64_t latched_ns;            /* the picture's time that `current` came with */
	bool has_base;
	int64_t base_ns; /* when the last frame that came on screen is shown, as it was foreseen */
	bool starves;    /* virtual clock: it has said so since its last frame came */
	struct kr_producer_timed timed[KR_PRODUCER_TIMED]; /* the oldest first */
	unsigned timed_count;
	struct kr_producer_ask asks[KR_PRODUCER_ASKS]; /* the oldest first */
	unsigned ask_count;
	struct kr_frame_rate wish;                       /* that holds; a rate of 0: none */
	struct kr_wish_ahead wishes[KR_PRODUCER_WISHES]; /* to come, the oldest first */
	unsigned wish_count;
	uint64_t newest; /* the number of the last frame that it has queued */
	uint64_t left;   /* likewise, that has left the queue */
	bool seen;       /* as kr_display_find_seen found it */
	bool watches;    /* it waits for a vertical blank */
	bool has_shown;  /* its frames count for the tier */
	bool below_t1;   /* a frame of it had a memfd */
	bool fenced;     /* a frame of it came before it was drawn, with a fence */
};

#define KR_TARGET_DEVICES 4

/* A composer whose displays are targets. */
struct kr_target_device {
	struct kr_display *display;
	struct krafla_composer *composer;
};

struct kr_display {
	struct kr_display_config config;
	struct kr_display_hooks hooks;
	void *data;
	struct kr_display_outputs outputs;
	struct kr_grid grid;                      /* of ticks; virtual clock: of pictures */
	uint32_t rates_mhz[KR_DISPLAY_MAX_RATES]; /* that it may have; the first: to start with */
	unsigned rate_count;
	unsigned rate;         /* that it has */
	unsigned wishers;      /* producers with a wish that holds */
	unsigned wishes_ahead; /* of all producers, to come */
	bool rate_stale;       /* wishes have changed since it was chosen */
	int wake_fd;           /* eventfd: stop and drain */
	atomic_bool stopping;  /* written by kr_display_stop, read by the loop */
	atomic_bool draining;  /* likewise, kr_display_drain */
	struct kr_listener listener;
	struct kr_descriptors descriptors; /* of the producers */
	struct kr_cleaner cleaner;         /* of their buffers */
	struct kr_preparation preparation;
	uint32_t width; /* of pictures; 0: not known yet */
	uint32_t height;
	struct kr_display_screen screen;
	struct kr_target targets[KR_TARGET_MAX]; /* the others */
	unsigned target_count;
	struct kr_target_device devices[KR_TARGET_DEVICES]; /* of these */
	unsigned device_count;
	bool draws_by_gpu;              /* the screen's composer may */
	struct kr_hwc_drawing drawing;  /* of our screen's pictures, as the composer said last */
	struct kr_display_holds *holds; /* on buffers that are pictures */
	uint64_t connections;           /* that there ever were */
	uint64_t serials;               /* of contents and places */
	uint64_t arranged;              /* how often places have changed for all */
	/* kr_producer.link, in order of connection: the first is at the bottom */
	struct kr_list producers;
	/* kr_producer.in_stack, from the bottom up: by z, group and connection */
	struct kr_list stack;
	atomic_bool places_changed; /* written by any thread, read by the loop */
	atomic_bool size_changed;   /* likewise */
	bool has_queue;             /* a target is one; constant while it runs */
	bool withdrawn;             /* a frame left the screen between pictures */
	bool rearrange;             /* windows lie elsewhere in the next picture */
	bool restacked;             /* somebody asked for that: real clock: a picture is due */
	unsigned expected_groups;
	bool begun;        /* virtual clock: the first tick waits no longer for groups */
	int64_t begins_by; /* when it does so at the latest */
	uint64_t ticks;
	bool leapt;         /* virtual clock: there was a time in which none were made */
	int64_t last_ns;    /* real clock: time of the last tick */
	int64_t due_ns;     /* real clock: time of the next tick; 0 when nothing asks for one */
	int64_t picture_ns; /* real clock: time of the picture that is made */
	int64_t hurried_ns; /* of the last one between two ticks */
	unsigned asks;      /* of all producers */
	unsigned timed;     /* likewise */
	struct kr_picture_times pictures[KR_DISPLAY_TIMED];
	unsigned watchers; /* producers */
	int64_t blank_ns;  /* when they are told */
	uint64_t blanks;   /* virtual clock */
	struct kr_mutex lock;
	struct kr_display_stats stats KR_GUARDED_BY(lock);
	struct kr_display_entry windows[KR_DISPLAY_MAX_PRODUCERS] KR_GUARDED_BY(lock);
	enum kr_layout layout_asked KR_GUARDED_BY(lock);
	int32_t transform_asked KR_GUARDED_BY(lock);
	uint32_t width_asked KR_GUARDED_BY(lock);
	uint32_t height_asked KR_GUARDED_BY(lock);
	/* The last one: windows without a group. */
	struct kr_display_group groups[KR_DISPLAY_MAX_GROUPS + 1] KR_GUARDED_BY(lock);
};

/* All pictures that it may make are made: what still comes goes back unseen and uncounted. */
static inline bool
kr_display_is_full(const struct kr_display *display)
{
	return display->config.frame_limit && display->ticks >= display->config.frame_limit;
}

#define KR_MHZ_PER_HZ 1000

static inline int64_t
kr_display_period_of(uint32_t rate_mhz)
{
	return KR_NSEC_PER_SEC * KR_MHZ_PER_HZ / rate_mhz;
}

/* When one of its refreshes was, if they are that long after their ticks. */
static inline int64_t
kr_display_phase_ns(const struct kr_display *display, int64_t latency_ns)
{
	if (display->config.clock == KR_CLOCK_VIRTUAL)
		return 0;
	return display->grid.from_ns + latency_ns % display->grid.period_ns;
}

#define kr_display_count(display, member)                                                          \
	do {                                                                                       \
		kr_mutex_lock(&(display)->lock);                                                   \
		(display)->stats.member++;                                                         \
		kr_mutex_unlock(&(display)->lock);                                                 \
	} while (0)

/* --- wake.c --- */

/* Makes the loop go round. Any thread, and signal handlers. */
void kr_display_wake(struct kr_display *display);

/* --- windows.c --- */

/* Of a producer that connects: its group, its entry, and its place in the stack. */
void kr_producer_enter(struct kr_producer *producer);
/* It has said what it is called. */
void kr_producer_name(struct kr_producer *producer);
void kr_producer_leave(struct kr_producer *producer);
/* Which of the display's entries it has. */
static inline unsigned
kr_producer_slot(const struct kr_producer *producer)
{
	return (unsigned)(producer->entry - producer->display->windows);
}
/* How large the screen is as windows see it. */
void kr_display_find_screen(const struct kr_display *display, uint32_t *width, uint32_t *height);
/* Tells all of them that, and how it is turned. */
void kr_display_tell_screen(struct kr_display *display);
/* Puts the stack in order again when places have changed. */
void kr_display_take_places(struct kr_display *display);
/* Of groups, from the lowest: those without one lie above all. */
static inline int
kr_display_group_rank(int group)
{
	return group == KR_DISPLAY_NO_GROUP ? KR_DISPLAY_MAX_GROUPS : group;
}

/* --- place.c --- */

/* What a frame is for the layout, and where it goes on a picture of that size. */
struct kr_layout_shape kr_display_shape(
	const struct kr_display *display, const struct kr_frame *frame);
void kr_producer_find_spot(const struct kr_producer *producer, const struct kr_layout_shape *shape,
	uint32_t width, uint32_t height, struct kr_layout_spot *spot);
/* Finds the place of what is on screen. */
void kr_producer_place(struct kr_producer *producer);
/* Finds all places anew. */
void kr_display_arrange(struct kr_display *display);
/* How the pixels of a frame lie on what is below; and of what layers have of the one on screen. */
enum krafla_blend kr_producer_frame_blend(const struct kr_frame *frame);
enum krafla_blend kr_producer_blend(const struct kr_producer *producer);
/* What can't be drawn is told once a producer. */
void kr_producer_refuse(struct kr_producer *producer, int err);
/* Whether layers have a drawn copy of what is on screen, in its right place, and which part. */
bool kr_producer_is_prepared(const struct kr_producer *producer);
bool kr_producer_prepared_fits(const struct kr_producer *producer);
void kr_producer_prepared_spot(const struct kr_producer *producer, uint32_t width, uint32_t height,
	struct kr_layout_spot *spot);
/* Whether it is in the picture that is made, seen or not. */
bool kr_producer_is_layer(const struct kr_producer *producer);
/* Where it is on the picture, as it is shown. */
const android_native_rect_t *kr_producer_box(const struct kr_producer *producer);
/* Adds what nothing below it is seen under. */
void kr_producer_add_cover(const struct kr_producer *producer, pixman_region32_t *covered);

/* --- seen.c --- */

/* Counts frames that came on screen: whether anything of them is seen. How many layers. */
uint32_t kr_display_count_seen(struct kr_display *display, int64_t now);
/* Of which windows something is seen: kr_producer.seen. */
void kr_display_find_seen(struct kr_display *display);

/* --- groups.c --- */

/*
 * Virtual clock: until when the first tick waits for groups without a frame. A time that has
 * passed: not any more.
 */
int64_t kr_display_groups_until(struct kr_display *display);
/* Virtual clock: the first tick is made. Counts those that it doesn't have. */
void kr_display_begin_groups(struct kr_display *display);

#define kr_producer_count(producer, member)                                                        \
	do {                                                                                       \
		kr_mutex_lock(&(producer)->display->lock);                                         \
		(producer)->entry->window.member++;                                                \
		kr_mutex_unlock(&(producer)->display->lock);                                       \
	} while (0)

/* --- layer.c --- */

/* Gives back a frame that was acquired and never shown. */
void kr_producer_give_back(struct kr_producer *producer, struct kr_frame *frame);
/* Puts a frame that was acquired on screen in place of what was there. */
void kr_producer_show(
	struct kr_producer *producer, const struct kr_frame *frame, int64_t ready_ns, int64_t now);
/* Likewise the one that was staged, as it was prepared; without a buffer: it can't be drawn. */
void kr_producer_show_staged(struct kr_producer *producer, const struct kr_prepared *take_prepared);
/* What is on screen is shown as it was prepared. */
void kr_producer_show_prepared(
	struct kr_producer *producer, const struct kr_prepared *take_prepared);
/* If it asks: it comes with that picture, or will never be shown and goes with it. */
void kr_producer_ask_shown(
	struct kr_producer *producer, const struct kr_frame *frame, uint64_t picture);
/* What is on screen has other pixels now, in the same buffer. */
void kr_producer_show_again(struct kr_producer *producer);
/* Counts the frame on screen: whether anything of it is seen. */
void kr_producer_count_shown(struct kr_producer *producer, bool seen, int64_t now);
/* Its tier is that of its frames from now on: until here a GPU that draws wasn't there yet. */
void kr_producer_begin_tier(struct kr_producer *producer);
/* Its frame goes back with the next picture. */
void kr_producer_leave_screen(struct kr_producer *producer);
/* Gives what is prepared back unseen; nothing to do without. */
void kr_producer_drop_staged(struct kr_producer *producer);
/* The content with that serial is read until the fence, which is taken, has signalled. */
void kr_producer_take_release(struct kr_producer *producer, uint64_t serial, int take_fence);
/* The picture without it was presented. */
void kr_producer_return_replaced(struct kr_producer *producer);
/* Whether it waits for a buffer that is read here. */
bool kr_producer_waits_for_us(struct kr_producer *producer);
/* All of this ends. */
void kr_producer_finish_layer(struct kr_producer *producer);

/* --- head.c --- */

/* Finds the head and asks its fence; gives frames back whose fence has failed. */
void kr_producer_update(struct kr_producer *producer, int64_t now);
/* Puts the head, which is ready, on screen in place of what was there. */
bool kr_producer_latch(struct kr_producer *producer, int64_t now);
/* Gives the head, which is ready, back unseen. */
void kr_producer_discard(struct kr_producer *producer);
/* Takes the head, which is ready, to prepare it; false when it can't be had. */
bool kr_producer_stage(struct kr_producer *producer);

/* --- modes.c --- */

/*
 * Real clock, for a picture of that time: gives frames back that aren't shown because a later one
 * is ready, too.
 */
void kr_producer_skip_to_latest(struct kr_producer *producer, int64_t at, int64_t now);
/* Real clock: the head is to be shown between two ticks. */
bool kr_producer_is_late(const struct kr_producer *producer, int64_t now);
/* Whether that is so of any, and there may be such a picture now. */
bool kr_display_may_hurry(const struct kr_display *display, int64_t now);
/* Whether what is on screen is read anew at each tick. */
bool kr_producer_refreshes(const struct kr_producer *producer);
/* Reads it anew, if so: whether the picture is another one. */
bool kr_producer_refresh(struct kr_producer *producer, int64_t now);

/* --- due.c --- */

/* Virtual clock: longer gaps between pictures are leapt over. */
#define KR_DISPLAY_GAP_NS (10 * KR_NSEC_PER_SEC)

/* Whether pictures are shown by screens with blanks of their own, which come after ticks. */
bool kr_display_is_on_screens(const struct kr_display *display);
/* From a latch to when it is shown there. Screens keep their rate, whatever ours is. */
int64_t kr_display_latency_ns(const struct kr_display *display);
/* When a picture that is made at that time is shown, as far as it can be foreseen. */
int64_t kr_display_shown_at(const struct kr_display *display, int64_t at);
/* Virtual clock: the time of the picture that is made next. */
int64_t kr_display_virtual_now(const struct kr_display *display);
/*
 * The earliest time of a picture that may have the head, as it is seen at `at`; INT64_MIN: any may.
 */
int64_t kr_producer_due_ns(const struct kr_producer *producer, int64_t at);
bool kr_producer_is_due(const struct kr_producer *producer, int64_t at);
/* A frame of it comes with the picture of that time: others may be relative to it. */
void kr_producer_note_base(struct kr_producer *producer, int64_t at);
/* Gives back frames in whose place the next one is, whose time has come. */
void kr_producer_drop_overdue(struct kr_producer *producer, int64_t at, int64_t now);
/* Virtual clock: until when a frame is waited for that may take the head's place. */
int64_t kr_producer_next_until(const struct kr_producer *producer);
/* Virtual clock: the head waits for time alone; whether any does. */
bool kr_producer_waits_for_time(const struct kr_producer *producer);
bool kr_display_waits_for_time(const struct kr_display *display);
/* Virtual clock: nothing has its turn for long: that time is left out. */
void kr_display_leap(struct kr_display *display);
/*
 * Nobody is left who would wait for frames that are wanted more than a second from when this is
 * called first; virtual clock: never.
 */
void kr_producer_give_up_far(struct kr_producer *producer, int64_t now);

/* --- wish.c --- */

/* The producer has said so; a rate of 0: it wishes for nothing any more. */
void kr_producer_wish(struct kr_producer *producer, const struct kr_frame_rate *wish);
/* It goes. */
void kr_producer_end_wishes(struct kr_producer *producer);
/* Virtual clock, when frames have come on screen: what was said before them holds. */
void kr_display_take_wishes(struct kr_display *display);
/* --- pace.c --- */

/* A picture is made: what comes after it has the rate that is best. */
void kr_display_choose_rate(struct kr_display *display, int64_t now);
/* Real clock: likewise when no picture is, and wishes have changed. */
void kr_display_follow_wishes(struct kr_display *display, int64_t now);
/* When that may be; KR_FOREVER: they haven't. */
int64_t kr_display_next_rate(const struct kr_display *display);

/* --- times.c --- */

/* A frame comes with the next picture, at `now`. */
void kr_producer_time_frame(
	struct kr_producer *producer, const struct kr_frame *frame, int64_t ready_ns, int64_t now);
/* The one on screen isn't seen in that picture; or isn't in the next one any more. */
void kr_producer_time_unseen(struct kr_producer *producer);
void kr_producer_time_end(struct kr_producer *producer);
/* The frame goes back: what is left to be told of it, if all of that is known. */
bool kr_producer_take_times(
	struct kr_producer *producer, uint64_t number, struct kr_frame_events *events);
/* A frame was given back and never shown; ready_ns: KR_TIME_INVALID it never was. */
void kr_producer_time_dropped(
	struct kr_producer *producer, const struct kr_frame *frame, int64_t ready_ns);
/*
 * A picture of that time is made now; a GPU has drawn it; it is on a screen; it was handed to who
 * keeps it.
 */
void kr_display_time_composed(struct kr_display *display, uint64_t picture, int64_t time_ns);
void kr_display_time_drawn(struct kr_display *display, uint64_t picture, int64_t gpu_ns);
void kr_display_time_screen(struct kr_display *display, uint64_t picture, int64_t shown_ns);
void kr_display_time_handed(struct kr_display *display, uint64_t picture, int64_t handed_ns);
/* Tells what is known and due, of pictures that are not on their way any more. */
void kr_display_tell_times(struct kr_display *display, int64_t now);
/* When something is told at the latest; KR_FOREVER. */
int64_t kr_display_next_times(const struct kr_display *display);

/* --- told.c --- */

/* Tells those that asked, and whose pictures are where they go: all but those on the way. */
void kr_display_tell_shown(struct kr_display *display, unsigned on_the_way);

void kr_producer_watch_vblank(struct kr_producer *producer, bool on, int64_t now);
/* When somebody is to be told of one; KR_FOREVER: nobody asks. */
int64_t kr_display_next_blank(const struct kr_display *display);
/* Tells them, if it is time. */
void kr_display_tell_blank(struct kr_display *display, int64_t now);
/* Real clock: the grid has changed, from its last place on. */
void kr_display_move_blanks(struct kr_display *display, int64_t now);
/* Virtual clock: time has gone on. */
void kr_display_blank_virtual(struct kr_display *display);

/* --- producer.c --- */

/* A producer on a connected socket, which it owns from now on, also on failure. */
int kr_producer_create(struct kr_display *display, int take_socket) KR_MUST_CHECK;
/* Its layer vanishes; the owner is told. */
void kr_producer_destroy(struct kr_producer *producer);
/* Takes in what has arrived. */
void kr_producer_dispatch(struct kr_producer *producer);
/* Whether nothing more will come of it. */
bool kr_producer_spent(const struct kr_producer *producer);

/* --- join.c --- */

/* Lets windows take part that may from the next picture on. */
void kr_display_join(struct kr_display *display, int64_t now);
/* When one that doesn't yet does at the latest; KR_FOREVER while others still have frames. */
int64_t kr_producer_joins_by(const struct kr_producer *producer);
/* Before it goes: its frames still count. */
void kr_producer_leave_count(const struct kr_producer *producer);

/* --- wants.c --- */

/* Which pictures of our own screen somebody wants to see. */
struct kr_pictures kr_display_wants_on_screen(const struct kr_display *display);
/* What the welcome of a producer will say that isn't in the display's list yet. */
void kr_producer_begin_wants(struct kr_producer *producer);
/* Virtual clock: a frame of it is in the picture that comes next. */
void kr_producer_follow(struct kr_producer *producer, uint64_t number);
/* Asks who draws, and says to producers what that means; cuts off who has killed it. */
void kr_display_follow_drawing(struct kr_display *display);
/* Whether a frame has a picture that a GPU may draw. */
bool kr_display_draws_by_gpu(const struct kr_display *display, const struct kr_frame *frame);

/* --- targets.c --- */

/* Takes in the size that was asked for. Whether there is a new one. */
bool kr_display_take_size(struct kr_display *display);
/* Once the size of pictures is known. 0 or -errno. */
int kr_display_open_targets(struct kr_display *display) KR_MUST_CHECK;
/* Everything goes back, and the producers go. */
void kr_display_close_targets(struct kr_display *display);
/*
 * One picture everywhere; what it replaces goes back. *made: our screen has it; not so for want of
 * memory or descriptors (told). 0, or what an output answered.
 */
int kr_display_present(struct kr_display *display, const struct kr_composed_frame *frame,
	bool *made) KR_MUST_CHECK;
/*
 * What has left the screen goes back though no picture is due: what isn't seen any more is taken
 * off targets, and no output hears of it.
 */
void kr_display_withdraw(struct kr_display *display);
/* The most pictures that a target has on their way. */
unsigned kr_display_on_the_way(struct kr_display *display);
/* Adds what is to be polled for that; how many. */
unsigned kr_display_poll_targets(const struct kr_display *display, struct pollfd *fds);
#define KR_DISPLAY_TARGETS_POLL (1 + KR_TARGET_DEVICES + (1 + KR_TARGET_MAX) * KR_TARGET_PENDING)
/*
 * Takes in what composers have, of those that `polled` says so of (as kr_display_poll_targets has
 * put it there; NULL: all). 0, or what an output answered to a picture that came late.
 */
int kr_display_hear_targets(struct kr_display *display, const struct pollfd *polled) KR_MUST_CHECK;

/* --- target.c --- */

/* The producer's layers go, on all targets. */
void kr_display_forget_layers(const struct kr_producer *producer);

/* --- tick.c --- */

/* When the next tick is due, KR_FOREVER when nothing is there to show yet. */
int64_t kr_display_next_tick(struct kr_display *display, int64_t now);
/* One tick. 0, or what the hook or an output answered. */
int kr_display_tick(struct kr_display *display, int64_t now);

#endif
