-- What is late: sets of epochs that run without a quorum's attestation, and tasks that wait for their round.
CREATE INDEX committee_sets_unattested ON committee_sets ((epoch + 1) * epoch_secs, project_id) WHERE attested_at IS NULL;
CREATE INDEX tasks_waiting ON tasks (created_at, project_id) WHERE round_id IS NULL AND error IS NULL;
