-- Epochs get smaller numbers when they become longer: their rounds order the archives, and versions say which lengths they had when.
CREATE INDEX archives_of_project_by_last_round ON archives (project_id, last_issued_at);
CREATE INDEX project_versions_by_time ON project_versions (project_id, effective_at) WHERE effective_at IS NOT NULL;
