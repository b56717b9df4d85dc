// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * /dev/krafla_sync: an open file is a timeline (uapi/krafla_sync.h).
 *
 * The file's release runs when its last descriptor is gone, in whatever process that was: a child
 * of fork that has one keeps the timeline alive.
 */
#include <linux/compat.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>

#include "debug.h"
#include "point.h"
#include "timeline.h"

static int device_open(struct inode *inode, struct file *file)
{
	file->private_data = krafla_timeline_create();
	return file->private_data ? nonseekable_open(inode, file) : -ENOMEM;
}

static int device_release(struct inode *inode, struct file *file)
{
	krafla_timeline_close(file->private_data);
	return 0;
}

static long set_name(struct krafla_timeline *timeline, void __user *arg)
{
	struct krafla_sync_name in;

	if (copy_from_user(&in, arg, sizeof(in)))
		return -EFAULT;
	if (!in.name[0] || strnlen(in.name, sizeof(in.name)) == sizeof(in.name))
		return -EINVAL;
	return krafla_timeline_set_name(timeline, in.name);
}

/*
 * The descriptor is installed last: from then on it is the program's, and there is no way back.
 * What can fail comes before, and nothing of it is seen by anybody else.
 */
static long create_fence(struct krafla_timeline *timeline, void __user *arg)
{
	struct krafla_sync_create args;
	struct krafla_point *point;
	struct sync_file *sync;
	long ret;
	int fd;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	if (!args.timeout_ms || args.timeout_ms > KRAFLA_SYNC_MAX_TIMEOUT_MS)
		return -EINVAL;
	point = krafla_point_create(timeline, args.value, args.timeout_ms);
	if (IS_ERR(point))
		return PTR_ERR(point);
	sync = sync_file_create(&point->fence);
	if (!sync) {
		ret = -ENOMEM;
		goto err_point;
	}
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		ret = fd;
		goto err_sync;
	}
	args.fence = fd;
	if (copy_to_user(arg, &args, sizeof(args))) {
		ret = -EFAULT;
		goto err_fd;
	}
	krafla_timeline_add(timeline, point);
	fd_install(fd, sync->file);
	dma_fence_put(&point->fence); /* The sync_file has one of its own. */
	return 0;

err_fd:
	put_unused_fd(fd);
err_sync:
	fput(sync->file);
err_point:
	dma_fence_put(&point->fence);
	return ret;
}

static long signal_value(struct krafla_timeline *timeline, void __user *arg)
{
	struct krafla_sync_signal in;

	if (copy_from_user(&in, arg, sizeof(in)))
		return -EFAULT;
	if (in.pad || in.error > 0 || in.error < -MAX_ERRNO)
		return -EINVAL;
	return krafla_timeline_move(timeline, in.value, in.error);
}

static long get_info(struct krafla_timeline *timeline, void __user *arg)
{
	struct krafla_sync_info info = {};

	krafla_timeline_info(timeline, &info);
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case KRAFLA_SYNC_IOC_SET_NAME:
		return set_name(file->private_data, (void __user *)arg);
	case KRAFLA_SYNC_IOC_CREATE:
		return create_fence(file->private_data, (void __user *)arg);
	case KRAFLA_SYNC_IOC_SIGNAL:
		return signal_value(file->private_data, (void __user *)arg);
	case KRAFLA_SYNC_IOC_INFO:
		return get_info(file->private_data, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl, /* The structures are the same for 32 bits. */
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "krafla_sync",
	.mode = 0600,
	.fops = &device_fops,
};

static int __init krafla_sync_init(void)
{
	int ret;

	/* A 32-bit program must find the same layout. */
	BUILD_BUG_ON(sizeof(struct krafla_sync_create) != 16);
	BUILD_BUG_ON(sizeof(struct krafla_sync_signal) != 16);
	BUILD_BUG_ON(sizeof(struct krafla_sync_info) != 56);

	ret = krafla_timelines_init();
	if (ret)
		return ret;
	ret = misc_register(&device);
	if (ret) {
		krafla_timelines_exit();
		return ret;
	}
	krafla_debug_init();
	return 0;
}

static void __exit krafla_sync_exit(void)
{
	krafla_debug_exit();
	misc_deregister(&device);
	krafla_timelines_exit();
	/* Points that let the module go from their last callback are still returning from it ... */
	rcu_barrier();
	/* ... and who put the last reference may stand in release(), after call_rcu(). */
	synchronize_rcu_tasks();
}

module_init(krafla_sync_init);
module_exit(krafla_sync_exit);

MODULE_DESCRIPTION("Timelines of real sync_files for Krafla's lab and for porting drivers");
MODULE_AUTHOR("Krafla");
MODULE_LICENSE("Dual MIT/GPL");
