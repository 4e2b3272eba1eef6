/**
 * The paths that each screen reads as soon as it runs, by the path of the screen. The hub puts its answers into the page;
 * `console/src/lib/given.ts` says what each is.
 */
export const givenReads: Readonly<Record<string, readonly string[]>> = {
  '/': ['/', '/v1/explorer/stats', '/v1/explorer/rounds?limit=20&kind=task'],
  '/projects': ['/', '/v1/categories', '/v1/projects?limit=25'],
  '/projects/{project}': [
    '/',
    '/v1/projects/{project}',
    '/v1/network/params',
    '/v1/projects/{project}/epochs?limit=24',
    '/v1/explorer/rounds?limit=6&kind=task&project_id={project}',
    '/v1/projects/{project}/reviews',
    '/v1/projects/{project}/versions',
  ],
  '/rounds/{round}': ['/', '/v1/explorer/rounds/{round}', '/v1/tasks/{round}'],
}

/** The same for screens that ask themselves: the browser starts these reads while their script loads. */
export const aheadReads: Readonly<Record<string, readonly string[]>> = {
  '/rounds': ['/v1/explorer/rounds?limit=25&kind=task'],
  '/receipts/{receipt}': ['/v1/explorer/receipts/{receipt}'],
  '/slashes/{slash}': ['/v1/slashes/{slash}'],
  '/tx/{transaction}': ['/v1/transactions/{transaction}'],
  '/nodes/{node}': ['/v1/devices/{node}'],
  '/accounts/{account}': ['/v1/accounts/{account}'],
  '/epochs/{project}/{epoch}': ['/v1/explorer/epochs/{project}/{epoch}'],
  '/status': ['/v1/status'],
  '/faucet': ['/v1/faucet'],
}
