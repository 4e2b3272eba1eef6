import type { Env } from '../env.ts'
import { services } from '../services.ts'

export async function consumeDeadLetters(
  batch: MessageBatch<unknown>,
  env: Env,
  queue: string,
): Promise<void> {
  const { deadLetters, clock } = services(env)
  for (const message of batch.messages) {
    try {
      await deadLetters.keep({
        messageId: message.id,
        queue,
        body: JSON.stringify(message.body),
        attempts: message.attempts,
        diedAt: await clock.now(),
      })
      message.ack()
    } catch (error) {
      console.error(`dead letter ${message.id} could not be kept`, error)
      message.retry({ delaySeconds: Math.min(600, 2 ** message.attempts) })
    }
  }
}
