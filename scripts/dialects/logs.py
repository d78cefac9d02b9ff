"""Access logs of pages in the other servers' languages: a seeded mix of sizes, options and images, some of which cannot be said."""

import random
from urllib.parse import quote

WIDTHS = [48, 64, 80, 96, 120, 150, 160, 200, 240, 300, 320, 360, 400, 480, 600, 640, 750, 800, 960, 1080, 1200, 1600, 1920]
COLORS = ["ffffff", "f5f5f5", "000000", "ff8800", "112244"]


class Mix:
    """Draws the parts of requests."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def pick(self, *choices):
        return self.random.choice(choices)

    def box(self):
        width = self.random.choice(WIDTHS)
        return width, max(1, round(width * self.pick(1, 1, 0.5, 0.5625, 0.66, 0.75, 1.25, 1.5)))

    def quality(self):
        return self.random.randrange(50, 96, 5)

    def color(self):
        return self.random.choice(COLORS)

    def image(self):
        folder = self.pick("uploads/2024", "uploads/2025", "products", "avatars", "blog/images", "media/catalog/product")
        name = self.pick("cat", "shoe-red", "IMG_2041", "hero banner", "größe", "team photo (1)", "a,b", "icon")
        return quote(f"{folder}/{name}-{self.random.randrange(5000)}.{self.pick('jpg', 'jpg', 'jpg', 'png', 'webp', 'gif')}")


def imgproxy(mix):
    width, height = mix.box()
    options = [mix.pick(f"rs:fit:{width}:{height}", f"rs:fill:{width}:{height}", f"rs:fill:{width}:{height}:1", f"w:{width}",
                        f"rs:auto:{width}:{height}:0", f"s:{width}:{height}", f"resize:fit:{width}:0", f"rt:fill/s:{width}:{height}")]
    optional = [
        (0.35, f"q:{mix.quality()}"), (0.25, f"g:{mix.pick('sm', 'no', 'ce', 'so:0:10', 'fp:0.4:0.3')}"), (0.2, f"dpr:{mix.pick(1, 2, 3)}"),
        (0.1, f"bg:{mix.color()}"), (0.05, f"blur:{mix.pick(1, 3, 10)}"), (0.05, "sh:0.5"), (0.03, f"pd:{mix.pick(4, 10)}"),
        (0.05, "sm:1"), (0.05, f"cb:{mix.random.randrange(9999)}"), (0.03, "ex:1"), (0.03, "c:0.8:0.8:ce"), (0.02, "t:10"),
        (0.02, "rot:90"), (0.01, "mb:100000"), (0.01, "att:1"), (0.02, "wm:0.5:soea:10:10:0.2"), (0.005, "ush:1:1:1"),
        (0.01, "g:objw:face:2"), (0.01, "pr:sharp"), (0.005, "ar:0"),
    ]
    options += [text for share, text in optional if mix.chance(share)]
    mix.random.shuffle(options)
    end = mix.pick("", "@webp", "@jpg", "@avif", "@png")
    return f"/{mix.pick('unsafe', 'oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8')}/{'/'.join(options)}/plain/{mix.image()}{end}"


def thumbor(mix, is_imagor=False):
    width, height = mix.box()
    parts = []
    if mix.chance(0.04):
        parts.append("trim")
    elif mix.chance(0.08):
        parts.append("10x10:600x400")
    parts.append(mix.pick(f"{width}x{height}", f"{width}x{height}", f"{width}x0", f"fit-in/{width}x{height}",
                          f"full-fit-in/{width}x{height}" if mix.chance(0.2) else f"{width}x{height}/smart",
                          f"adaptive-fit-in/{width}x{height}" if mix.chance(0.2) else f"{width}x", f"-{width}x{height}"))
    if mix.chance(0.15) and not parts[-1].endswith("smart"):
        parts.append(mix.pick("top", "left/top", "bottom", "smart", "center/middle"))
    optional = [
        (0.4, f"quality({mix.quality()})"), (0.4, f"format({mix.pick('webp', 'jpeg', 'png', 'avif')})"), (0.1, f"fill({mix.color()})"),
        (0.05, f"blur({mix.pick(3, 7)})"), (0.03, "grayscale()"), (0.05, "no_upscale()"), (0.05, "strip_exif()"),
        (0.03, f"brightness({mix.pick(-20, 10, 40)})"), (0.02, "rotate(90)"), (0.02, f"background_color({mix.color()})"),
        (0.02, "max_bytes(60000)"), (0.01, "watermark(logo.png,-10,-10,30)"), (0.01, "watermark(https://example.org/l.png,0,0,0)"),
        (0.01, "fill(blur)"), (0.005, "equalize()"), (0.005, "noise(10)"), (0.02, "round_corner(20,255,255,255)" if not is_imagor else "round_corner(20)"),
        (0.03, "focal(100x100:400x300)"), (0.02, "sharpen(2,1.0,true)" if not is_imagor else "sharpen(1)"),
    ]
    if is_imagor:
        optional += [(0.03, "upscale()"), (0.03, "strip_metadata()"), (0.02, "label(hello,10,-10,20,fff)"), (0.02, "hue(90)"), (0.01, "pixelate(8)")]
    filters = [text for share, text in optional if mix.chance(share)]
    if filters:
        parts.append("filters:" + ":".join(filters))
    code = mix.pick("unsafe", "1234567890abcdefghijklmnopq=")
    host = mix.pick("", "", "photos.example.com/", "https://photos.example.com/")
    return f"/{code}/{'/'.join(parts)}/{host}{mix.image()}"


def weserv(mix):
    width, height = mix.box()
    optional = [
        (0.9, f"w={width}"), (0.6, f"h={height}"), (0.5, f"fit={mix.pick('cover', 'cover', 'inside', 'contain', 'outside', 'fill')}"),
        (0.3, f"output={mix.pick('webp', 'jpg', 'png')}"), (0.3, f"q={mix.quality()}"), (0.15, f"dpr={mix.pick(1, 2)}"), (0.15, "we"), (0.1, "il"),
        (0.1, f"a={mix.pick('top', 'attention', 'entropy', 'center')}"), (0.05, f"bg={mix.color()}"), (0.05, "mask=circle"), (0.03, "blur=5"),
        (0.03, "sharp=2"), (0.02, "filt=greyscale"), (0.02, f"maxage={mix.pick('7d', '1y')}"), (0.05, "n=-1"), (0.01, "default=example.org/x.jpg"),
        (0.01, f"tint={mix.color()}"), (0.01, "encoding=base64"), (0.005, "tbg=white"), (0.01, "sharp=2&sharpf=3"), (0.01, "trim=10"),
    ]
    query = "&".join(text for share, text in optional if mix.chance(share))
    scheme = mix.pick("", "https://", "ssl:", "https%3A%2F%2F")
    return f"/?url={scheme}photos.example.com/{quote(mix.image())}" + (f"&{query}" if query else "")


def cloudflare(mix):
    width, height = mix.box()
    optional = [
        (0.95, f"{mix.pick('width', 'w')}={width}"), (0.5, f"{mix.pick('height', 'h')}={height}"), (0.6, f"fit={mix.pick('cover', 'scale-down', 'contain', 'crop', 'pad')}"),
        (0.6, f"{mix.pick('format', 'f')}={mix.pick('auto', 'auto', 'webp', 'avif')}"), (0.5, f"{mix.pick('quality', 'q')}={mix.quality()}"),
        (0.15, f"dpr={mix.pick(1, 2)}"), (0.1, f"gravity={mix.pick('auto', 'face', 'left', '0.5x0.2')}"), (0.03, "metadata=none"), (0.03, "anim=false"),
        (0.02, "background=%23ffffff"), (0.02, "blur=20"), (0.02, "sharpen=1"), (0.05, "onerror=redirect"), (0.01, "rotate=90"), (0.01, "trim=10;0;10;0"),
        (0.01, "zoom=0.5"), (0.01, "border=4"), (0.005, "segment=foreground"), (0.02, "slow-connection-quality=50"), (0.01, "quality=high"),
    ]
    parts = [text for share, text in optional if mix.chance(share)] or ["width=300"]
    names = set()
    kept = []
    for part in parts:
        name = {"w": "width", "h": "height", "q": "quality", "f": "format"}.get(part.split("=")[0], part.split("=")[0])
        if name not in names:
            names.add(name)
            kept.append(part)
    host = mix.pick("", "", "https://photos.example.com/")
    return f"/cdn-cgi/image/{','.join(kept)}/{host}{mix.image()}"


def lines(language, count, seed=21):
    """Lines in the common log format."""
    mix = Mix(f"{language} {seed}")
    make = {"imgproxy": imgproxy, "thumbor": thumbor, "imagor": lambda mix: thumbor(mix, True), "weserv": weserv, "cloudflare": cloudflare}
    for _ in range(count):
        yield f'192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET {make[language](mix)} HTTP/1.1" 200 {mix.random.randrange(2000, 90000)}\n'
