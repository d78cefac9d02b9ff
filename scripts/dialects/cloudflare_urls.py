"""Requests in the language of Cloudflare Images, of the options that its documentation describes, with the sizes they are to have."""

from geometry import contain, crop, cut, scaled, shrunken, turned

BOXES = [(300, 200), (200, 300), (250, 250), (640, 480), (97, 131), (1200, 600)]

PIXELS = """
quality=80 q=50 quality=high quality=medium-high quality=medium-low quality=low format=png format=webp f=jpeg
format=baseline-jpeg f=auto format=webp,quality=100 metadata=none metadata=copyright metadata=keep anim=false anim=true
background=red background=%23ff8800 background=rgb(240,40,145) background=rgba(240,40,145,0.5) background=hsl(120,50%25,50%25)
blur=1 blur=50 brightness=1.2 contrast=0.8 gamma=1.5 saturation=0 saturation=1.6 sharpen=1 sharpen=3 flip=h flip=v flip=hv
rotate=180 compression=fast onerror=redirect slow-connection-quality=50 scq=low upscale=interpolate dpr=1
brightness=1.1,contrast=1.1,gamma=0.9,saturation=1.1,sharpen=2
""".split()

REFUSED = """
nosuch=1 width=abc width=0 height=-5 quality=0 quality=101 fit=nosuch gravity=nosuch background=zz blur=x rotate=45 flip=x
format=heic border=5 segment=foreground zoom=0.5,gravity=face,width=100,height=100 upscale=generate metadata=x dpr=9 trim=1;2
trim=1;2;3;4,trim.left=5 anim=x width=100,width=200 onerror=x compression=slow widht=300 brightness=99 gravity=3x4
""".split()


def options(size):
    """`(options, size or status)` for a picture of a size."""
    listed = []
    for box in BOXES:
        text = f"width={box[0]},height={box[1]}"
        fits = {
            "scale-down": contain(size, box), "contain": contain(size, box, True), "cover": box, "crop": crop(size, box),
            "pad": box, "squeeze": box, "aspect-crop": shrunken(size, box),
        }
        listed += [(f"{text},fit={name}", result) for name, result in fits.items()]
        listed += [
            (text, contain(size, box)), (f"w={box[0]}", contain(size, (box[0], 0))), (f"h={box[1]}", contain(size, (0, box[1]))),
            (f"fit=cover,{text},format=webp,quality=75", box), (f"{text},fit=pad,background=blue", box),
            (f"w={box[0]},h={box[1]},fit=cover,g=auto", box), (f"{text},fit=crop,gravity=left", crop(size, box)),
            (f"{text},fit=cover,gravity=0.2x0.3,flip=h", box), (f"{text},fit=cover,gravity=face,rotate=90", box),
            (f"rotate=270,width={box[0]}", contain(turned(size), (box[0], 0))),
        ]
        listed += [
            (f"{text},fit=cover,dpr=2", scaled(box, 2)),
            (f"width={box[0]},dpr=1.5", contain(size, (int(box[0] * 1.5 + 0.5), 0))),
        ]
    for place in "left right top bottom auto face center 0.1x0.9 1x0 face,zoom=0".split():
        listed += [(f"width=300,height=100,fit=cover,gravity={place}", (300, 100))]
    listed += [
        ("trim=20;30;20;0", (size[0] - 30, size[1] - 40)), ("trim=0;0;0;0", size), ("trim=10;0;0;10", (size[0] - 10, size[1] - 10)),
        ("trim.left=10,trim.top=20,trim.width=200,trim.height=100", (200, 100)), ("trim.width=300", (300, size[1])),
        ("trim=20;30;20;0,width=100", contain((size[0] - 30, size[1] - 40), (100, 0))), ("format=json", 200),
        ("rotate=90", turned(size)), ("rotate=90,flip=h,width=100", contain(turned(size), (100, 0))),
    ]
    for option in PIXELS:
        listed += [(option, size), (f"width=300,height=200,fit=cover,{option}", (300, 200))]
    return listed + [(option, 400) for option in REFUSED]


def paths(name, size, host=None):
    """Whole paths; every third names the image by its address."""
    for number, (text, expected) in enumerate(options(size)):
        address = f"http://{host}/{name}" if host and number % 3 == 2 else name
        yield f"/cdn-cgi/image/{text}/{address}", expected
