"""Digits as people read them: bit 0 is segment a (the top bar), then clockwise, g in the middle, bit 7 the point."""

FIGURES = {
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg", "5": "acdfg", "6": "acdefg", "7": "abc",
    "8": "abcdefg", "9": "abcdfg", " ": "",
}
BY_SEGMENTS = {sum(1 << "abcdefg".index(name) for name in names): figure for figure, names in FIGURES.items()}


def text(segments):
    """Returns the digits' text, leftmost first; `?` for segments that are no figure, a point if it is lit."""
    return "".join(BY_SEGMENTS.get(digit & 0x7F, "?") + ("." if digit & 0x80 else "") for digit in segments)
