"""Reading a published config.json: values by our words, and what nobody read."""
