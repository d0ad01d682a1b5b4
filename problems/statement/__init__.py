"""Statements: Markdown and LaTeX in, safe HTML with pictures and samples out."""
