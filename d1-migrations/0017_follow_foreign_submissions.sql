-- Signed actions that somebody else brought to the chain, and that are not final: the relayer, whose copies have a
-- revision, does not follow them.
CREATE INDEX transactions_to_follow ON transactions (updated_at) WHERE revision = 0 AND status = 'sent';
