"""URLs made by the peers' own and others' client libraries, as JSON on standard output; run by the Python that has them.

Usage: clients.py HOST ORIGIN-HOST NAME: the daemon's base URL, the origin's host and an image of 900 × 600 pixels.
"""

import json
import sys

from rig import IMGPROXY_KEY, IMGPROXY_SALT, THUMBOR_KEY


def thumbor_urls(name):
    """libthumbor: `(path, is signed, size)`."""
    from libthumbor import CryptoURL

    client = CryptoURL(key=THUMBOR_KEY)
    requests = [
        ({"width": 300, "height": 200}, (300, 200)), ({"width": 300, "height": 200, "smart": True}, (300, 200)),
        ({"width": 300, "height": 300, "fit_in": True}, (300, 200)),
        ({"width": 200, "height": 300, "adaptive_fit_in": True}, (300, 200)),
        ({"width": 300, "height": 300, "full_fit_in": True}, (450, 300)), ({"width": 300}, (300, 200)), ({"height": 200}, (300, 200)),
        ({"width": 300, "height": 200, "flip": True, "flop": True}, (300, 200)), ({"crop": ((10, 20), (310, 220))}, (300, 200)),
        ({"width": 120, "height": 120, "halign": "left", "valign": "top"}, (120, 120)), ({"trim": True, "width": 100, "height": 80}, (100, 80)),
        ({"width": 300, "height": 300, "fit_in": True, "filters": ["fill(red)", "quality(70)"]}, (300, 300)),
        ({"width": 300, "height": 200, "filters": ["grayscale()", "rotate(90)", "format(webp)"]}, (200, 300)),
    ]
    for options, size in requests:
        yield client.generate(image_url=name, **options), True, size
        yield "/" + client.generate(image_url=name, unsafe=True, **options), False, size


def pyimgproxy_urls(host, origin, name):
    from pyimgproxy import ImgProxy

    for key, salt in ((IMGPROXY_KEY, IMGPROXY_SALT), ("", "")):
        for source in (name, f"http://{origin}/{name}"):
            image = ImgProxy(host, key, salt).image(source)
            made = [
                (image.resize("fill", 300, 200), (300, 200)), (image.resize("fit", 300, 300, enlarge=False), (300, 200)),
                (image.size(width=300), (300, 200)), (image.width(300).height(300), (300, 200)), (image.rotate(90).width(200), (200, 300)),
                (image.resize("fill", 300, 200, True).gravity("sm"), (300, 200)), (image.crop(300, 200, "nowe"), (300, 200)),
                (image.resize("fit", 300, 300, False, True), (300, 300)), (image.dpr(2).width(150), (300, 200)),
                (image.width(300).background(hex_color="ffeedd").quality(70), (300, 200)), (image.zoom(0.333333), (300, 200)),
                (image.width(300).padding(10, 20), (340, 220)), (image.width(300).strip_metadata(True).keep_copyright(True), (300, 200)),
                (image.width(300).blur(2).sharpen(0.5).pixelate(4).brightness(20).contrast(1.2).saturation(0.8), (300, 200)),
                (image.width(300).format("webp").disable_animation(True).raw(False).cachebuster("abc"), (300, 200)),
                (image.resize("fill", 300, 200).extend(True).auto_rotate(True).return_attachment(True), (300, 200)),
            ]
            for url, size in made:
                yield url.url, bool(key), size


def imgproxy_urls(host, origin, name):
    """The packages `imgproxy` and `mkimgproxy`."""
    from imgproxy import ImgProxy
    from mkimgproxy import ImgProxy as Other

    for key, salt in ((IMGPROXY_KEY, IMGPROXY_SALT), (None, None)):
        for source in (name, f"http://{origin}/{name}"):
            make = ImgProxy.factory(proxy_host=host, key=key, salt=salt)
            yield make(source, resizing_type="fill", width=300, height=200)(), bool(key), (300, 200)
            yield make(source, "q:70", resizing_type="fit", width=300, height=300, gravity="sm")(), bool(key), (300, 200)
            yield make(source, width=300, height=200, enlarge=True, extension="webp")("bl:2", "sh:1"), bool(key), (300, 200)
    other = Other(IMGPROXY_KEY, IMGPROXY_SALT, host)
    yield other.generate(f"http://{origin}/{name}", {"rs": "fill:300:200", "q": 60}, "png"), True, (300, 200)
    yield other.generate(f"http://{origin}/{name}", {"width": 300}, None), True, (300, 200)


def imgora_urls(origin, name):
    """imgora, for imagor, thumbor and weserv."""
    from imgora import Imagor, Signer, Thumbor, WsrvNl

    for language, kind in (("imagor", Imagor), ("thumbor", Thumbor)):
        for signer in (Signer(key=THUMBOR_KEY), Signer(unsafe=True)):
            image = kind(image=name, signer=signer)
            made = [
                (image.resize(300, 200), (300, 200)), (image.resize(300, 300, method="fit-in"), (300, 200)),
                (image.resize(300, 200).quality(70).format("webp"), (300, 200)), (image.resize(300, 200).blur(3).grayscale(), (300, 200)),
                (image.resize(300, 200, method="smart"), (300, 200)), (image.resize(300, 200).rotate(90), (200, 300)),
                (image.resize(300, 200).brightness(20).contrast(10).rgb(1, 2, 3), (300, 200)), (image.trim().resize(100, 80), (100, 67)),
            ]
            for url, size in made:
                yield language, path_of(url), signer._key is not None, size
    image = WsrvNl(image=f"http://{origin}/{name}")
    for url, size in [
        (image.resize(300, 200), (300, 200)), (image.resize(300, 300, method="fit-in"), (300, 200)),
        (image.resize(300, 200).blur(sigma=3).grayscale(), (300, 200)), (image.resize(300, 200).format("webp").quality(70), (300, 200)),
    ]:
        yield "weserv", path_of(url), False, size


def path_of(image):
    """The path and query of a request by imgora, which leaves the slash to the base URL."""
    return "/" + image.path().lstrip("/")


def main():
    host, origin, name = sys.argv[1:]
    made = [("libthumbor", "thumbor", *entry) for entry in thumbor_urls(name)]
    for client, urls in (("pyimgproxy", pyimgproxy_urls), ("imgproxy", imgproxy_urls)):
        made += [(client, "imgproxy", url[len(host):], signed, size) for url, signed, size in urls(host, origin, name)]
    made += [("imgora", language, path, signed, size) for language, path, signed, size in imgora_urls(origin, name)]
    json.dump(made, sys.stdout)


main()
