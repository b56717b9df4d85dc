/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What planes read: framebuffers over dma-bufs of others, kept by what memory they are of, and
 * memory of the card's own ("dumb buffers") that the processor writes.
 *
 * A dma-buf is known again by its inode, which nobody else has as long as the framebuffer keeps
 * it. At most KMS_MAX_FRAMEBUFFERS are kept; one that no commit used for KMS_KEEP_COMMITS of them
 * is given up, and so are all of a layer that ends. None is given up while a plane shows it: the
 * kernel would turn that plane off.
 */
#ifndef KR_OUTPUTS_KMS_FRAMEBUFFER_H
#define KR_OUTPUTS_KMS_FRAMEBUFFER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "gralloc/buffer.h"
#include "util/macros.h"

#define KMS_MAX_FRAMEBUFFERS 64
#define KMS_KEEP_COMMITS     240

struct kms_framebuffer {
	uint32_t id; /* 0: the card doesn't take this memory */
	bool used;   /* the entry is taken */
	dev_t device;
	ino_t inode;
	uint32_t width, height, row_bytes, fourcc;
	const void *owner;  /* whose buffer it was when it was last asked for */
	uint64_t last_used; /* count of the cache */
	unsigned pins;      /* planes that show it, or will by a commit on its way */
};

struct kms_framebuffers {
	int drm;
	bool prime;
	uint64_t count; /* of commits */
	bool told;      /* that memory wasn't taken */
	struct kms_framebuffer entries[KMS_MAX_FRAMEBUFFERS];
};

void kms_framebuffers_init(struct kms_framebuffers *cache, int drm, bool prime);
/* All of them. */
void kms_framebuffers_finish(struct kms_framebuffers *cache);
/* The owner has ended. */
void kms_framebuffers_forget(struct kms_framebuffers *cache, const void *owner);
/* A commit was made: what wasn't used for long goes. */
void kms_framebuffers_age(struct kms_framebuffers *cache);

/* The DRM format that the buffer's is, `opaque`: without its alpha; 0: none. */
uint32_t kms_fourcc(uint32_t format, bool opaque);
/*
 * The framebuffer over a buffer, or NULL: it is no dma-buf, the card doesn't take it, or there is
 * no room. Valid until the next commit, or as long as it is pinned.
 */
struct kms_framebuffer *kms_framebuffer_get(struct kms_framebuffers *cache,
	const struct kr_buffer_info *info, uint32_t fourcc, const void *owner);
void kms_framebuffer_pin(struct kms_framebuffer *framebuffer);   /* NULL is none */
void kms_framebuffer_unpin(struct kms_framebuffer *framebuffer); /* NULL is none */

/* Memory of the card's own, XRGB8888, mapped. */
struct kms_dumb {
	uint32_t id; /* framebuffer; 0: none */
	uint32_t handle;
	uint32_t width, height, row_bytes;
	size_t size;
	void *pixels;
};

int kms_dumb_create(int drm, uint32_t width, uint32_t height, struct kms_dumb *dumb) KR_MUST_CHECK;
void kms_dumb_destroy(int drm, struct kms_dumb *dumb);

#endif
