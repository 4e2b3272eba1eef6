-- The check that an invalid vote failed, for the owner of the device.
ALTER TABLE leases ADD COLUMN vote_problem TEXT;
