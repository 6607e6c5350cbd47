"""Generators and judges of the property tests: programs that raise, what they really print, what was mined."""
