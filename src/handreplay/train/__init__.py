"""Trains the models and exports them to ONNX; the only place that loads torch."""
