"""Where jobs run: GPU slots, batch systems, what earlier or failed jobs left, one run at a time."""
