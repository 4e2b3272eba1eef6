-- The lists of a wallet's subscriptions to one project, and of those of one device, in the order of lists. What these indexes have of a
-- subscription never changes, so only its beginning writes them.
CREATE INDEX subscriptions_of_owner_by_project ON subscriptions (owner, project_id, created_at DESC, subscription_id DESC);
DROP INDEX subscriptions_by_node;
CREATE INDEX subscriptions_by_node ON subscriptions (node_id, owner, created_at DESC, subscription_id DESC);
