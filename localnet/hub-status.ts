import type { Schemas } from '../sdk/index.ts'

/** What `GET /v1/status` says; nothing where the hub does not answer, as while it stops. */
export async function readStatus(origin: string): Promise<Partial<Schemas['Status']>> {
  try {
    return (await (await fetch(`${origin}/v1/status`)).json()) as Schemas['Status']
  } catch {
    return {}
  }
}
