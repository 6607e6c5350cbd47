"""What is in force at each point of a body, told without evaluating anything."""
