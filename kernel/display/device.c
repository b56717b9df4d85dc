// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * /dev/krafla_display: the case study of a display driver with explicit fences (S-09); the ioctls
 * are described in uapi/krafla_display.h.
 */
#include <drm/drm_fourcc.h>
#include <linux/compat.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "display.h"

/* Of dead owners some may still be read: their buffers' own fences let go of them only later. */
#define MAX_UNFINISHED (2 * KRAFLA_DISPLAY_MAX_QUEUED)

static struct krafla_display display;

static const struct krafla_display_mode off;

static bool is_valid(const struct krafla_display_mode *mode)
{
	return !mode->pad && mode->width && mode->width <= KRAFLA_DISPLAY_MAX_SIZE &&
	       mode->height && mode->height <= KRAFLA_DISPLAY_MAX_SIZE && mode->refresh_hz &&
	       mode->refresh_hz <= KRAFLA_DISPLAY_MAX_REFRESH;
}

/* Under submit_lock. */
static void set_owner(struct file *file)
{
	mutex_lock(&display.lock);
	display.owner = file;
	mutex_unlock(&display.lock);
}

static long change_mode(struct file *file, const struct krafla_display_mode *mode)
{
	bool on = memcmp(mode, &off, sizeof(off));
	u8 *screen = NULL;

	if (display.owner != file && (display.owner || !on))
		return display.owner ? -EBUSY : 0;
	if (on) {
		screen = vzalloc(krafla_mode_row(mode) * mode->height);
		if (!screen)
			return -ENOMEM;
	}
	krafla_show_mode(&display, mode, screen, -ECANCELED);
	set_owner(on ? file : NULL);
	return 0;
}

static long set_mode(struct file *file, void __user *arg)
{
	struct krafla_display_mode mode;
	long ret;

	if (copy_from_user(&mode, arg, sizeof(mode)))
		return -EFAULT;
	if (memcmp(&mode, &off, sizeof(off)) && !is_valid(&mode))
		return -EINVAL;
	mutex_lock(&display.submit_lock);
	ret = change_mode(file, &mode);
	mutex_unlock(&display.submit_lock);
	return ret;
}

/* Tells the program, then lets the frame go its way: from there on nothing can fail. */
static long hand_over(struct krafla_frame *frame, struct krafla_display_buffer *args,
		      void __user *arg)
{
	struct sync_file *sync = sync_file_create(&frame->fence);
	int fd;

	if (!sync)
		return -ENOMEM;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		fput(sync->file);
		return fd;
	}
	args->frame = frame->fence.seqno;
	args->out_fence = fd;
	if (copy_to_user(arg, args, sizeof(*args))) {
		put_unused_fd(fd);
		fput(sync->file);
		return -EFAULT;
	}
	krafla_frame_queue(frame);
	fd_install(fd, sync->file);
	return 0;
}

static bool is_full(void)
{
	bool full;

	mutex_lock(&display.lock);
	full = display.queued >= KRAFLA_DISPLAY_MAX_QUEUED;
	mutex_unlock(&display.lock);
	return full || atomic_read(&display.unfinished) >= MAX_UNFINISHED;
}

static long submit(struct file *file, struct krafla_display_buffer *args, void __user *arg)
{
	struct krafla_frame *frame;
	long ret;

	if (display.owner != file)
		return -EPERM;
	if (is_full())
		return -EAGAIN;
	frame = krafla_frame_create(&display, args);
	if (IS_ERR(frame))
		return PTR_ERR(frame);
	ret = hand_over(frame, args, arg);
	if (ret)
		krafla_frame_destroy(frame);
	return ret;
}

static long display_buffer(struct file *file, void __user *arg)
{
	struct krafla_display_buffer args;
	long ret;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	mutex_lock(&display.submit_lock);
	ret = submit(file, &args, arg);
	mutex_unlock(&display.submit_lock);
	return ret;
}

static long get_info(void __user *arg)
{
	struct krafla_display_info info = {};

	mutex_lock(&display.lock);
	info.width = display.mode.width;
	info.height = display.mode.height;
	info.refresh_hz = display.mode.refresh_hz;
	info.format = display.shown_format;
	info.frame = display.shown_frame;
	info.queued = display.queued;
	mutex_unlock(&display.lock);
	spin_lock_irq(&display.vsync_lock);
	info.vsyncs = display.vsync_count;
	info.vsync_ns = ktime_to_ns(display.vsync_time);
	spin_unlock_irq(&display.vsync_lock);
	info.ready_ms = krafla_ready_ms();
	info.hold_ms = krafla_hold_ms();
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long get_record(void __user *arg)
{
	struct krafla_display_record record;
	int err;

	if (copy_from_user(&record, arg, sizeof(record)))
		return -EFAULT;
	err = krafla_record_get(&display, &record);
	if (err)
		return err;
	return copy_to_user(arg, &record, sizeof(record)) ? -EFAULT : 0;
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case KRAFLA_DISPLAY_IOC_SET_MODE:
		return set_mode(file, (void __user *)arg);
	case KRAFLA_DISPLAY_IOC_DISPLAY:
		return display_buffer(file, (void __user *)arg);
	case KRAFLA_DISPLAY_IOC_INFO:
		return get_info((void __user *)arg);
	case KRAFLA_DISPLAY_IOC_RECORD:
		return get_record((void __user *)arg);
	default:
		return -ENOTTY;
	}
}

/* The copy is made aside: a program's memory may not be touched under the lock. */
static ssize_t device_read(struct file *file, char __user *to, size_t size, loff_t *position)
{
	ssize_t ret;
	u8 *copy;

	if (*position < 0)
		return -EINVAL;
	size = min_t(size_t, size, (size_t)KRAFLA_DISPLAY_MAX_SIZE * KRAFLA_DISPLAY_MAX_SIZE * 4);
	copy = kvmalloc(size, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	ret = krafla_show_copy(&display, copy, *position, size);
	if (copy_to_user(to, copy, ret))
		ret = -EFAULT;
	else
		*position += ret;
	kvfree(copy);
	return ret;
}

static int device_release(struct inode *inode, struct file *file)
{
	mutex_lock(&display.submit_lock);
	if (display.owner == file) {
		krafla_show_mode(&display, &off, NULL, -EOWNERDEAD);
		set_owner(NULL);
	}
	mutex_unlock(&display.submit_lock);
	return 0;
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.release = device_release,
	.read = device_read,
	.llseek = default_llseek,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl, /* The structures are the same for 32 bits. */
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "krafla_display",
	.mode = 0600,
	.fops = &device_fops,
};

static int __init krafla_display_init(void)
{
	int ret;

	BUILD_BUG_ON(sizeof(struct krafla_display_buffer) != 40);
	BUILD_BUG_ON(sizeof(struct krafla_display_info) != 56);
	BUILD_BUG_ON(sizeof(struct krafla_display_record) != 48);
	BUILD_BUG_ON(KRAFLA_DISPLAY_XRGB8888 != DRM_FORMAT_XRGB8888);
	BUILD_BUG_ON(KRAFLA_DISPLAY_ARGB8888 != DRM_FORMAT_ARGB8888);
	BUILD_BUG_ON(KRAFLA_DISPLAY_XBGR8888 != DRM_FORMAT_XBGR8888);
	BUILD_BUG_ON(KRAFLA_DISPLAY_ABGR8888 != DRM_FORMAT_ABGR8888);

	mutex_init(&display.submit_lock);
	mutex_init(&display.lock);
	INIT_LIST_HEAD(&display.queue);
	display.context = dma_fence_context_alloc(1);
	ret = krafla_frames_init();
	if (ret)
		return ret;
	ret = krafla_show_init(&display);
	if (ret)
		goto err_frames;
	ret = misc_register(&device);
	if (ret)
		goto err_show;
	return 0;

err_show:
	krafla_show_exit(&display);
err_frames:
	krafla_frames_exit();
	return ret;
}

static void __exit krafla_display_exit(void)
{
	misc_deregister(&device);
	krafla_show_exit(&display);
	krafla_frames_exit();
	/* As in krafla_sync: fences that let the module go are still returning from that. */
	rcu_barrier();
	synchronize_rcu_tasks();
}

module_init(krafla_display_init);
module_exit(krafla_display_exit);

MODULE_DESCRIPTION("A display that shows dma-bufs behind fences, for Krafla's lab and for porting");
MODULE_AUTHOR("Krafla");
MODULE_LICENSE("Dual MIT/GPL");
#ifdef KRAFLA_HAS_BARE_NAMESPACES
MODULE_IMPORT_NS(DMA_BUF);
#else
MODULE_IMPORT_NS("DMA_BUF");
#endif
