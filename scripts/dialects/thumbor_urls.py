"""Requests in thumbor's language, of the options that its documentation describes, with the sizes they are to have."""

from geometry import contain, crop, extended, outside, scaled


def options():
    """What stands between `unsafe/` and the image: parts of the path without filters, and filters."""
    alignments = [
        "/".join(part for part in (across, down) if part)
        for across in ("", "left", "center", "right")
        for down in ("", "top", "middle", "bottom")
    ]
    listed = []
    for size in ("300x200", "200x300", "150x150"):
        listed += [(f"{size}/{place}".rstrip("/"), "") for place in alignments]
    plain = (
        "300x 300x0 x200 0x200 640x480 101x67 33x500 500x33 1x1 0x0 origxorig origx200 300xorig origx400 1200x600 "
        "-300x200 300x-200 -300x-200 -0x-0 -x x- -300x x-200 -0x0"
    )
    listed += [(size, "") for size in plain.split()]
    for fit in ("fit-in", "full-fit-in", "adaptive-fit-in", "adaptive-full-fit-in"):
        listed += [(f"{fit}/{size}", "") for size in "300x200 200x300 250x250 640x480 97x131 1200x800 -300x200".split()]
    listed += [(f"fit-in/{size}", "") for size in "300x0 0x200 300xorig origx200 300x x200".split()]
    for crop in ("0x0:300x200", "10x20:210x320", "50x50:150x150", "100x0:3000x300", "0x100:101x233"):
        listed += [(f"{crop}{resize}", "") for resize in ("", "/100x100", "/fit-in/90x90", "/-80x60", "/60x120/right/top")]
    for size in ("300x200", "", "fit-in/300x300"):
        listed += [
            (size, filters)
            for filters in (
                "brightness(40)", "brightness(-40)", "contrast(40)", "contrast(-40)", "saturation(1.8)", "saturation(0)",
                "grayscale()", "rgb(20,-20,40)", "blur(3)", "blur(7)", "blur(20,4)", "rotate(90)", "rotate(180)",
                "rotate(270)", "sharpen(2,1.0,true)", "round_corner(20,255,255,255)", "background_color(blue)",
                "quality(40)", "strip_exif()", "strip_icc()", "max_age(60)", "grayscale():rotate(90)",
                "rotate(90):brightness(10)", "blur(2):contrast(20):rgb(5,5,5)",
            )
        ]
    listed += [("fit-in/300x300", f"fill({color})") for color in "red f00 add8e6 transparent blue,true ff00ff,1".split()]
    listed += [("fit-in/200x300", "fill(green)"), ("fit-in/300x300", "upscale():fill(red)"), ("fit-in/1200x1000", "fill(blue)")]
    listed += [("adaptive-fit-in/300x200", "fill(blue)"), ("fit-in/300x300", "fill(blur)"), ("fit-in/300x300", "fill(auto)")]
    listed += [("fit-in/1000x1000", "upscale()"), ("fit-in/900x1100", "upscale()"), ("1200x1000", "no_upscale()")]
    listed += [("1500x200", "no_upscale()"), ("200x1500", "no_upscale()"), ("300x200", "no_upscale()")]
    listed += [("300x200", "stretch()"), ("97x301", "stretch()"), ("300x200", "proportion(0.5)"), ("", "proportion(0.5)")]
    listed += [("300x200", f"focal({area})") for area in "0x0:100x100 300x300:400x500 500x20:600x40 100x100:500x500".split()]
    listed += [("200x300", f"focal({area})") for area in "0x0:100x100 300x300:400x500 600x20:640x40".split()]
    listed += [("10x20:600x620/200x100", "focal(110x120:150x160)"), ("150x150", "focal(0x0:10x10):focal(300x300:310x310)")]
    marks = "0,0,0 10,10,50 -10,-10,0 center,center,0 10p,10p,0 -5p,20p,30 0,0,0,20,20 -10,-20,40,25,25 repeat,repeat,50"
    listed += [("fit-in/400x400", f"watermark(mark.png,{place})") for place in marks.split()]
    listed += [(trim, "") for trim in ("trim", "trim:top-left", "trim:bottom-right", "trim:20", "trim:bottom-right:40")]
    return listed


def box_of(path, size):
    """The sides that a path without a crop and without `fit-in` makes a picture cover; `None` if it states no two sides."""
    for part in path.split("/"):
        if "fit-in" in part or ":" in part:
            return None
        sides = part.split("x")
        if len(sides) == 2:
            known = [side.lstrip("-") for side in sides]
            box = [size[index] if side == "orig" else int(side or 0) for index, side in enumerate(known)]
            return tuple(box) if all(box) else None
    return None


def expected(path, filters, size):
    """The size that a request is to have, or 400; `None` where it depends on the pixels."""
    if "trim" in path:
        return None
    if any(word in filters for word in ("fill(blur)", "fill(auto)")) and "fit-in" in path or "adaptive-full" in path:
        return 400
    if "adaptive" in path and "fill" in filters:
        return 400
    fit, box = None, (0, 0)
    for part in path.split("/"):
        if ":" in part:
            left, top, right, bottom = (int(number) for number in part.replace(":", "x").split("x"))
            size = min(right, size[0]) - left, min(bottom, size[1]) - top
        elif "fit-in" in part:
            fit = part
        elif "x" in part:
            sides = [side.lstrip("-") for side in part.split("x")]
            box = tuple(size[index] if side == "orig" else int(side or 0) for index, side in enumerate(sides))
    if fit == "adaptive-fit-in":
        box = box[::-1] if (size[0] - size[1]) * (box[0] - box[1]) < 0 else box
    if any(box):
        if fit == "full-fit-in":
            size = outside(size, box, True)
        elif fit:
            size = contain(size, box, "upscale" in filters)
        elif not all(box):
            size = contain(size, box, True)
        else:
            size = crop(size, box) if "no_upscale" in filters else box
    if "proportion" in filters:
        size = scaled(size, 0.5)
    if "rotate(90)" in filters or "rotate(270)" in filters:
        size = size[::-1]
    return extended(size, box) if "fill(" in filters and fit and fit != "full-fit-in" else size


def paths(name, size):
    """Whole paths of unsigned requests for an image."""
    for path, filters in options():
        parts = ["", "unsafe", path, f"filters:{filters}" if filters else "", name]
        yield "/".join(part for index, part in enumerate(parts) if part or index == 0), expected(path, filters, size)
