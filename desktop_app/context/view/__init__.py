"""The view, which is sent to the model: a fold of the record, in a sequence that every provider accepts."""
