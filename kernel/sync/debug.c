// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What debugfs shows, a line a timeline and one a point below it:
 *
 *	timeline <name> owner <pid> context <n> value <n> last <n> open <n>
 *		point <value> at <timeline's value> age_ms <n> left_ms <n>
 *
 * The points are copied under the timeline's lock and printed without it: printing may take memory.
 */
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/seq_file.h>

#include "debug.h"
#include "point.h"
#include "timeline.h"

#define VALUE_LEN 24

struct shown_point {
	char value[VALUE_LEN];
	char timeline_value[VALUE_LEN];
	ktime_t created;
	ktime_t expires;
};

static struct dentry *folder;

static unsigned int copy_points(struct krafla_timeline *timeline, struct shown_point *shown,
				unsigned int room)
{
	unsigned int count = 0;
	struct rb_node *node;

	spin_lock_irq(&timeline->points_lock);
	for (node = rb_first_cached(&timeline->by_value); node && count < room;
	     node = rb_next(node), count++) {
		struct krafla_point *point = krafla_point_from_node(node);

		krafla_point_value_str(&point->fence, shown[count].value, VALUE_LEN);
		krafla_point_timeline_value_str(&point->fence, shown[count].timeline_value,
						VALUE_LEN);
		shown[count].created = point->created;
		shown[count].expires = point->by_expiry.expires;
	}
	spin_unlock_irq(&timeline->points_lock);
	return count;
}

static void show_points(struct seq_file *m, const struct shown_point *shown, unsigned int count)
{
	ktime_t now = ktime_get();
	unsigned int i;

	for (i = 0; i < count; i++)
		seq_printf(m, "\tpoint %s at %s age_ms %lld left_ms %lld\n", shown[i].value,
			   shown[i].timeline_value, ktime_ms_delta(now, shown[i].created),
			   ktime_ms_delta(shown[i].expires, now));
}

static int show_timeline(struct seq_file *m, void *v)
{
	struct krafla_timeline *timeline = list_entry(v, struct krafla_timeline, link);
	struct krafla_sync_info info = {};
	struct shown_point *shown;

	krafla_timeline_info(timeline, &info);
	shown = kvmalloc_array(info.open, sizeof(*shown), GFP_KERNEL);
	if (info.open && !shown)
		return -ENOMEM;
	seq_puts(m, "timeline ");
	seq_escape(m, info.name, " \t\n\\");
	seq_printf(m, " owner %d context %llu value %llu last %llu open %u\n", timeline->owner,
		   timeline->context, info.value, info.last, info.open);
	show_points(m, shown, copy_points(timeline, shown, info.open));
	kvfree(shown);
	return 0;
}

static void *start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&krafla_timelines_lock);
	return seq_list_start(&krafla_timelines, *pos);
}

static void *next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &krafla_timelines, pos);
}

static void stop(struct seq_file *m, void *v)
{
	mutex_unlock(&krafla_timelines_lock);
}

static const struct seq_operations timelines_sops = {
	.start = start,
	.next = next,
	.stop = stop,
	.show = show_timeline,
};

DEFINE_SEQ_ATTRIBUTE(timelines);

void krafla_debug_init(void)
{
	/* Without debugfs there is nothing to show, and nothing else fails. */
	folder = debugfs_create_dir("krafla_sync", NULL);
	debugfs_create_file("timelines", 0400, folder, NULL, &timelines_fops);
}

void krafla_debug_exit(void)
{
	debugfs_remove(folder);
}
