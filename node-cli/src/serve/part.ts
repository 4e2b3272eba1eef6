/** A part of the node that works by itself. Parts start in order, and stop in the opposite order. */
export interface Part {
  readonly start: () => void | Promise<void>
  readonly stop: () => void | Promise<void>
}

/** What parts say in the full `GET /status`, by member. */
export type StatusMembers = Map<string, () => unknown>
