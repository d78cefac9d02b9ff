"""Sizes that the other servers' documentation promises, computed here a second time and without a picture."""


def contain(size, box, enlarge=False):
    """The largest size with the picture's proportions within a box; 0 is no limit."""
    limits = [limit / side for side, limit in zip(size, box) if limit]
    factor = min(limits) if limits else 1
    return scaled(size, factor if enlarge else min(1, factor))


def outside(size, box, enlarge=False):
    """The smallest size with the picture's proportions that covers a box."""
    factor = max(limit / side for side, limit in zip(size, box) if limit)
    return scaled(size, factor if enlarge else min(1, factor))


def cut(size, box):
    """Not larger than a box; 0 is no limit."""
    return tuple(min(side, limit or side) for side, limit in zip(size, box))


def crop(size, box):
    """The box, cut to the picture where the picture is smaller, without its proportions."""
    return cut(outside(size, box), box)


def shrunken(size, box):
    """The box, or the largest one of its proportions that the picture covers."""
    factor = min(1, *(side / limit for side, limit in zip(size, box)))
    return scaled(box, factor)


def extended(size, box):
    """At least the box."""
    return tuple(max(side, limit) for side, limit in zip(size, box))


def scaled(size, factor):
    return tuple(max(1, int(side * factor + 0.5)) for side in size)


def turned(size):
    return size[1], size[0]


def grown(size, top, right, bottom, left):
    return size[0] + left + right, size[1] + top + bottom


def is_near(size, expected):
    """Whether a size is the expected one, or off by a pixel: servers round halves differently."""
    return size is not None and all(abs(one - other) <= 1 for one, other in zip(size, expected))
