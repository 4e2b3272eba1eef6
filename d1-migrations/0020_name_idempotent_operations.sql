-- A request whose outcome is unknown leaves its claim. The operation keeps its id through every further try, and what it
-- makes is named after that id, so that a further try finds what an earlier one did.
ALTER TABLE idempotency_keys ADD COLUMN operation_id TEXT NOT NULL DEFAULT '';
-- The request that holds the claim: of two that ran one after the other, the earlier must not end the later one's.
ALTER TABLE idempotency_keys ADD COLUMN claimed_by TEXT NOT NULL DEFAULT '';
