"""Turn rows into what pages show: units as words, visible bytes, charts as plain numbers. Renders nothing."""
