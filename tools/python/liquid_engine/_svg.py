# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Bar charts as SVG text."""
from html import escape


def bars(title, rows, form=None):
    """rows: (label, value, standard deviation), drawn with whiskers; seconds unless there is a format."""
    largest = max((s + (d if d == d else 0) for _, s, d in rows), default=0) or 1
    left, width, height = 260, 420, 24
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 120}" height="{40 + height * len(rows)}" '
           'font-family="sans-serif" font-size="12">',
           f'<text x="8" y="18" font-weight="bold">{escape(title)}</text>']
    for i, (label, s, d) in enumerate(rows):
        y = 32 + height * i
        w = width * s / largest
        out.append(f'<text x="{left - 6}" y="{y + 13}" text-anchor="end">{escape(label[:40])}</text>')
        out.append(f'<rect x="{left}" y="{y}" width="{w:.1f}" height="16" fill="#4477aa"/>')
        if d == d and d > 0:
            a, b = left + width * max(s - d, 0) / largest, left + width * (s + d) / largest
            out.append(f'<path d="M{a:.1f} {y + 8}H{b:.1f}M{a:.1f} {y + 4}v8M{b:.1f} {y + 4}v8" stroke="#222"/>')
        shown = form.format(s) if form else f"{s * 1e3:.3g} ms"
        out.append(f'<text x="{left + w + 8:.1f}" y="{y + 13}">{shown}</text>')
    return "\n".join(out) + "\n</svg>\n"
