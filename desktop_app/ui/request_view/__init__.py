"""The request that the model gets, shown part by part in place of the transcript."""
