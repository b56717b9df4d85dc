/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a backend, and asking what each can give. */
#include "gralloc/backends.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "util/env.h"
#include "util/fd.h"
#include "util/log.h"

/* In the order of `auto`. */
static const struct kr_buffer_impl *const backends[KR_BUFFER_BACKENDS] = {
	&kr_dma_heap_impl,
	&kr_udmabuf_impl,
	&kr_memfd_impl,
};

static int
real_ioctl(int node, unsigned long request, void *data)
{
	int answer = ioctl(node, request, data);

	return answer < 0 ? -errno : answer;
}

static const struct kr_buffer_devices real_devices = {NULL, NULL, NULL};
static _Atomic(const struct kr_buffer_devices *) devices = &real_devices;

/* What KRAFLA_BUFFERS asks for: an index of `backends`, or one of these. */
enum choice {
	CHOICE_UNKNOWN = -1, /* not looked at yet */
	CHOICE_AUTO = KR_BUFFER_BACKENDS,
	CHOICE_GPU, /* AUTO for what the CPU's memory is */
	CHOICE_INVALID,
};
static atomic_int chosen = CHOICE_UNKNOWN;
static atomic_bool told;

void
kr_buffer_set_devices(const struct kr_buffer_devices *other)
{
	atomic_store(&devices, other ? other : &real_devices);
	atomic_store(&chosen, CHOICE_UNKNOWN);
	atomic_store(&told, false);
}

int
kr_buffer_device_ioctl(int node, unsigned long request, void *data)
{
	const struct kr_buffer_devices *d = atomic_load(&devices);
	int answer;

	do
		answer = (d->ioctl ? d->ioctl : real_ioctl)(node, request, data);
	while (answer == -EINTR);
	return answer;
}

const struct kr_buffer_impl *
kr_buffer_impl_from_backend(int backend)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(backends); i++) {
		if ((int)backends[i]->backend == backend)
			return backends[i];
	}
	return NULL;
}

const char *
kr_buffer_backend_name(enum kr_buffer_backend backend)
{
	const struct kr_buffer_impl *impl = kr_buffer_impl_from_backend((int)backend);

	if (backend == KR_BUFFER_GPU)
		return "gpu";
	return impl ? impl->name : "unknown";
}

bool
kr_buffer_backend_is_dma_buf(enum kr_buffer_backend backend)
{
	const struct kr_buffer_impl *impl = kr_buffer_impl_from_backend((int)backend);

	return impl && impl->dma_buf;
}

static const char *
get_word(void)
{
	const char *word = atomic_load(&devices)->word;

	return word ? word : kr_env_get("KRAFLA_BUFFERS");
}

static int
choice_from_word(const char *word)
{
	if (!word || !strcmp(word, "auto"))
		return CHOICE_AUTO;
	if (!strcmp(word, "gpu"))
		return CHOICE_GPU;
	for (int i = 0; i < KR_BUFFER_BACKENDS; i++) {
		if (!strcmp(word, backends[i]->name))
			return i;
	}
	return CHOICE_INVALID;
}

bool
kr_buffer_word_is_known(const char *word)
{
	return choice_from_word(word) != CHOICE_INVALID;
}

/*
 * Read once: allocations happen on any thread, while the application may change its environment.
 * Who reads it first tells, aloud: the application only hears that its surface is lost.
 */
static int
get_choice(void)
{
	int choice = atomic_load(&chosen), before = CHOICE_UNKNOWN;
	const char *word;

	if (choice != CHOICE_UNKNOWN)
		return choice;
	word = get_word();
	choice = choice_from_word(word);
	if (!atomic_compare_exchange_strong(&chosen, &before, choice))
		return before;
	if (choice == CHOICE_INVALID)
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"KRAFLA_BUFFERS is '%s': no buffer can be allocated until it is %s, or unset",
			word, KR_BUFFER_WORDS);
	return choice;
}

bool
kr_buffer_gpu_is_wanted(void)
{
	return get_choice() == CHOICE_GPU;
}

static bool
node_path(const struct kr_buffer_impl *impl, char path[PATH_MAX])
{
	const char *dir = atomic_load(&devices)->dir;
	int length = snprintf(path, PATH_MAX, "%s/%s", dir ? dir : "/dev", impl->node);

	return length > 0 && length < PATH_MAX;
}

static int
allocate_from(const struct kr_buffer_impl *impl, uint64_t size, int *fd)
{
	char path[PATH_MAX];
	FILE *node;
	int err;

	if (!impl->node)
		return impl->allocate(-1, size, fd);
	if (!node_path(impl, path))
		return -ENAMETOOLONG;
	/* The loader reaches no file by other calls than those that its tests interpose (K-48). */
	node = fopen(path, "r+e");
	if (!node)
		return -errno;
	err = impl->allocate(fileno(node), size, fd);
	fclose(node);
	return err;
}

/* What `auto` decides is worth a line, once; so is what a demand can't have. */
static bool
is_first_to_tell(void)
{
	return !atomic_exchange(&told, true);
}

/* The application only hears that its surface is lost, or an image not made. */
static void
tell_failure(uint64_t size, int err)
{
	static atomic_bool once;

	if (atomic_exchange(&once, true))
		return;
	if (err == -EFBIG)
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"no buffer of %llu bytes can be made: this process's limit for files, which is also one for memory that is shared, is lower (RLIMIT_FSIZE, ulimit -f)",
			(unsigned long long)size);
	else if (err != -ENOMEM && err != -EMFILE && err != -ENFILE)
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"no buffer of %llu bytes can be made: memfd_create: %s. What is shared with a display must be memory that can be sealed: allow that call here, or give this user /dev/dma_heap/system",
			(unsigned long long)size, strerror(-err));
}

static int
allocate_demanded(const struct kr_buffer_impl *impl, uint64_t size, int *fd)
{
	char path[PATH_MAX] = "memory";
	int err = allocate_from(impl, size, fd);

	if (!err || err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		return err;
	if (impl->node)
		(void)node_path(impl, path);
	if (is_first_to_tell())
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"KRAFLA_BUFFERS demands %s, but %s gives no buffer of %llu bytes: %s. Let this user open it, or set KRAFLA_BUFFERS=auto",
			impl->name, path, (unsigned long long)size, strerror(-err));
	return -ENODEV;
}

static int
allocate_best(uint64_t size, const struct kr_buffer_impl **impl, int *fd)
{
	int err = -ENODEV;

	for (size_t i = 0; i < KR_ARRAY_LEN(backends); i++) {
		err = allocate_from(backends[i], size, fd);
		if (err)
			continue;
		*impl = backends[i];
		if (is_first_to_tell())
			kr_info("buffers come from %s (KRAFLA_BUFFERS chooses; krafla info tells why)",
				backends[i]->name);
		return 0;
	}
	tell_failure(size, err);
	return err;
}

int
kr_buffer_memory_allocate(uint64_t size, const struct kr_buffer_impl **impl, int *fd)
{
	int choice = get_choice();

	if (choice == CHOICE_INVALID)
		return -ENODEV;
	if (choice == CHOICE_AUTO || choice == CHOICE_GPU)
		return allocate_best(size, impl, fd);
	*impl = backends[choice];
	return allocate_demanded(*impl, size, fd);
}

void
kr_buffer_backends_ask(struct kr_buffer_backend_state states[KR_BUFFER_BACKENDS])
{
	int choice = choice_from_word(get_word());
	bool found = false;

	for (int i = 0; i < KR_BUFFER_BACKENDS; i++) {
		struct kr_buffer_backend_state *state = &states[i];
		int fd = -1;

		*state = (struct kr_buffer_backend_state){.backend = backends[i]->backend};
		if (backends[i]->node && !node_path(backends[i], state->node))
			state->node[0] = '\0';
		state->error = allocate_from(backends[i], KR_BUFFER_PAGE, &fd);
		kr_fd_close(&fd);
		state->chosen = !found && !state->error &&
			(choice == i || choice == CHOICE_AUTO || choice == CHOICE_GPU);
		found |= state->chosen;
	}
}
