"""Filters and tags; skipped where Django or Jinja is not installed."""

import importlib.util
import unittest

from edgeprint_url import Edgeprint
from edgeprint_url.jinja import install

KEY = "ab" * 32


@unittest.skipUnless(importlib.util.find_spec("jinja2"), "Jinja is not installed")
class JinjaTests(unittest.TestCase):
    def rendered(self, text: str, images: Edgeprint) -> str:
        from jinja2 import Environment

        environment = Environment(autoescape=True)
        install(environment, images)
        return environment.from_string(text).render(name="photos/a b.jpg")

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
            self.rendered('{{ name | edgeprint_img({"alt": "<A>", "width": 48}, densities=[1, 2], w=48) }}', Edgeprint()),
            '<img src="/photos/a%20b.jpg?w=48&amp;dpr=1" srcset="/photos/a%20b.jpg?w=48&amp;dpr=1 1x, '
            '/photos/a%20b.jpg?w=48&amp;dpr=2 2x" alt="&lt;A&gt;" width="48">',
        )

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

        with override_settings(EDGEPRINT=images):
            return str(Template("{% load edgeprint %}" + text).render(Context({"name": "photos/a b.jpg"})))

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
            self.rendered('{% edgeprint_img name w=48 alt="<A>" img_width=48 loading="lazy" %}'),
            '<img src="/photos/a%20b.jpg?w=48" alt="&lt;A&gt;" loading="lazy" width="48">',
        )

    def test_signed(self) -> None:
        expected = Edgeprint(key=KEY).url("photos/a b.jpg", {"w": 400}).replace("&", "&amp;")
        self.assertEqual(self.rendered("{% edgeprint_url name w=400 %}", key=KEY), expected)


if __name__ == "__main__":
    unittest.main()
