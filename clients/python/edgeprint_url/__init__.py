"""URLs, signatures and placeholders of the image proxy Edgeprint.

    images = Edgeprint(base="https://img.example.com", key=os.environ["SIGNING_KEY"])
    images.url("photos/cat.jpg", {"w": 400, "fit": "cover", "h": 300})
    images.srcset("photos/cat.jpg", ImageSet(widths=[320, 640, 1280]))
"""

from .headers import CacheStatus, Metric, cache_status, server_timing
from .markup import Edgeprint, Image, ImageSet, Source
from .placeholders import Pixels, blur_hash, data_url, thumb_hash
from .signing import signature, signed
from .urls import Entry, Parameters, RequestError, Value, mark_path, mark_text, scope_text, target

__all__ = [
    "CacheStatus", "Edgeprint", "Entry", "Image", "ImageSet", "Metric", "Parameters", "Pixels", "RequestError", "Source", "Value",
    "blur_hash", "cache_status", "data_url", "mark_path", "mark_text", "scope_text", "server_timing", "signature", "signed",
    "target", "thumb_hash",
]
