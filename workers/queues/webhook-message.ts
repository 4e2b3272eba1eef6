import * as z from 'zod'

/** A message of the queue `webhook-deliveries`: the next attempt of a delivery, and how many attempts were made before. */
export const WebhookMessage = z.strictObject({
  v: z.literal(1),
  webhookId: z.string(),
  number: z.int(),
  attemptsMade: z.int(),
})
export type WebhookMessage = z.output<typeof WebhookMessage>
