-- Miners of a project are read by their key alone; no list is in the order of their units.
DROP INDEX project_miners_by_units;
