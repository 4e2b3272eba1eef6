import type { Env } from '../env.ts'
import type { Due } from '../stores/webhook-deliveries.ts'

/** Messages of one call. */
const batchMax = 100

/** Sends messages about deliveries that are due. A message that cannot be sent seems lost after a while, and is sent again. */
export const sendDue =
  (env: Env) =>
  async (due: readonly Due[]): Promise<void> => {
    for (let first = 0; first < due.length; first += batchMax)
      await env.WEBHOOK_DELIVERIES.sendBatch(
        due.slice(first, first + batchMax).map(({ webhookId, number, attemptsMade }) => ({
          body: { v: 1 as const, webhookId, number, attemptsMade },
        })),
      ).catch((error) => console.error('deliveries of webhooks could not be put into the queue', error))
  }
