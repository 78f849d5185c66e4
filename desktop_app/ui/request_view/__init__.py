"""The request view: the request that the model gets, part by part, in place of the transcript."""
