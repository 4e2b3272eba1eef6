-- Rounds whose committee is done and that are not over, by when it was done: those that wait for long are late.
CREATE INDEX rounds_undecided ON rounds (coalesce(agreed_at, issued_at), project_id, epoch)
  WHERE state IN ('committee_agreed', 'escalated', 'fallback');
