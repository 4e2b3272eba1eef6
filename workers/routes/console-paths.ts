/** Pages of the console beside its first, as `console/src/routes/` has them. */
export const consolePaths = [
  '/projects',
  '/projects/{project}',
  '/projects/{project}/try',
  '/rounds',
  '/rounds/{round}',
  '/receipts/{receipt}',
  '/slashes/{slash}',
  '/tx/{transaction}',
  '/nodes/{node}',
  '/epochs/{project}/{epoch}',
  '/search',
  '/status',
  '/faucet',
  '/me',
  '/run-a-device',
  '/operate',
]
