"""What a config may say: typed blocks, how files lie over each other, and errors that teach."""
