"""Run directories in, one self-contained HTML file out."""
