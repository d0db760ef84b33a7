"""What a config may say: typed blocks, how files override each other, and errors that teach."""
