"""What running again has proved: output buffered, or a changed source; and how much of it a reader may see."""
