/* SPDX-License-Identifier: Apache-2.0 */
/* A table by fd number, in pages that are mapped when a number first falls into them and then stay. */
#include "sync/producers.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGE_ENTRIES 512
#define PAGES        2048

struct page {
	uint64_t cookies[PAGE_ENTRIES]; /* 0: no producer end */
};

struct kr_mutex kr_sync_producers_lock = KR_MUTEX_INITIALIZER;
static struct page *pages[PAGES] KR_GUARDED_BY(kr_sync_producers_lock);

static uint64_t
cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) ? 0 : cookie;
}

static struct page *
page_of_locked(int fd) KR_REQUIRES(kr_sync_producers_lock)
{
	return (unsigned)fd / PAGE_ENTRIES < PAGES ? pages[(unsigned)fd / PAGE_ENTRIES] : NULL;
}

int
kr_sync_producers_add_locked(int fd)
{
	unsigned number = (unsigned)fd / PAGE_ENTRIES;

	if (number >= PAGES)
		return -EMFILE;
	if (!pages[number]) {
		void *page = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			return -ENOMEM;
		pages[number] = page;
	}
	pages[number]->cookies[(unsigned)fd % PAGE_ENTRIES] = cookie_of(fd);
	return 0;
}

void
kr_sync_producers_forget(int fd)
{
	struct page *page;

	kr_mutex_lock(&kr_sync_producers_lock);
	page = page_of_locked(fd);
	if (page)
		page->cookies[(unsigned)fd % PAGE_ENTRIES] = 0;
	kr_mutex_unlock(&kr_sync_producers_lock);
}

bool
kr_sync_producers_has(int fd)
{
	struct page *page;
	uint64_t cookie;

	kr_mutex_lock(&kr_sync_producers_lock);
	page = page_of_locked(fd);
	cookie = page ? page->cookies[(unsigned)fd % PAGE_ENTRIES] : 0;
	kr_mutex_unlock(&kr_sync_producers_lock);
	return cookie && cookie == cookie_of(fd);
}

static void
drop_page(struct page *page, unsigned first)
{
	for (unsigned i = 0; i < PAGE_ENTRIES; i++) {
		if (page->cookies[i] && page->cookies[i] == cookie_of((int)(first + i)))
			close((int)(first + i));
		page->cookies[i] = 0;
	}
}

void
kr_sync_producers_drop_locked(void)
{
	for (unsigned i = 0; i < PAGES; i++) {
		if (pages[i])
			drop_page(pages[i], i * PAGE_ENTRIES);
	}
}
