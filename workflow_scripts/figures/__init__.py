"""Figures: what was measured as PNG and SVG, the numbers behind, and a caption that says it all."""
