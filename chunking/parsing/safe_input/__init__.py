"""What comes in files that nobody trusts: archives, JSON and XML are opened here and nowhere else."""
