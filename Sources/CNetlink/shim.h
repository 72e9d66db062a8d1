#include <sys/socket.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
