"""Methods that take more than vectors of the model: what they do with torch and batches."""
