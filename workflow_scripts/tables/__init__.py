"""Tables: means and deviations over seeds, each beside the value that the paper printed."""
