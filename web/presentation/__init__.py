"""What rows look like to people: units as words, bytes made visible, charts as plain numbers. Renders nothing."""
