-- Finds a version among rejected ones of its number too, which the unique index leaves out.
CREATE INDEX project_versions_by_version ON project_versions (project_id, version, id DESC);
