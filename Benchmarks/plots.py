"""Draws the results of `make bench` as SVG files: results.json, and the folder for them."""

import json
import sys
from pathlib import Path
from xml.sax.saxutils import escape

COLORS = {"Deskbell": "#0a7d5a", "Go": "#5b8dd6", "nghttpd": "#b9bec6"}
WIDTH, LABEL, BAR, GAP, TOP = 720, 210, 20, 6, 44


def chart(title, groups, unit):
    """Horizontal bars: groups of (label, [(series, value)]), as the text of an SVG file."""
    most = max(value for _, bars in groups for _, value in bars)
    lines, y = [], TOP
    for label, bars in groups:
        lines.append(f'<text x="{LABEL - 10}" y="{y + 15}" text-anchor="end">{escape(label)}</text>')
        for series, value in bars:
            length = max((WIDTH - LABEL - 150) * value / most, 1)
            lines.append(f'<rect x="{LABEL}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{COLORS[series]}"/>')
            lines.append(f'<text x="{LABEL + length + 8:.1f}" y="{y + 15}">{value:,.0f} {unit} <tspan fill="#666">'
                         f'{escape(series)}</tspan></text>')
            y += BAR + 2
        y += GAP * 2
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>',
        f'<text x="{LABEL}" y="24" font-size="15" font-weight="bold">{escape(title)}</text>', *lines, "</svg>", ""])


def groups(shapes, key, servers):
    return [(shape, [(server, figures[server][key]) for server in servers]) for shape, figures in shapes.items()]


def grown(growth):
    """Each kind of growth with its own bars, of Deskbell alone."""
    def bars(costs):
        return [(str(label), [("Deskbell", cost)]) for label, cost in costs.items()]

    return [
        *bars(growth["appliance"]["processor"]),
        *bars({f"{shape} connections": cost for shape, cost in growth["connections"].items()}),
        *bars({f"{count} handsets": figures["processor"] for count, figures in growth["handsets"].items()})]


def main():
    results, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    shapes, storing = results["contest"]["kinds"]["alert, badge, sound"], ["Deskbell", "Go"]
    disk = results["disk"]["this disk"]
    charts = {
        "rate": chart("Pushes a second, stored durably", groups(shapes, "rate", storing), "/s"),
        "processor": chart("Processor time of a push", groups(shapes, "processor", storing), "µs"),
        "bytes": chart("Bytes written to the disk for a push", groups(disk, "bytes", storing), "bytes")}
    if "growth" in results:
        charts["growth"] = chart("Processor time of a push, as things grow", grown(results["growth"]), "µs")
    for name, text in charts.items():
        (folder / f"{name}.svg").write_text(text)


if __name__ == "__main__":
    main()
