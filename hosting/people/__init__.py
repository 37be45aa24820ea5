"""Who the people of a deployment are, what they use, whom they invite, and what they did."""
