/** What screens ask the hub for as soon as they run, by their path. */
export const consoleReads: Readonly<Record<string, readonly string[]>> = {
  '/': ['/v1/explorer/stats', '/v1/explorer/rounds?limit=20&kind=task'],
  '/projects': ['/v1/projects?limit=25'],
  '/projects/{project}': ['/v1/projects/{project}'],
  '/rounds': ['/v1/explorer/rounds?limit=25&kind=task'],
  '/rounds/{round}': ['/v1/explorer/rounds/{round}'],
  '/receipts/{receipt}': ['/v1/explorer/receipts/{receipt}'],
  '/slashes/{slash}': ['/v1/slashes/{slash}'],
  '/tx/{transaction}': ['/v1/transactions/{transaction}'],
  '/nodes/{node}': ['/v1/devices/{node}'],
  '/epochs/{project}/{epoch}': ['/v1/explorer/epochs/{project}/{epoch}'],
  '/status': ['/v1/status'],
  '/faucet': ['/v1/faucet'],
}
