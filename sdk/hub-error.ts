/** What the hub refused, in its own words, or why it cannot be asked. */
export class HubError extends Error {
  override readonly name = 'HubError'
}
