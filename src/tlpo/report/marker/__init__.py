"""``tlpo marker``: columns that are scores already, without any model."""
