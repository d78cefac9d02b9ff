"""Requests in the language of images.weserv.nl, of the parameters that its documentation describes, with the sizes they are to have."""

from geometry import contain, crop, cut, outside, scaled, turned

BOXES = [(300, 200), (200, 300), (250, 250), (640, 480), (97, 131)]
PLACES = "center top bottom left right top-left top-right bottom-left bottom-right entropy attention t b l r".split()
PLACES += ["focal", "focal&fpx=0.2&fpy=0.7", "focal-25-75", "crop-40-60"]

PIXELS = """
q=80 quality=60 output=png output=webp output=jpg output=gif output=tiff il output=webp&ll output=png&l=6
output=png&af bg=red bg=ABC bg=%23aabbcc bri=25 bri=-30 con=25 con=-25 gam gam=1.8 sat=0.5 hue=90 mod=1.1,0.7,90 mod=2 sharp
sharp=3 sharp=2&sharpf=1&sharpj=2 filt=greyscale filt=sepia filt=negate filt=duotone filt=duotone&start=112244&stop=ffeecc
filt=none blur blur=5 tint=red tint=704214 blur=true gam=true v=17 flip flop flip&flop ro=180 ro=0 mask=circle mask=ellipse mask=triangle
mask=triangle-180 mask=pentagon mask=pentagon-180 mask=hexagon mask=square mask=star mask=heart mask=star&mbg=red mask=none
filename=cat maxage=31d maxage=1w n=1 page=0 default=example.org/a.jpg errorredirect=example.org/a.jpg fsol=0 we=false dpr=1
""".split()

REFUSED = """
nosuch=1 w=abc w=-5 q=0 q=101 fit=nosuch a=nosuch tint=zz bg=12345 output=heic sharp=3&sharpf=4 tbg=red&trim=5 encoding=base64
filt=nosuch gam=9 con=200 bri=200 blur=x mask=nosuch crop=1,2 n=0 dpr=9x hue=x delay=20 mod=1,2,3,4 page=-1
""".split()


def queries(size):
    """`(query, size or status)` for a picture of a size."""
    listed = []
    for box in BOXES:
        text = f"w={box[0]}&h={box[1]}"
        listed += [
            (text, contain(size, box, True)), (f"width={box[0]}&height={box[1]}", contain(size, box, True)),
            (f"w={box[0]}", contain(size, (box[0], 0), True)), (f"h={box[1]}&we", contain(size, (0, box[1]))),
            (f"{text}&fit=inside&we", contain(size, box)), (f"{text}&fit=outside", outside(size, box, True)),
            (f"{text}&fit=cover", box), (f"{text}&fit=cover&we", crop(size, box)), (f"{text}&fit=fill", box),
            (f"{text}&fit=fill&we", cut(size, box)), (f"{text}&fit=contain", box), (f"{text}&fit=contain&cbg=red", box),
            (f"{text}&fit=cover&output=webp&q=70", box), (f"{text}&t=square", box), (f"{text}&t=fit", contain(size, box)),
            (f"{text}&t=fitup", contain(size, box, True)), (f"{text}&t=absolute", box), (f"{text}&t=letterbox", box),
            (f"{text}&fit=cover&dpr=2", scaled(box, 2)), (f"w={box[0]}&dpr=1.5", contain(size, (int(box[0] * 1.5 + 0.5), 0), True)),
            (f"{text}&fit=cover&cx=10&cy=20&cw=50&ch=40", (50, 40)), (f"{text}&fit=fill&ro=270", turned(box)),
            (f"{text}&fit=cover&mask=circle", box), (f"cx=10&cy=20&cw=400&ch=300&precrop&{text}&fit=fill", box),
        ]
    listed += [(f"w=300&h=100&fit=cover&a={place}", (300, 100)) for place in PLACES]
    listed += [(f"w=100&h=300&fit=contain&a={place}&cbg=blue", (100, 300)) for place in PLACES[:9]]
    listed += [
        ("w=50%25", scaled(size, 0.5)), ("crop=300,200,10,20", (300, 200)), ("cx=5&cy=6&cw=70&ch=80", (70, 80)),
        ("cw=50%25&ch=25%25", (int(size[0] * 0.5), int(size[1] * 0.25 + 0.5))), ("trim", None), ("ro=270", turned(size)),
        ("w=200&h=200&fit=cover&mask=star&mtrim", None), ("w=320&ro=30&rbg=red", None), ("output=json", 200), ("", size),
    ]
    listed = [entry for entry in listed if entry[1]]
    for option in PIXELS:
        listed += [(f"w=300&h=200&fit=cover&{option}", (300, 200)), (option, size)]
    return listed + [(option, 400) for option in REFUSED]


def paths(address, size):
    """Whole paths, without and with a scheme."""
    for number, (query, expected) in enumerate(queries(size)):
        scheme = ["", "http://", "http%3A%2F%2F"][number % 3]
        yield f"/?url={scheme}{address}{'&' if query else ''}{query}", expected
