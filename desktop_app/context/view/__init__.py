"""What the model sees: a fold of the record, in a sequence that every provider accepts."""
