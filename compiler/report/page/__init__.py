"""The design-review page: one HTML file whose numbers follow its own sliders."""
