"""Requests in the language of imagor, and the part of thumbor's that both have, with the sizes they are to have."""

from geometry import contain, grown, outside, scaled, turned

FLIPS = [("", ""), ("-", ""), ("", "-"), ("-", "-")]
PLACES = "left right center top bottom middle left/top left/bottom right/top right/bottom center/middle smart left/smart".split()

PIXELS = """
brightness(40) brightness(-40) contrast(40) contrast(-20) saturation(60) saturation(-100) grayscale() invert() hue(90)
modulate(25,55,180) blur(3) blur(5,2) sharpen(0.5) sharpen(2) rgb(20,-20,40) pixelate() pixelate(12) round_corner(20)
round_corner(20,20,red) background_color(blue) quality(40) format(png) format(webp) format(jpeg) format(gif) format(tiff)
max_bytes(200000) strip_exif() strip_icc() strip_metadata() dpi(144) autojpg() lossless():format(webp) compression(6):format(png)
rotate(0) rotate(180) orient(180) to_colorspace(srgb) preview() attachment(cat) expire(32503669200000) page(1) max_frames(1)
label(hello) label(hello,10,20,24,ff0000) label(hello,center,-10,30,white,50) label(a+b,left-10,top-10) watermark(badge.png,0,0,50)
watermark(badge.png,-10,-10,0,20,20) watermark(badge.png,center,center,40,30,30) watermark(badge.png,repeat,repeat,70,10,10)
focal(0.2x0.3:0.4x0.5) focal(100x100:300x200) focal(0.5,0.5) focal(200,100) no_upscale() upscale() cover_nothing
""".split()[:-1]

REFUSED = """
filters:nosuch(1) filters:frame(a.png) filters:noise(10) filters:equalize() filters:text(hello) filters:image(a.png)
filters:blur(x) filters:quality() filters:format(heic) filters:rotate(45) filters:palette() filters:blurhash()
filters:watermark(badge.png,repeat,0,50) filters:redact() filters:bitdepth(1) filters:colorize(1,2,3,fff)
fit-in/300x300/filters:fill(blur) fit-in/300x300/filters:fill(auto) adaptive-full-fit-in/300x200 filters:to_colorspace(cmyk)
""".split()


def options(size, is_imagor=True):
    """`(options, size or status)`: paths, with or without filters."""
    listed = [("", size), ("0x0", size)]
    boxes = [(300, 200), (200, 300), (150, 150), (640, 480), (97, 61)]
    for width, height in boxes:
        listed += [(f"{across}{width}x{down}{height}", (width, height)) for across, down in FLIPS]
        listed += [
            (f"fit-in/{width}x{height}", contain(size, (width, height))),
            (f"full-fit-in/{width}x{height}", outside(size, (width, height), True)),
            (f"adaptive-fit-in/{width}x{height}", contain(size, adapted(size, (width, height)))),
            (f"{width}x", contain(size, (width, 0), True)), (f"x{height}", contain(size, (0, height), True)),
            (f"fit-in/{width}x{height}/filters:fill(red)", (width, height)),
            (f"fit-in/{width}x{height}/filters:fill(transparent):format(png)", (width, height)),
            (f"{width}x{height}/filters:rotate(90)", (height, width)),
            (f"{width}x{height}/filters:grayscale():rotate(270):blur(2)", (height, width)),
            (f"{width}x{height}/filters:proportion(0.5)", scaled((width, height), 0.5)),
        ]
        if is_imagor:
            listed += [
                (f"stretch/{width}x{height}", (width, height)),
                (f"fit-in/{width}x{height}/10x20/filters:fill(blue)", (width + 20, height + 40)),
                (f"{width}x{height}/filters:padding(red,10,20,30,40)", grown((width, height), 20, 30, 40, 10)),
                (f"{width}x{height}/filters:crop(10,20,50,30)", (50, 30)),
            ]
    listed += [(f"{box}/{place}", sides) for box, sides in (("300x100", (300, 100)), ("80x200", (80, 200))) for place in PLACES]
    for crop, sides in (("0x0:300x200", (300, 200)), ("10x20:210x320", (200, 300)), ("50x50:450x450", (400, 400))):
        listed += [(crop, sides), (f"{crop}/100x50", (100, 50)), (f"{crop}/fit-in/90x90", contain(sides, (90, 90)))]
    if is_imagor:
        listed += [("0.1x0.1:0.9x0.6/100x50", (100, 50)), ("filters:orient(90)", turned(size)), ("meta/0x0", 200)]
    for filters in PIXELS:
        listed += [(f"300x200/filters:{filters}", (300, 200)), (f"fit-in/400x400/filters:{filters}", None)]
    return [entry for entry in listed if entry[1]] + [(text, 400) for text in REFUSED]


def adapted(size, box):
    """The box, turned if the picture is upright and it is not, or the reverse."""
    is_turned = (size[0] - size[1]) * (box[0] - box[1]) < 0
    return turned(box) if is_turned else box


def paths(name, size):
    """Whole paths of unsigned requests for an image."""
    for text, expected in options(size):
        yield f"/unsafe/{text}/{name}".replace("//", "/"), expected
