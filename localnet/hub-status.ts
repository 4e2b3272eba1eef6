import type { Schemas } from '../sdk/index.ts'

/** The answer of `GET /v1/status`; empty if the hub does not answer, as while it stops. */
export async function readStatus(origin: string): Promise<Partial<Schemas['Status']>> {
  try {
    return (await (await fetch(`${origin}/v1/status`)).json()) as Schemas['Status']
  } catch {
    return {}
  }
}
