/** The least a request costs: a Worker that does nothing. */
export default { fetch: () => new Response('ok') }
