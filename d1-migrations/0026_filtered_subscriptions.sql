-- The lists of a wallet's subscriptions to one project, and of those of one device, in the order of lists. What these indexes have of a
-- subscription never changes, so only its beginning writes them.
CREATE INDEX subscriptions_of_owner_by_project ON subscriptions (owner, project_id, created_at DESC, subscription_id DESC);
DROP INDEX subscriptions_by_node;
CREATE INDEX subscriptions_by_node ON subscriptions (node_id, owner, created_at DESC, subscription_id DESC);

-- The order of this join keeps the database from reading the state of every subscription on the chain for those of one device or project.
DROP VIEW bonded_subscriptions;
CREATE VIEW bonded_subscriptions AS
SELECT s.subscription_id, s.project_id, s.node_id FROM subscriptions AS s
CROSS JOIN chain_states AS c ON c.kind = 'subscription' AND c.subject = s.subscription_id AND c.state->>'status' = 'bonded';
