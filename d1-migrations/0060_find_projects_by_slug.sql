-- A path or a query may name a project by its slug, which several developers may have.
CREATE INDEX projects_by_slug ON projects (slug);
