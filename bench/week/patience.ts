import { setTimeout as pause } from 'node:timers/promises'
import { type Fetch, fetchFromHub, HubError } from '../../sdk/connect.ts'

export const unixNow = (): number => Math.floor(Date.now() / 1000)

const limitMs = 180_000
const retryMs = 500

/**
 * Sends a request to a hub that may be away for a while, again until it is answered. What is sent again must ask for nothing
 * more: it reads, or it has a key of its own.
 */
export const patientFetch: Fetch = async (request) => {
  for (const endMs = performance.now() + limitMs; ; await pause(retryMs)) {
    try {
      const response = await fetchFromHub(request.clone())
      if (response.status !== 503 || performance.now() > endMs) return response
    } catch (error) {
      if (!(error instanceof HubError) || performance.now() > endMs) throw error
    }
  }
}
