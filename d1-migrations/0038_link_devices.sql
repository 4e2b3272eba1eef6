-- What the relay says of devices, and what is held against them. A link writes its columns when its state changes; a lower
-- revision than the one that is there comes late and changes nothing.

ALTER TABLE devices ADD COLUMN link_state TEXT NOT NULL DEFAULT 'offline';
ALTER TABLE devices ADD COLUMN link_revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN connected_since INTEGER;
ALTER TABLE devices ADD COLUMN free_slots INTEGER NOT NULL DEFAULT 0;
-- Since when it is faulty: for its votes, which the link says, and for benchmark receipts that differ from the pinned ones.
ALTER TABLE devices ADD COLUMN vote_fault_at INTEGER;
ALTER TABLE devices ADD COLUMN benchmark_fault_at INTEGER;
ALTER TABLE devices ADD COLUMN banned_at INTEGER;
ALTER TABLE devices ADD COLUMN ban_reason TEXT;

-- One row, so that anybody may ask how many devices are connected: counting them would read them all.
CREATE TABLE relay_totals (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  connected_devices INTEGER NOT NULL,
  available_slots INTEGER NOT NULL
);
INSERT INTO relay_totals VALUES (1, 0, 0);

CREATE TRIGGER relay_totals_follow_devices AFTER UPDATE OF link_state, free_slots ON devices
WHEN (new.link_state, new.free_slots) IS NOT (old.link_state, old.free_slots) BEGIN
  UPDATE relay_totals SET
    connected_devices = connected_devices + (new.link_state <> 'offline') - (old.link_state <> 'offline'),
    available_slots = available_slots + new.free_slots - old.free_slots;
END;

-- A benchmark says what it ran.
UPDATE devices SET benchmark = json_object(
  'suite', benchmark->>'suite', 'ran_at', benchmark->>'measured_at', 'engine', engine,
  'cases', json('[]'), 'mgas_per_s', json('[]'), 'score', benchmark->>'score')
WHERE benchmark IS NOT NULL;
