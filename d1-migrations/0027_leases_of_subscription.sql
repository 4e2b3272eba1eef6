-- The leases of a subscription that did not end in a verified proof, newest first: why it gets no work or reward, however many other devices
-- its owner has. The others are most, and write nothing here.
CREATE INDEX leases_other_of_subscription ON leases (subscription_id, created_at DESC)
  WHERE state <> 'finalized' OR proof_status <> 'verified';
