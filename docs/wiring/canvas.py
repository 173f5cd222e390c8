"""Shapes of a drawing as SVG, and the symbols of electronics. No circuit here."""

from html import escape

INK, PAPER = "#1b1f24", "#ffffff"
DIGIT = (28, 70)  # of a digit at scale 1
# Segments a to g of such a digit.
SEVEN = [
    (4, 0, 20, 6), (23, 5, 6, 28), (23, 37, 6, 28), (4, 64, 20, 6), (-1, 37, 6, 28), (-1, 5, 6, 28), (4, 32, 20, 6),
]


class Canvas:
    def __init__(self):
        self.items = []

    def add(self, text):
        self.items.append(text)

    def text(self, x, y, words, size=12, anchor="start", fill=INK, weight="normal", halo=False):
        if halo:
            self.add(text(x, y, words, size, anchor, PAPER, weight, f' stroke="{PAPER}" stroke-width="4"'))
        self.add(text(x, y, words, size, anchor, fill, weight))

    def rectangle(self, x, y, width, height, fill, stroke="none", radius=0, opacity=1):
        self.add(
            f'<rect x="{n(x)}" y="{n(y)}" width="{n(width)}" height="{n(height)}" rx="{n(radius)}" fill="{fill}" '
            f'stroke="{stroke}"{faded(opacity)}/>')

    def circle(self, x, y, radius, fill, stroke="none", width=1, opacity=1):
        self.add(
            f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(radius)}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{n(width)}"{faded(opacity)}/>')

    def polygon(self, points, fill, stroke="none"):
        self.add(f'<polygon points="{path(points)}" fill="{fill}" stroke="{stroke}"/>')

    def shape(self, d, fill, stroke, width=1.2):
        self.add(f'<path d="{d}" fill="{fill}" stroke="{stroke}" stroke-width="{n(width)}"/>')

    def line(self, x1, y1, x2, y2, ink, width=2, dashes=""):
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.add(
            f'<line x1="{n(x1)}" y1="{n(y1)}" x2="{n(x2)}" y2="{n(y2)}" stroke="{ink}" stroke-width="{n(width)}" '
            f'stroke-linecap="round"{dashed}/>')

    def wire(self, points, ink):
        """Draws a wire with a border in the colour of the paper, which separates it from wires that it crosses."""
        for colour, width in ((PAPER, 6), (ink, 2.6)):
            self.add(
                f'<polyline points="{path(points)}" fill="none" stroke="{colour}" stroke-width="{width}" '
                'stroke-linejoin="round" stroke-linecap="round"/>')

    def dot(self, x, y, ink):
        """Draws a connection."""
        self.circle(x, y, 4, ink)

    def resistor(self, x, y, words, ink):
        """In a wire, with its middle at `x`."""
        width = 18 + 6.4 * len(words)
        self.rectangle(x - width / 2, y - 8, width, 16, fill=PAPER, stroke=ink, radius=2)
        self.text(x, y + 4, words, size=11, anchor="middle")

    def transistor(self, x, y, is_npn):
        """Base at the left of `x`, `y`; collector above and emitter below the point 8 to the right."""
        self.circle(x, y, 16, PAPER, stroke="#444", width=1.4)
        self.line(x - 16, y, x - 5, y, INK, 1.8)
        self.line(x - 5, y - 9, x - 5, y + 9, INK, 2.6)
        self.line(x - 5, y - 4, x + 8, y - 13, INK, 1.8)
        self.line(x - 5, y + 4, x + 8, y + 13, INK, 1.8)
        arrow = [(8, 13), (0, 11.4), (4.4, 5.4)] if is_npn else [(-5, 4), (3, 5.2), (-1.2, 11)]
        self.polygon([(x + dx, y + dy) for dx, dy in arrow], INK)

    def diode(self, x, y):
        """Upright, its band at the top."""
        self.polygon([(x - 8, y + 7), (x + 8, y + 7), (x, y - 6)], INK)
        self.line(x - 8, y - 7, x + 8, y - 7, INK, 2.6)

    def digits(self, x, y, count, shown, scale=1.0, has_colon=False, has_points=False):
        width, height = DIGIT[0] * scale, DIGIT[1] * scale
        pitch = digit_pitch(scale)
        self.rectangle(x, y, count * pitch + 6 * scale, height + 18 * scale, fill="#20242a", radius=5)
        lit = {"1": 0x06, "2": 0x5B}
        for index, character in enumerate(shown.rjust(count)):
            at = x + 8 * scale + index * pitch
            self.seven(at, y + 9 * scale, lit.get(character, 0), scale)
            if has_points:
                self.circle(at + width + 3.5 * scale, y + height + 7 * scale, 2.6 * scale, "#3a4049")
        if has_colon:
            middle = x + 3 * scale + count * pitch / 2
            for part in (0.35, 0.65):
                self.circle(middle, y + 9 * scale + part * height, 3 * scale, "#3a4049")

    def seven(self, x, y, segments, scale, lit="#ff5a4d", dark="#3a4049"):
        for bit, (ax, ay, w, h) in enumerate(SEVEN):
            self.rectangle(
                x + ax * scale, y + ay * scale, w * scale, h * scale, fill=lit if segments >> bit & 1 else dark,
                radius=2 * scale)

    def named_digit(self, x, y, ink):
        """Which segment has which name."""
        places = [(14, -4), (37, 23), (37, 55), (14, 83), (-9, 55), (-9, 23), (14, 29)]
        for ax, ay, w, h in SEVEN:
            self.rectangle(x + ax, y + ay, w, h, fill="#c9d3de", radius=2)
        self.circle(x + 37, y + 68, 3, "#c9d3de")
        for name, (ax, ay) in zip("abcdefg", places):
            self.text(x + ax, y + ay, name, size=11, anchor="middle", fill=ink, weight="bold")
        self.text(x + 49, y + 74, "dp", size=11, anchor="middle", fill=ink, weight="bold")

    def document(self, width, height, title):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {n(height)}" width="{width}" '
            f'height="{n(height)}" role="img" font-family="DejaVu Sans, Verdana, Arial, sans-serif">\n'
            f"<title>{escape(title)}</title>\n"
            # Its own background, for pages that are dark.
            f'<rect width="{width}" height="{n(height)}" fill="{PAPER}"/>\n' + "\n".join(self.items) + "\n</svg>\n")


def digit_pitch(scale):
    return 38 * scale


def text(x, y, words, size, anchor, fill, weight, more=""):
    return (
        f'<text x="{n(x)}" y="{n(y)}" font-size="{size}" text-anchor="{anchor}" fill="{fill}" '
        f'font-weight="{weight}"{more}>{escape(words)}</text>')


def path(points):
    return " ".join(f"{n(x)},{n(y)}" for x, y in points)


def n(value):
    """Returns the shortest text of a number, the same on every machine."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if value else "0"


def faded(opacity):
    return "" if opacity == 1 else f' opacity="{opacity}"'
