"""Requests in imgproxy's language, of the options that its documentation describes, with the sizes they are to have."""

from geometry import contain, crop, cut, extended, grown, outside, scaled, shrunken, turned

BOXES = [(300, 200), (200, 300), (250, 250), (640, 480), (97, 131), (1200, 600)]

# Options that leave the size as it is; each is asked with and without a resize.
PIXELS = """
quality:80 q:50 format:png f:webp ext:jpg bg:255:0:0 background:ffddee bga:0.5 br:40 brightness:-40 co:1.4 contrast:0.7
sa:1.5 saturation:0 a:10:1.1:0.9 adjust:10:1.1:0.9 blur:3 bl:0.8 sharpen:0.7 sh:2 pixelate:8 pix:4 mc:1:ff8800
monochrome:1 dt:1:003366:ffeecc duotone:1 col:0.3:ff0000 fl:1 flip:0:1 fl:1:1 rot:180 rotate:0 ar:1 sm:1 kcr:1
strip_metadata:1 keep_copyright:1 scp:1 strip_color_profile:1 cp:srgb icc:srgb ph:0 eth:0 dpi:0 ra:lanczos3 mb:200000
max_bytes:300000 fq:jpeg:70:webp:60 aq:size:200000 jpgo:1 jpeg_options:1:0 pngo:1 f:webp/webpo:lossless avifo:auto pg:0 da:1
cb:abc cachebuster:1 exp:32503669200 fn:cat att:1 filename:cat pgs:1 wm:0 el:0 z:1 dpr:1 pd:0 c:0:0 t:10
""".split()

# What cannot be said: a 400.
REFUSED = """
rt:nosuch g:zz ush:1:1:1 unsharp_masking:1:1:1 wmu:aHR0cA wm:0.5:soea st:abc style:abc fiu:aHR0cA vts:5 msr:10
msfs:1000 op:ce skp:gif g:objw:face:2 g:obj:cat car:2/c:10:10 ar:0 scp:0 ph:1 eth:1 dpi:72 ra:cubic pgs:2 c:10:10:re
dt:0.5 mc:0.5 f:heic f:bmp nosuch:1 w:abc w:-5 dpr:0 z:0 q:101 t:10:ff0000 t:10::1
""".split()


def options(size):
    """`(options, size or status)` for a picture of a size."""
    listed = []
    for box in BOXES:
        text = f"{box[0]}:{box[1]}"
        is_alike = (size[0] >= size[1]) == (box[0] >= box[1])
        fits = {
            "fit": contain(size, box),
            "fill": crop(size, box),
            "fill-down": shrunken(size, box),
            "force": cut(size, box),
            "auto": crop(size, box) if is_alike else contain(size, box),
        }
        listed += [(f"rs:{name}:{text}", result) for name, result in fits.items()]
        listed += [
            (f"resizing_type:fit/width:{box[0]}/height:{box[1]}", fits["fit"]),
            (f"resize:fill:{text}:1", box),
            (f"size:{text}:0:1", extended(fits["fit"], box)),
            (f"s:{text}/ex:1:so:0:10", extended(fits["fit"], box)),
            (f"w:{box[0]}", contain(size, (box[0], 0))),
            (f"h:{box[1]}", contain(size, (0, box[1]))),
            (f"s:{text}/el:1", contain(size, box, True)),
            (f"s:{text}/pd:10:20", grown(fits["fit"], 10, 20, 10, 20)),
            (f"s:{text}/padding:1:2:3:4", grown(fits["fit"], 1, 2, 3, 4)),
        ]
        listed = [entry for entry in listed if entry[1]]
    for gravity in "no so ea we noea nowe soea sowe ce sm obj obj:face no:10:20 soea:0.1:0.2 fp:0.3:0.7 ce:-5:5".split():
        listed += [(f"rs:fill:300:100/g:{gravity}", (300, 100)), (f"c:500:400:{gravity}/w:100", (100, 80))]
    listed += [
        ("c:500:400", (500, 400)), ("crop:0.5:0.25", scaled_each(size, 0.5, 0.25)), ("c:0:100", (size[0], 100)),
        ("c:100:0:nowe", (100, size[1])), ("car:1", cut_to_ratio(size, 1)), ("crop_aspect_ratio:1.5", cut_to_ratio(size, 1.5)),
        ("w:200/dpr:2", contain(size, (400, 0))), ("w:200/dpr:1.5/pd:10", grown(contain(size, (300, 0)), 15, 15, 15, 15)),
        ("z:0.5", scaled(size, 0.5)), ("zoom:0.25", scaled(size, 0.25)), ("w:200/z:2", contain(size, (400, 0))),
        ("rs:force:100:100/z:2:3", (200, 300)), ("mw:300", size), ("w:100/mw:0", contain(size, (100, 0))),
        ("rs:fit:300:300/mh:250", cut(outside(size, (1, 250), True), (300, 300))),
        ("s:300:200/exar:1", None), ("rot:90", turned(size)), ("rotate:270/w:300", contain(turned(size), (300, 0))),
        ("rot:90/rs:fill:120:200", (120, 200)), ("w:300/fl:1:1/rot:180", contain(size, (300, 0))),
    ]
    listed = [entry for entry in listed if entry[1]]
    for option in PIXELS:
        listed += [(option, size), (f"rs:fill:300:200/{option}", (300, 200))]
    return listed + [(f"w:300/{option}", 400) for option in REFUSED]


def scaled_each(size, across, down):
    return int(size[0] * across + 0.5), int(size[1] * down + 0.5)


def cut_to_ratio(size, ratio):
    width, height = size
    return (round(height * ratio), height) if width > height * ratio else (width, round(width / ratio))


def paths(name, size):
    """Whole paths of unsigned requests for an image."""
    for number, (text, expected) in enumerate(options(size)):
        code = ["unsafe", "_", "insecure"][number % 3]
        yield f"/{code}/{text}/plain/{name}", expected
