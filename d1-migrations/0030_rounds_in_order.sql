-- The lists of rounds with a result, for the same reason in the ascending order of time.
DROP INDEX rounds_final;
DROP INDEX rounds_final_of_project;
DROP INDEX rounds_final_of_module;
CREATE INDEX rounds_final ON rounds (kind, issued_at, round_id) WHERE state = 'finalized';
CREATE INDEX rounds_final_of_project ON rounds (project_id, issued_at, round_id)
  WHERE state = 'finalized' AND project_id IS NOT NULL;
CREATE INDEX rounds_final_of_module ON rounds (module_address, kind, issued_at, round_id) WHERE state = 'finalized';
