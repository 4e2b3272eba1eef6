-- Each set of filters of the lists of rounds is one range of an index, or of a module without a kind two. Rounds of a project
-- are tasks, so they need no kind.
CREATE INDEX rounds_by_kind_and_state ON rounds (kind, state, issued_at DESC, round_id DESC);
CREATE INDEX rounds_of_module_by_kind ON rounds (module_address, kind, issued_at DESC, round_id DESC);
CREATE INDEX rounds_of_module_by_kind_and_state ON rounds (module_address, kind, state, issued_at DESC, round_id DESC);
CREATE INDEX rounds_of_project_by_module ON rounds (project_id, module_address, issued_at DESC, round_id DESC)
  WHERE project_id IS NOT NULL;
CREATE INDEX rounds_of_project_by_module_and_state
  ON rounds (project_id, module_address, state, issued_at DESC, round_id DESC) WHERE project_id IS NOT NULL;
DROP INDEX rounds_of_module;
DROP INDEX rounds_of_module_by_state;
