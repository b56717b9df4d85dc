/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a reader, and what its socket brings (reader.h). */
#ifndef KR_WINDOW_READER_GUESTS_H
#define KR_WINDOW_READER_GUESTS_H

#include "util/list.h"
#include "util/mutex.h"
#include "window/consumer/consumer.h"
#include "window/reader/reader.h"
#include "window/remote/descriptors.h"
#include "window/remote/listener.h"

/* Connections beyond the producers that there may be: they have said nothing yet, or are gone. */
#define KR_READER_SPARE 8
/* A peer that has not said hello by then is sent away. */
#define KR_READER_HELLO_NS (5 * KR_NSEC_PER_SEC)

/* A producer: the queue of this process, or a connection. */
struct kr_guest {
	struct kr_list link;
	struct kr_reader *reader;
	struct kr_consumer *consumer;
	uint64_t id;
	int64_t since_ns; /* when it connected */
	uint32_t held;    /* images of it that are out */
	bool greeted;
	bool gone;    /* what it queued is still there */
	bool on_gpu;  /* its producer was told that nobody wants the CPU's pixels */
	bool renewed; /* a frame of it had no pixels: all of its next one is new */
	struct {
		uint64_t number; /* 0: the slot isn't out */
		struct kr_reader_shown said;
	} out[KR_QUEUE_SLOTS];
};

/*
 * What readers say they can: everything that is only told on with the image. They have no screen
 * on which to scale, and nothing that blanks; shared buffers only who asks for them, since what is
 * acquired is otherwise the reader's.
 */
struct kr_abilities kr_reader_abilities(const struct kr_reader *reader);
/* kr_consumer_events.noticed of a guest. */
void kr_reader_notice(void *guest, const struct kr_notice *notice);
/* And what they tell: a frame that was acquired is as much on screen as it ever will be. */
#define KR_READER_EVENTS (UINT32_C(1) << KR_EVENT_LATCH | UINT32_C(1) << KR_EVENT_SHOWN)

struct kr_reader {
	struct kr_reader_config config; /* but for the socket's path, which is the listener's */
	int fd;                         /* to poll; the epoll set, or wake_fd */
	int wake_fd;                    /* eventfd */
	int timer_fd;                   /* -1: no socket */
	struct kr_listener listener;
	struct kr_queue *queue; /* NULL: there is a socket */
	struct kr_mutex lock;
	struct kr_list guests KR_GUARDED_BY(lock); /* kr_guest.link; whose turn it is first */
	struct kr_descriptors descriptors KR_GUARDED_BY(lock);
	bool hears_activity KR_GUARDED_BY(lock);
	struct kr_mutex notices_lock; /* the last that is taken: producers' threads notice, too */
	struct kr_notice_ring *notices KR_GUARDED_BY(notices_lock); /* NULL: nobody watches */
	bool timed KR_GUARDED_BY(lock);                             /* timer_fd is set */
	uint64_t ids KR_GUARDED_BY(lock);
	uint32_t producers KR_GUARDED_BY(lock); /* greeted, and not gone */
	uint32_t held KR_GUARDED_BY(lock);
	bool ended KR_GUARDED_BY(lock); /* there were producers, and are none */
	bool ends KR_GUARDED_BY(lock);  /* and nobody was told yet */
};

/* Somebody who polls looks again. */
void kr_reader_wake(const struct kr_reader *reader);
/* It isn't readable for that any more: whoever calls looks at what there is after it. */
void kr_reader_forget_wake(const struct kr_reader *reader);
/* Takes in what has come. */
void kr_reader_take_in_locked(struct kr_reader *reader) KR_REQUIRES(reader->lock);
/* After whatever may have changed whether there is something to do. */
void kr_reader_update_wake_locked(struct kr_reader *reader) KR_REQUIRES(reader->lock);

/*
 * After a call that has told producers something, which may have cut one off: who has nothing here
 * goes, and whoever polls hears of it.
 */
void kr_reader_leave_locked(struct kr_reader *reader) KR_REQUIRES(reader->lock);

/* In its list. A guest whose consumer is still to come; NULL no memory. */
struct kr_guest *kr_guest_create_locked(struct kr_reader *reader) KR_REQUIRES(reader->lock);
/* With its consumer, if it has one. */
void kr_guest_destroy_locked(struct kr_reader *reader, struct kr_guest *guest)
	KR_REQUIRES(reader->lock);

/* Listens at a path. 0 or -errno; kr_guests_finish takes back what there is by then. */
int kr_guests_init(struct kr_reader *reader, const char *path) KR_MUST_CHECK;
void kr_guests_finish(struct kr_reader *reader);
/* Takes in what has come, as much as a call should. */
void kr_guests_dispatch_locked(struct kr_reader *reader) KR_REQUIRES(reader->lock);
/* Lets those go of whom nothing more will come, and who have nothing here. */
void kr_guests_sweep_locked(struct kr_reader *reader) KR_REQUIRES(reader->lock);

#endif
