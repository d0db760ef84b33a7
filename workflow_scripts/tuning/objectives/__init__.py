"""What methods do with torch, batches and gradients: a file each, named as in `methods`."""
