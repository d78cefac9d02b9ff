"""Filters and tags; skipped where Django or Jinja is not installed."""

import importlib.util
import unittest

from edgeprint_url import Edgeprint, RequestError
from edgeprint_url.jinja import install

KEY = "ab" * 32


@unittest.skipUnless(importlib.util.find_spec("jinja2"), "Jinja is not installed")
class JinjaTests(unittest.TestCase):
    def rendered(self, text: str, images: Edgeprint) -> str:
        from jinja2 import Environment

        environment = Environment(autoescape=True)
        install(environment, images)
        return environment.from_string(text).render(name="photos/a b.jpg", title='A & "B"', nothing=None)

    def test_filters(self) -> None:
        images = Edgeprint(base="https://img.example.com")
        self.assertEqual(
            self.rendered('{{ name | edgeprint(w=400, fit="cover", h=300) }}', images),
            "https://img.example.com/photos/a%20b.jpg?w=400&amp;fit=cover&amp;h=300",
        )
        self.assertEqual(
            self.rendered("{{ name | edgeprint_srcset(widths=[320, 640]) }}", Edgeprint()),
            "/photos/a%20b.jpg?w=320 320w, /photos/a%20b.jpg?w=640 640w",
        )
        self.assertEqual(
            self.rendered('{{ name | edgeprint_img(alt="<A>", densities=[1, 2], w=48, width=48, height=32) }}', Edgeprint()),
            '<img src="/photos/a%20b.jpg?w=48&amp;dpr=1" srcset="/photos/a%20b.jpg?w=48&amp;dpr=1 1x, '
            '/photos/a%20b.jpg?w=48&amp;dpr=2 2x" width="48" height="32" alt="&lt;A&gt;">',
        )
        self.assertEqual(
            self.rendered('{{ name | edgeprint_srcset(densities="1, 2", min_w=300, max_bytes=9) }}', Edgeprint()),
            "/photos/a%20b.jpg?min-w=300&amp;max_bytes=9&amp;dpr=1 1x, /photos/a%20b.jpg?min-w=300&amp;max_bytes=9&amp;dpr=2 2x",
        )

    def test_a_missing_subject_is_an_empty_text(self) -> None:
        for name in ("nothing", "undefined", "''"):
            for use in ("edgeprint(w=4)", "edgeprint_srcset(widths=[4])", 'edgeprint_img(alt="", w=4)'):
                self.assertEqual(self.rendered("{{ %s | %s }}" % (name, use), Edgeprint()), "", use)

    def test_a_missing_value_is_no_parameter(self) -> None:
        for value in ("nothing", "undefined", "''"):
            for use, expected in (
                ("edgeprint(w=%s, h=30)", "/photos/a%20b.jpg?h=30"),
                ("edgeprint_srcset(widths=[4], dpr=%s, blur=0)", "/photos/a%20b.jpg?w=4&amp;blur=0 4w"),
                ('edgeprint_img(alt="", w=%s, sizes=undefined, title=undefined)', '<img src="/photos/a%20b.jpg" alt="">'),
            ):
                self.assertEqual(self.rendered("{{ name | %s }}" % (use % value), Edgeprint()), expected, value)

    def test_a_strict_missing_value_is_an_error(self) -> None:
        from jinja2 import Environment, StrictUndefined, UndefinedError

        environment = Environment(undefined=StrictUndefined)
        install(environment, Edgeprint())
        for use in ("edgeprint(w=missing)", 'edgeprint_img(alt="", data_x=missing)'):
            with self.assertRaises(UndefinedError):
                environment.from_string("{{ 'photos/a.jpg' | %s }}" % use).render()

    def test_data_and_aria_are_attributes(self) -> None:
        self.assertEqual(
            self.rendered('{{ name | edgeprint_img(alt="", data_photo_id=7, data_text=title, aria_hidden="true") }}', Edgeprint()),
            '<img src="/photos/a%20b.jpg" data-photo-id="7" data-text="A &amp; &quot;B&quot;" aria-hidden="true" alt="">',
        )

    def test_an_image_requires_a_text(self) -> None:
        with self.assertRaises(TypeError):
            self.rendered("{{ name | edgeprint_img(w=4) }}", Edgeprint())

    def test_texts_are_escaped_once(self) -> None:
        expected = '<img src="/photos/a%20b.jpg" alt="A &amp; &quot;B&quot;">'
        for text in ("title", "title | e", "'A &amp; \"B\"' | safe"):
            made = self.rendered("{{ name | edgeprint_img(alt=%s) }}" % text, Edgeprint())
            self.assertEqual(made.replace("&#34;", "&quot;"), expected)

    def test_signed(self) -> None:
        images = Edgeprint(key=KEY)
        expected = images.url("photos/a b.jpg", {"w": 400}).replace("&", "&amp;")
        self.assertIn("&amp;sig=", expected)
        self.assertEqual(self.rendered("{{ name | edgeprint(w=400) }}", images), expected)


@unittest.skipUnless(importlib.util.find_spec("django"), "Django is not installed")
class DjangoTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        import django
        from django.conf import settings

        settings.configure(
            INSTALLED_APPS=["edgeprint_url.django"],
            TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
        )
        django.setup()

    def rendered(self, text: str, **images: object) -> str:
        from django.template import Context, Template
        from django.test import override_settings
        from django.utils.translation import gettext_lazy

        with override_settings(EDGEPRINT=images):
            return str(Template("{% load edgeprint %}" + text).render(Context({
                "name": "photos/a b.jpg", "title": 'A & "B"', "nothing": None, "lazy": gettext_lazy("text:a"), "sizes": [320, 640],
            })))

    def test_filter_and_tags(self) -> None:
        self.assertEqual(
            self.rendered('{{ name|edgeprint:"w=400&fit=cover&h=300" }}', base="https://img.example.com/"),
            "https://img.example.com/photos/a%20b.jpg?w=400&amp;fit=cover&amp;h=300",
        )
        self.assertEqual(self.rendered("{{ name|edgeprint }}"), "/photos/a%20b.jpg")
        self.assertEqual(self.rendered('{% edgeprint_url name w=400 q="auto:eco" %}'), "/photos/a%20b.jpg?w=400&amp;q=auto:eco")
        self.assertEqual(
            self.rendered('{% edgeprint_srcset name widths="320,640" %}'),
            "/photos/a%20b.jpg?w=320 320w, /photos/a%20b.jpg?w=640 640w",
        )
        self.assertEqual(
            self.rendered('{% edgeprint_img name w=48 alt=title width=48 height=32 loading="lazy" %}'),
            '<img src="/photos/a%20b.jpg?w=48" width="48" height="32" loading="lazy" alt="A &amp; &quot;B&quot;">',
        )
        self.assertEqual(
            self.rendered('{% edgeprint_srcset name densities="1, 2" min_w=300 near_lossless=1 %}'),
            "/photos/a%20b.jpg?min-w=300&amp;near_lossless=1&amp;dpr=1 1x, "
            "/photos/a%20b.jpg?min-w=300&amp;near_lossless=1&amp;dpr=2 2x",
        )
        self.assertEqual(
            self.rendered("{% edgeprint_srcset name widths=sizes %}"), "/photos/a%20b.jpg?w=320 320w, /photos/a%20b.jpg?w=640 640w"
        )

    def test_a_missing_subject_is_an_empty_text(self) -> None:
        for name in ("nothing", "undefined", "''"):
            for text in ("{{ %s|edgeprint }}", "{%% edgeprint_url %s w=4 %%}", '{%% edgeprint_srcset %s widths="4" %%}',
                         '{%% edgeprint_img %s alt="" %%}'):
                self.assertEqual(self.rendered(text % name), "", text % name)

    def test_a_missing_value_is_no_parameter(self) -> None:
        for value in ("nothing", "undefined", "''"):
            for use, expected in (
                ("{%% edgeprint_url name w=%s h=30 %%}", "/photos/a%20b.jpg?h=30"),
                ('{%% edgeprint_srcset name widths="4" dpr=%s blur=0 %%}', "/photos/a%20b.jpg?w=4&amp;blur=0 4w"),
                ('{%% edgeprint_img name alt="" w=%s sizes=nothing %%}', '<img src="/photos/a%20b.jpg" alt="">'),
            ):
                self.assertEqual(self.rendered(use % value), expected, value)
        self.assertEqual(self.rendered('{{ name|edgeprint:"w=&h=30" }}'), "/photos/a%20b.jpg?h=30")
        with self.assertRaises(RequestError):
            self.rendered('{{ name|edgeprint:"w" }}')

    def test_data_and_aria_are_attributes(self) -> None:
        self.assertEqual(
            self.rendered('{% edgeprint_img name alt="" data_photo_id=7 data_text=title aria_hidden="true" %}'),
            '<img src="/photos/a%20b.jpg" data-photo-id="7" data-text="A &amp; &quot;B&quot;" aria-hidden="true" alt="">',
        )

    def test_an_image_requires_a_text(self) -> None:
        from django.template import TemplateSyntaxError

        with self.assertRaises(TemplateSyntaxError):
            self.rendered("{% edgeprint_img name w=4 %}")

    def test_texts_are_escaped_once(self) -> None:
        expected = '<img src="/photos/a%20b.jpg" alt="A &amp; &quot;B&quot;">'
        for text in ("title", "title|force_escape", "'A &amp; \"B\"'"):
            self.assertEqual(self.rendered("{%% edgeprint_img name alt=%s %%}" % text), expected)

    def test_lazy_texts_are_values(self) -> None:
        self.assertEqual(self.rendered("{% edgeprint_url name watermark=lazy %}"), "/photos/a%20b.jpg?watermark=text:a")
        self.assertIn('alt="text:a"', self.rendered("{% edgeprint_img name alt=lazy %}"))

    def test_the_application_has_a_label_of_its_own(self) -> None:
        from django.apps import apps

        self.assertEqual(apps.get_app_config("edgeprint_url").name, "edgeprint_url.django")

    def test_signed(self) -> None:
        expected = Edgeprint(key=KEY).url("photos/a b.jpg", {"w": 400}).replace("&", "&amp;")
        self.assertEqual(self.rendered("{% edgeprint_url name w=400 %}", key=KEY), expected)


if __name__ == "__main__":
    unittest.main()
