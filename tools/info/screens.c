/* SPDX-License-Identifier: Apache-2.0 */
/* The cards, as the module of the composer's device kms sees them (docs/kms.md). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwc/composer.h"
#include "outputs/kms/report.h"
#include "tools/command/json_values.h"
#include "tools/info/facts.h"
#include "tools/info/tier.h"
#include "util/library.h"
#include "util/text.h"

#define MAX_CARDS 16

/* How many cards there are; -1: the module isn't there. */
static int
ask(struct kms_card_report reports[MAX_CARDS])
{
	const struct kr_hwc_device_impl *impl;
	kms_report_fn report;
	void *library;
	int count = -1;

	if (kr_hwc_module_load("kms", &library, &impl))
		return -1;
	report = (kms_report_fn)dlsym(library, KMS_REPORT_SYMBOL);
	if (report)
		count = (int)KR_MIN(report(reports, MAX_CARDS), (unsigned)MAX_CARDS);
	kr_library_close(library);
	return count;
}

/* What keeps it from showing buffers on planes, with fences; NULL: nothing. */
static const char *
why_not(const struct kms_card_report *card)
{
	if (card->error)
		return strerror(-card->error);
	if (!card->modes)
		return "it has no screens";
	if (!card->atomic)
		return "no atomic mode setting";
	if (!card->fences)
		return "its planes take no fences, or give none";
	if (!card->import)
		return "it takes no dma-bufs";
	return NULL;
}

char *
kr_tier_why_no_card(void)
{
	struct kms_card_report reports[MAX_CARDS];
	int count = ask(reports);

	if (count < 0)
		return kr_asprintf(
			"krafla-output-kms.so can't be loaded: is it installed, with libliftoff and libseat?");
	for (int i = 0; i < count; i++) {
		if (!why_not(&reports[i]))
			return NULL;
	}
	if (!count)
		return kr_asprintf("no card with screens: /dev/dri has none");
	return kr_asprintf("no card that shows buffers with fences: %s: %s", reports[0].path,
		why_not(&reports[0]));
}

static json_t *
screens_of(const struct kms_card_report *card)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < card->screens; i++)
		json_array_append_new(array,
			json_pack("{s:o, s:b, s:i, s:i, s:i}", "connector",
				kr_tool_json_text(card->screen[i].name), "connected",
				card->screen[i].connected, "width", (int)card->screen[i].width,
				"height", (int)card->screen[i].height, "refresh_hz",
				(int)card->screen[i].hz));
	return array;
}

json_t *
kr_info_cards(void)
{
	struct kms_card_report reports[MAX_CARDS];
	int count = ask(reports);
	json_t *array = json_array();

	for (int i = 0; i < count; i++) {
		const char *why = why_not(&reports[i]);

		json_array_append_new(array,
			json_pack("{s:o, s:o, s:b, s:o, s:i, s:o}", "path",
				kr_tool_json_text(reports[i].path), "driver",
				kr_tool_json_text(reports[i].driver), "tier2", !why, "missing",
				why ? json_string(why) : json_null(), "planes",
				(int)reports[i].planes, "screens", screens_of(&reports[i])));
	}
	return array;
}

static const char *
text(const json_t *of, const char *key)
{
	const char *value = json_string_value(json_object_get(of, key));

	return value ? value : "";
}

static long long
number(const json_t *of, const char *key)
{
	return (long long)json_integer_value(json_object_get(of, key));
}

static void
print_screens(const json_t *screens)
{
	const json_t *screen;
	size_t i;

	json_array_foreach(screens, i, screen)
	{
		if (json_is_true(json_object_get(screen, "connected")))
			printf("    %s %lldx%lld at %lld Hz\n", text(screen, "connector"),
				number(screen, "width"), number(screen, "height"),
				number(screen, "refresh_hz"));
		else
			printf("    %s, no screen\n", text(screen, "connector"));
	}
}

void
kr_info_print_cards(const json_t *cards)
{
	const json_t *card;
	size_t i;

	puts("cards");
	json_array_foreach(cards, i, card)
	{
		const char *missing = text(card, "missing");

		printf("  [%s] %s %s, %lld planes: %s%s\n", missing[0] ? "-" : "+",
			text(card, "path"), text(card, "driver"), number(card, "planes"),
			missing[0] ? "no T2, " : "T2 on its planes", missing);
		print_screens(json_object_get(card, "screens"));
	}
	if (!json_array_size(cards))
		puts("  none");
}
