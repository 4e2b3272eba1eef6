-- The attestations of sets whose epoch is long over lie in R2, in a file of so many; null while they are rows.
ALTER TABLE committee_sets ADD COLUMN filed INTEGER;
CREATE INDEX committee_sets_to_file ON committee_sets ((epoch + 1) * epoch_secs) WHERE attested_at IS NOT NULL AND filed IS NULL;
