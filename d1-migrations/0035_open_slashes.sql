-- What the open slashes of a subscription take.
CREATE INDEX slashes_open ON slashes (subscription_id, amount) WHERE status IN ('recorded', 'proposed', 'disputed');
