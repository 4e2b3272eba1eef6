-- How a letter was seen to: `resent` or `closed` by an operator, `done` when the chain has what it was about.
ALTER TABLE dead_letters ADD COLUMN resolution TEXT;
