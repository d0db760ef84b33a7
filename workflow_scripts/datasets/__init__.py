"""Reading evaluation sets: one module per family of file formats, all taking the data root."""
