"""Token counts, the gauge's figures, and calibration by providers' reports."""
