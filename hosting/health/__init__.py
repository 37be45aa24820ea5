"""What can be wrong with a deployment: what `chunkscope doctor` and the operators' page look at."""
