"""What two specs differ in: their structure, their costs, and the lines that cause it."""
