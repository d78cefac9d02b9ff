"""The vectors that all clients and the server share."""

import base64
import dataclasses
import json
import unittest
import zlib
from decimal import Decimal
from pathlib import Path
from typing import Any

import edgeprint_url as edgeprint
from edgeprint_url import Edgeprint, Entry, Image, ImageSet, RequestError, Source

KEY = "ab" * 32
FOLDER = Path(__file__).parents[2] / "vectors"


def vectors(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return document


def subject(case: dict[str, Any]) -> str:
    return str(case.get("remote") or f"{case['source']}/{case['path']}")


def options(case: dict[str, Any]) -> dict[str, Any]:
    return {name: case[name] for name in ("exp", "scope", "form") if name in case}


def images(case: dict[str, Any], key: str) -> Edgeprint:
    return Edgeprint(base=case.get("base", ""), key=key if case.get("signed") else None, **options(case))


def sets(case: dict[str, Any]) -> dict[str, Any]:
    return {name: case.get(name) for name in ("parameters", "widths", "densities")}


class VectorTests(unittest.TestCase):
    def each(self, cases: list[dict[str, Any]]) -> Any:
        self.assertTrue(cases)
        for case in cases:
            with self.subTest(case.get("name")):
                yield case

    def test_urls(self) -> None:
        for case in self.each(vectors("urls")["cases"]):
            self.assertEqual(edgeprint.target(subject(case), case["parameters"], **options(case)), case["target"])
            made = Edgeprint(base=case.get("base", "")).url(subject(case), case["parameters"], **options(case))
            self.assertEqual(made, case.get("url", case["target"]))

    def test_watermarks(self) -> None:
        for case in self.each(vectors("watermarks")["cases"]):
            value = edgeprint.mark_text(case["text"]) if "text" in case else edgeprint.mark_path(subject(case))
            self.assertEqual(value, case["value"])
            self.assertEqual(edgeprint.target("photos/cat.jpg", {"watermark": value}), case["target"])

    def test_refusals(self) -> None:
        for case in self.each([case for case in vectors("refusals")["cases"] if case["by"] == "client"]):
            with self.assertRaises(RequestError) as caught:
                edgeprint.target(subject(case), case["parameters"])
            self.assertEqual(caught.exception.parameter, case["parameter"])

    def test_text_that_is_not_unicode_is_refused(self) -> None:
        with self.assertRaises(RequestError) as caught:
            edgeprint.target("photos/\ud800.jpg")
        self.assertEqual(caught.exception.parameter, "path")

    def test_parameters_are_a_mapping_or_pairs(self) -> None:
        own: dict[str, edgeprint.Value] = {"w": 400, "h": None, "lossless": True, "blur": [2, 3.0], "dpr": 1.5}
        expected = "/photos/cat.jpg?w=400&lossless=1&blur=2&blur=3&dpr=1.5"
        self.assertEqual(edgeprint.target("photos/cat.jpg", own), expected)
        self.assertEqual(edgeprint.target("photos/cat.jpg", own.items()), expected)

    def test_signatures(self) -> None:
        document = vectors("signatures")
        for case in self.each(document["cases"] + document["keys"] + document["sites"]):
            key = case.get("key", document["key"])
            self.assertEqual(edgeprint.signature(key, case["target"]), case["sig"])
            client = Edgeprint(base=case.get("base", ""), prefix=case.get("prefix", ""), key=key, remote=True)
            made = client.url(subject(case), case["parameters"], **options(case))
            self.assertEqual(made, case.get("url", case["signed"]))

    def test_a_prefix_begins_with_a_slash_and_does_not_end_with_one(self) -> None:
        for prefix in ("blog", "/blog/", "/"):
            with self.assertRaises(RequestError) as caught:
                Edgeprint(prefix=prefix)
            self.assertEqual(caught.exception.parameter, "prefix")

    def test_a_signing_client_refuses_urls_of_other_servers_unless_they_are_enabled(self) -> None:
        url = "https://images.example.com/cat.png"
        for client in (Edgeprint(key=KEY), Edgeprint(key=KEY, remote=False), Edgeprint(remote=False)):
            for remote in (url, url.upper(), "data:image/png;base64,AA=="):
                for make in (client.url, lambda subject: client.srcset(subject, ImageSet(widths=[320]))):
                    with self.assertRaises(RequestError) as caught:
                        make(remote)
                    self.assertEqual(caught.exception.parameter, "url")
        self.assertTrue(Edgeprint(key=KEY, remote=True).url(url).startswith("/fetch?url="))
        self.assertTrue(Edgeprint().url(url).startswith("/fetch?url="))

    def test_an_expiry_is_a_time_in_seconds(self) -> None:
        for exp in (-1, 4000000000000):
            with self.assertRaises(RequestError) as caught:
                edgeprint.target("p/a.jpg", exp=exp)
            self.assertEqual(caught.exception.parameter, "exp")

    def test_numbers_have_six_decimal_places_at_most_and_no_exponent(self) -> None:
        numbers = {
            1e-5: "0.00001", 1e-7: "0", 0.1 + 0.2: "0.3", -1.5: "-1.5", -0.0: "0", 400.0: "400", 1e16: "10000000000000000",
            Decimal("4E+2"): "400", Decimal("1.50"): "1.5",
        }
        for number, text in numbers.items():
            self.assertEqual(edgeprint.target("p/a.jpg", {"blur": number}), f"/p/a.jpg?blur={text}")
        self.assertEqual(Edgeprint().srcset("p/a.jpg", ImageSet(densities=[2.0])), "/p/a.jpg?dpr=2 2x")

    def test_parameters_of_an_iterator_count_in_every_url(self) -> None:
        image = Image((pair for pair in [("q", 75)]), widths=[320, 640])
        html = Edgeprint().picture("p/a.jpg", image, [Source((pair for pair in [("q", 75)]), densities=[1, 2])])
        self.assertEqual(html.count("q=75"), 5, html)

    def test_widths_drop_dpr_and_need_a_width_from_which_they_scale_a_height(self) -> None:
        def made(parameters: edgeprint.Parameters, *widths: int) -> str:
            return Edgeprint().srcset("p/a.jpg", ImageSet(parameters, widths))

        self.assertEqual(made({"w": 100, "dpr": 2}, 320), "/p/a.jpg?w=320 320w")
        self.assertEqual(made({"dpr": 2, "q": 75}, 320, 640), "/p/a.jpg?w=320&q=75 320w, /p/a.jpg?w=640&q=75 640w")
        for parameters, parameter in (({"h": 300}, "h"), ({"w": 0, "h": 3}, "w")):
            with self.assertRaises(RequestError) as caught:
                made(parameters, 640)
            self.assertEqual(caught.exception.parameter, parameter)

    def test_lazy_texts_are_values(self) -> None:
        class Lazy:
            def __str__(self) -> str:
                return "text:a"

        self.assertEqual(edgeprint.target("p/a.jpg", {"watermark": Lazy()}), "/p/a.jpg?watermark=text:a")  # type: ignore[dict-item]

    def test_scopes(self) -> None:
        document = vectors("signatures")
        for case in self.each(document["scopes"]):
            client = Edgeprint(base=case.get("base", ""), key=document["key"], remote=True)
            self.assertEqual(client.url(subject(case), case["parameters"], **options(case)), case.get("url", case["signed"]))
            self.assertEqual(client.url(subject(case), **options(case)), case.get("base", "") + case["open"])

    def test_scopes_of_entries(self) -> None:
        document = vectors("signatures")
        for case in self.each(document["scopeTexts"]):
            scope = edgeprint.scope_text(
                Entry(entry["name"], entry["values"], entry.get("required", False)) for entry in case["entries"]
            )
            self.assertEqual(scope, case["scope"])
            self.assertEqual(Edgeprint(key=document["key"], scope=scope).url("photos/cat.jpg"), case["open"])

    def test_the_ends_of_a_scopes_ranges_are_numbers_that_the_server_reads(self) -> None:
        self.assertEqual(edgeprint.scope_text([Entry("blur", [(1e-5, "2.5"), (-5, 999_999_999)])]), "blur:0.00001-2.5|-5-999999999")
        for end in (float("inf"), float("nan"), 1e9, 10**9, "auto", "", "-", "1e3", None):
            with self.assertRaises(RequestError) as caught:
                edgeprint.scope_text([Entry("w", [(0, end)])])
            self.assertEqual(caught.exception.parameter, "scope")

    def test_a_key_must_be_hexadecimal_and_of_a_valid_length(self) -> None:
        for wrong in ("", "ab" * 15, "ab" * 129, "zz" * 32, "a" * 33, "ab" * 32 + "\n"):
            with self.assertRaises(ValueError):
                edgeprint.signature(wrong, "/photos/cat.jpg")

    def test_srcsets(self) -> None:
        document = vectors("srcset")
        for case in self.each(document["cases"]):
            self.assertEqual(images(case, document["key"]).srcset(subject(case), ImageSet(**sets(case))), case["srcset"])

    def test_sets_that_are_refused(self) -> None:
        for case in vectors("srcset").get("refusals", []):
            with self.subTest(case["name"]), self.assertRaises(RequestError) as caught:
                images(case, KEY).srcset(subject(case), ImageSet(**sets(case)))
            self.assertEqual(caught.exception.parameter, case["parameter"])

    def test_pictures(self) -> None:
        document = vectors("srcset")
        for case in self.each(document["pictures"]):
            img = case["img"]
            image = Image(**sets(img), sizes=img.get("sizes"), attributes=dict(img.get("attributes", [])))
            sources = [Source(**each) for each in case["sources"]]
            self.assertEqual(images(case, document["key"]).picture(subject(case), image, sources), case["html"])

    def check(self, picture: edgeprint.Pixels | None, case: dict[str, Any]) -> None:
        assert picture is not None
        self.assertEqual((picture.width, picture.height), (case["width"], case["height"]))
        expected = base64.b64decode(case["rgba"])
        self.assertEqual(len(picture.rgba), len(expected))
        self.assertLessEqual(max(abs(one - other) for one, other in zip(picture.rgba, expected)), 1)

    def test_placeholders(self) -> None:
        document = vectors("placeholders")
        for case in self.each(document["thumbhash"]):
            self.check(edgeprint.thumb_hash(case["hash"]), case)
        for case in self.each(document["blurhash"]):
            self.check(edgeprint.blur_hash(case["hash"], case["width"], case["height"]), case)
        for text in document["notThumbhash"]:
            self.assertIsNone(edgeprint.thumb_hash(text), text)
        for text in document["notBlurhash"]:
            self.assertIsNone(edgeprint.blur_hash(text), text)

    def test_a_placeholder_becomes_a_png(self) -> None:
        rgba = bytes(index * 7 % 256 for index in range(32 * 21 * 4))
        url = edgeprint.data_url(edgeprint.Pixels(32, 21, rgba))
        file = base64.b64decode(url.removeprefix("data:image/png;base64,"))
        start = file.index(b"IDAT")
        length = int.from_bytes(file[start - 4:start], "big")
        rows = zlib.decompress(file[start + 4:start + 4 + length])
        self.assertEqual(b"".join(rows[at + 1:at + 129] for at in range(0, len(rows), 129)), rgba)

    def test_cache_status(self) -> None:
        document = vectors("cache-status")
        for case in self.each(document["cacheStatus"] + document["otherCaches"]):
            members = [
                {name.replace("fwd_status", "fwdStatus"): value for name, value in dataclasses.asdict(member).items() if value is not None}
                for member in edgeprint.cache_status(case["value"])
            ]
            self.assertEqual(members, case["members"])
        self.assertEqual(edgeprint.cache_status(None), [])

    def test_server_timing(self) -> None:
        document = vectors("cache-status")
        for case in self.each(document["serverTiming"] + document["otherServers"]):
            metrics = [
                {name: value for name, value in dataclasses.asdict(metric).items() if value is not None}
                for metric in edgeprint.server_timing(case["value"])
            ]
            self.assertEqual(metrics, case["metrics"])
        self.assertEqual(edgeprint.server_timing(None), [])

    def test_malformed_members_of_server_timing_are_skipped_alone(self) -> None:
        for value in (
            "a;dur=1, , b;dur=2", ",a;dur=1,b,", "a, @, b", 'a, x@;desc="y, z", b', 'a, x@;desc="\\",", b', "a;y=@, a, b c, b",
        ):
            self.assertEqual([metric.name for metric in edgeprint.server_timing(value)], ["a", "b"], value)
        self.assertEqual([metric.duration for metric in edgeprint.server_timing("a;dur=1, b;dur=0.5")], [1, 0.5])
        for text in ("inf", "nan", "0x10", "-1", "+1", "1e3", "1_0", ".5", "1."):
            self.assertEqual(edgeprint.server_timing(f"a;dur={text}"), [edgeprint.Metric("a")], text)


if __name__ == "__main__":
    unittest.main()
