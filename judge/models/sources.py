"""The source of a program that somebody sent: what a submission and a custom run share."""

from django.db import models

from problems.encodings import Encoding, title_of


class SentSource(models.Model):
    """A program in its language. `source` is what is compiled: UTF-8 since `encoding` is kept, any bytes before."""

    language = models.CharField(max_length=16)
    source = models.BinaryField()
    # in which it was sent: a value of Encoding
    encoding = models.CharField(max_length=8, default=Encoding.UTF_8.value, db_default=Encoding.UTF_8.value)

    class Meta:
        abstract = True

    @property
    def source_text(self) -> str:
        """The source for people: invalid UTF-8 shown as replacement characters."""
        return bytes(self.source).decode("utf-8", "replace")

    @property
    def converted_from(self) -> str:
        """The name of the encoding that it was converted from; "" if it was sent in UTF-8."""
        return "" if self.encoding == Encoding.UTF_8 else title_of(self.encoding)
