import type { components } from '../sdk/api.generated.ts'

/** What `GET /v1/status` says; nothing where the hub does not answer, as while it stops. */
export async function readStatus(origin: string): Promise<Partial<components['schemas']['Status']>> {
  try {
    return (await (await fetch(`${origin}/v1/status`)).json()) as components['schemas']['Status']
  } catch {
    return {}
  }
}
