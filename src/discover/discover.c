/* SPDX-License-Identifier: Apache-2.0 */
/* Which sources are asked, in which order. */
#include "discover/discover.h"

#include "discover/sources.h"
#include "manifest/profile.h"
#include "manifest/settings.h"
#include "util/log.h"
#include "util/properties.h"

/* Moves every element of `from` behind those of the empty list `to`. */
static void
move_list(struct kr_list *to, struct kr_list *from)
{
	kr_list_init(to);
	if (kr_list_empty(from))
		return;
	*to = *from;
	to->next->prev = to;
	to->prev->next = to;
	kr_list_init(from);
}

static bool
is_exclusive(const VkDirectDriverLoadingListLUNARG *direct)
{
	return direct && direct->mode == VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG;
}

static void
append_list(struct kr_list *to, struct kr_list *from)
{
	while (!kr_list_empty(from)) {
		struct kr_list *link = from->next;

		kr_list_remove(link);
		kr_list_append(to, link);
	}
}

static int
discover_installed(const struct kr_discover_options *options, const struct kr_driver_list *served,
	struct kr_driver_list *list)
{
	struct kr_discover_options named = *options;

	if (!(options->sources & (KR_DISCOVER_MANIFESTS | KR_DISCOVER_NAMED)))
		return 0;
	named.search.no_standard = !(options->sources & KR_DISCOVER_MANIFESTS);
	return kr_discover_manifests(&named, served, list);
}

/* The service stands for the search of standard directories: what replaces that replaces it. */
static bool
is_replaced(const struct kr_discover_options *options)
{
	const struct kr_settings *settings = options->settings;

	return (settings && settings->drivers_exclusive) ||
		kr_search_is_replaced(KR_MANIFEST_DRIVER, &options->search);
}

/*
 * The service is asked first, so that what it serves isn't opened twice; its drivers
 * stand behind the others.
 */
static int
discover_manifests(const struct kr_discover_options *options, struct kr_driver_list *list)
{
	struct kr_driver_list served = {.hal_error = 0};
	int ret = 0;

	kr_list_init(&served.drivers);
	kr_list_init(&served.candidates);
	if (options->sources & KR_DISCOVER_SERVICE && !is_replaced(options))
		ret = kr_discover_service(options, &served);
	if (!ret)
		ret = discover_installed(options, &served, list);
	append_list(&list->drivers, &served.drivers);
	append_list(&list->candidates, &served.candidates);
	list->portability_skipped |= served.portability_skipped;
	return ret;
}

static int
discover(const struct kr_discover_options *options, struct kr_driver_list *list)
{
	int ret = 0;

	if (options->direct)
		ret = kr_discover_direct(options->direct, list);
	if (!ret && options->sources & KR_DISCOVER_HAL)
		ret = kr_discover_hal(options, list);
	if (!ret)
		ret = discover_manifests(options, list);
	if (ret || !kr_list_empty(&list->drivers))
		return ret;
	if (list->hal_error) {
		kr_error(
			"the HAL module that the properties name is broken and there is no other driver");
		return 0;
	}
	return options->sources & KR_DISCOVER_STUB ? kr_discover_stub(list) : 0;
}

static uint32_t
sources_of_profile(void)
{
	uint32_t drivers = kr_profile_get()->drivers, sources = 0;

	if (drivers & KR_PROFILE_HAL)
		sources |= KR_DISCOVER_HAL;
	if (drivers & KR_PROFILE_MANIFESTS)
		sources |= KR_DISCOVER_MANIFESTS;
	if (drivers & KR_PROFILE_SERVICE)
		sources |= KR_DISCOVER_SERVICE;
	if (drivers & KR_PROFILE_NAMED)
		sources |= KR_DISCOVER_NAMED;
	if (drivers & KR_PROFILE_STUB)
		sources |= KR_DISCOVER_STUB;
	return sources;
}

int
kr_discover_drivers(const struct kr_discover_options *options, struct kr_driver_list *list)
{
	struct kr_discover_options filled = options ? *options : (struct kr_discover_options){0};
	struct kr_driver_list found = {.hal_error = 0};
	int ret;

	kr_list_init(&found.drivers);
	kr_list_init(&found.candidates);
	if (!filled.sources)
		filled.sources = sources_of_profile();
	if (is_exclusive(filled.direct))
		filled.sources = 0;
	if (!filled.property_get)
		filled.property_get = kr_property_get;
	ret = discover(&filled, &found);
	if (ret) {
		kr_driver_list_finish(&found);
		return ret;
	}
	move_list(&list->drivers, &found.drivers);
	move_list(&list->candidates, &found.candidates);
	list->hal_error = found.hal_error;
	list->portability_skipped = found.portability_skipped;
	return 0;
}

void
kr_discover_end(void)
{
	kr_discover_hal_end();
}
