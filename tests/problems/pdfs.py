"""Small PDFs, written by hand: a red square on each page."""

_SQUARE = b"1 0 0 rg 10 10 30 30 re f"


def pdf(*, pages: int = 1, content: bytes = _SQUARE, more: bytes = b"") -> bytes:
    """Return a PDF whose pages, 60 x 50 points, all show this content; `more` is added to its catalogue."""
    kids = b" ".join(b"%d 0 R" % (4 + number) for number in range(pages))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % more,
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        *[b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 60 50] /Resources << >> /Contents 3 0 R >>"] * pages,
    ]
    written = bytearray(b"%PDF-1.4\n")
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    written += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(written)
