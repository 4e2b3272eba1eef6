-- Filters are words of the search index too, in a column of their own: what a search and its filters leave is then found
-- by the index alone, however little that is of what the words alone would find.

DROP TRIGGER project_search_insert;
DROP TRIGGER project_search_update;
DROP TRIGGER project_tags_insert;
DROP TRIGGER project_tags_update;
DROP TABLE project_search;
DROP TABLE project_tags;

-- A tag is written in hex, which makes one word of it and tells capitals apart.
CREATE VIEW project_words AS SELECT ordinal, name, tagline, tags,
  'status' || replace(listing_status, '_', '') || ' category' || replace(category, '-', '') || ' developer' || developer
    || coalesce((SELECT group_concat(' class' || value, '') FROM json_each('[1,2,4,8,16]') WHERE class_mask & value), '')
    || coalesce((SELECT group_concat(' tag' || hex(value), '') FROM json_each(tags)), '') AS filters
  FROM projects WHERE ordinal IS NOT NULL;

CREATE VIRTUAL TABLE project_search USING fts5(
  name, tagline, tags, filters, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2',
  prefix = '2 3'
);
INSERT INTO project_search (rowid, name, tagline, tags, filters)
SELECT ordinal, name, tagline, tags, filters FROM project_words;
CREATE TRIGGER project_search_insert AFTER INSERT ON projects BEGIN
  INSERT INTO project_search (rowid, name, tagline, tags, filters)
  SELECT ordinal, name, tagline, tags, filters FROM project_words WHERE ordinal = new.ordinal;
END;
CREATE TRIGGER project_search_update
AFTER UPDATE OF name, tagline, tags, listing_status, category, class_mask ON projects
WHEN new.ordinal IS NOT NULL AND (new.name, new.tagline, new.tags, new.listing_status, new.category, new.class_mask)
  IS NOT (old.name, old.tagline, old.tags, old.listing_status, old.category, old.class_mask) BEGIN
  DELETE FROM project_search WHERE rowid = old.ordinal;
  INSERT INTO project_search (rowid, name, tagline, tags, filters)
  SELECT ordinal, name, tagline, tags, filters FROM project_words WHERE ordinal = new.ordinal;
END;

-- The key a list is sorted by is part of its cursors, and a name can be eighteen times as long once it is folded.
UPDATE projects SET name_key = substr(name_key, 1, 64) WHERE length(name_key) > 64;
