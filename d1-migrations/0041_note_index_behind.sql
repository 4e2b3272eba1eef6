-- While the chain is read from its beginning, what is not indexed yet must not be taken for what never happened.
ALTER TABLE chain_cursor ADD COLUMN is_behind INTEGER NOT NULL DEFAULT 0;
