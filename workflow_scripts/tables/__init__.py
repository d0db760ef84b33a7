"""Tables: means and deviations over seeds, each next to the value that the paper printed."""
