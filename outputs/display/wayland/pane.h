/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window of a Wayland compositor that shows a display's pictures.
 *
 * A picture is committed when the compositor has asked for one (the frame callback of the one
 * before), so that what it has to take from us is bounded, and nothing here ever waits for it.
 * Pictures are memory that it shares (wl_shm); one that is a window's buffer, and a dma-buf, is
 * handed over as it is where the compositor takes such (linux-dmabuf), and kept from its producer
 * until the compositor has released it. It is imported when it is seen for the first time, and that
 * picture is copied: no picture waits for an answer.
 *
 * The window has its pictures' size, always: a compositor that wants another one is told that
 * there is none, and places it as it likes.
 */
#ifndef KR_OUTPUTS_DISPLAY_WAYLAND_PANE_H
#define KR_OUTPUTS_DISPLAY_WAYLAND_PANE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <wayland-client.h>
#include "outputs/display/slots.h"

/* Buffers of windows that the compositor knows: those of a few programs. */
#define IMPORTS 16

struct pane;
struct wp_presentation;
struct wp_presentation_feedback;
struct xdg_surface;
struct xdg_toplevel;
struct xdg_wm_base;
struct zwp_linux_buffer_params_v1;
struct zwp_linux_dmabuf_v1;

/* A buffer of somebody else's that the compositor has, or is asked to have. */
struct import {
	struct pane *pane;
	dev_t device; /* which dma-buf; 0 and 0: the place is empty */
	ino_t inode;
	uint32_t width;
	uint32_t height;
	uint32_t format;
	uint32_t row_bytes;
	uint64_t offset;
	struct zwp_linux_buffer_params_v1 *params; /* while it is asked */
	struct wl_buffer *buffer;                  /* NULL: not yet, or it was refused */
	uint64_t used;                             /* when, for the one that goes first */
};

/* What the compositor has of a slot. */
struct pane_slot {
	struct pane *pane;
	struct wl_buffer *memory; /* the slot's own */
	struct wl_buffer *sent;   /* that, or an import's; NULL: none */
	struct wl_buffer *next;   /* what is to be sent */
	struct wp_presentation_feedback *feedback;
};

struct pane {
	struct kr_display_output base; /* first */
	const struct kr_display_output_host *host;
	char *server; /* for people */
	struct wl_display *display;
	struct wl_registry *registry;
	struct wl_compositor *compositor;
	struct wl_shm *shm;
	struct xdg_wm_base *wm_base;
	struct wp_presentation *presentation; /* NULL: the compositor has none */
	struct zwp_linux_dmabuf_v1 *dmabuf;   /* likewise */
	bool takes_xrgb;                      /* dma-bufs, linear */
	bool takes_xbgr;
	bool clock_is_ours; /* its times are CLOCK_MONOTONIC */
	struct wl_surface *surface;
	struct xdg_surface *xdg_surface;
	struct xdg_toplevel *toplevel;
	struct wl_callback *frame; /* NULL: a picture may be committed */
	bool configured;
	bool closed; /* by its user; told at the next dispatch */
	bool opened; /* the run has it */
	bool broken; /* told */
	bool full;   /* the socket: wait for room */
	int64_t refresh_ns;
	int64_t period_ns;
	uint64_t uses;
	struct slots slots;
	struct pane_slot known[SLOTS];
	struct import imports[IMPORTS];
};

/* connection.c: reaches the compositor and finds what it has. 0 or -errno (told). */
int pane_connect(struct pane *pane, const char *argument) KR_MUST_CHECK;
/* Sends and takes in what there is, without waiting. 0 or -EPIPE (told). */
int pane_listen(struct pane *pane) KR_MUST_CHECK;
/* The compositor is gone, or can't be used any more: told once. -EPIPE. */
int pane_lose(struct pane *pane, const char *why);

/* buffers.c: the compositor's release of a buffer that is sent is heard from here on. */
void pane_listen_to_buffer(struct pane *pane, struct wl_buffer *buffer);
/* What the compositor has of a picture's buffer, NULL: nothing (yet). */
struct import *pane_import(struct pane *pane, const struct kr_composed_frame *frame);
void pane_forget_imports(struct pane *pane);

/* show.c */
void pane_forget_slots(struct pane *pane);
int pane_take(struct pane *pane, const struct kr_composed_frame *frame) KR_MUST_CHECK;
/* Commits what waits, if it may go now. 0 or -errno (told). */
int pane_send(struct pane *pane) KR_MUST_CHECK;

#endif
