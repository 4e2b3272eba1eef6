/**
 * Tables that D1 cannot export, and the statements that make them again from other tables. Nothing is lost with them.
 * Searches fail while they are away; writes do not, because the triggers that fill them are away as well.
 */
export const dropSearchTables = [
  'DROP TRIGGER IF EXISTS project_search_insert',
  'DROP TRIGGER IF EXISTS project_search_update',
  'DROP TABLE IF EXISTS project_search',
]

/** As the migrations make them, which a test checks, and filled. */
export const makeSearchTables = [
  ...dropSearchTables,
  `CREATE VIRTUAL TABLE project_search USING fts5(
  name, tagline, tags, filters, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2',
  prefix = '2 3'
)`,
  `INSERT INTO project_search (rowid, name, tagline, tags, filters)
  SELECT ordinal, name, tagline, tags, filters FROM project_words`,
  `CREATE TRIGGER project_search_insert AFTER INSERT ON projects BEGIN
  INSERT INTO project_search (rowid, name, tagline, tags, filters)
  SELECT ordinal, name, tagline, tags, filters FROM project_words WHERE ordinal = new.ordinal;
END`,
  `CREATE TRIGGER project_search_update
AFTER UPDATE OF name, tagline, tags, listing_status, category, class_mask ON projects
WHEN new.ordinal IS NOT NULL AND (new.name, new.tagline, new.tags, new.listing_status, new.category, new.class_mask)
  IS NOT (old.name, old.tagline, old.tags, old.listing_status, old.category, old.class_mask) BEGIN
  DELETE FROM project_search WHERE rowid = old.ordinal;
  INSERT INTO project_search (rowid, name, tagline, tags, filters)
  SELECT ordinal, name, tagline, tags, filters FROM project_words WHERE ordinal = new.ordinal;
END`,
]
