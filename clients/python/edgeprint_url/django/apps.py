"""The application of the tags."""

from django.apps import AppConfig


class EdgeprintConfig(AppConfig):
    """The default label would be ``django``."""

    name = "edgeprint_url.django"
    label = "edgeprint_url"
