let beganAtMs = 0

/** Has the messages count that are sent from now on. */
export function beginMessages(): void {
  beganAtMs = Date.now()
}

/**
 * The messages of a batch that this file has sent. Queues hold messages for a second and are not emptied with the storage, so
 * the last ones of a file come while the next one runs, which would find rows of rounds that it never had.
 */
export function ownMessages(batch: MessageBatch<unknown>): MessageBatch<unknown> {
  const { queue, metadata, messages } = batch
  const own = messages.filter(({ timestamp }) => timestamp.getTime() >= beganAtMs)
  for (const message of messages) if (!own.includes(message)) message.ack()
  return {
    ...{ queue, metadata, messages: own },
    ackAll: () => {
      for (const message of own) message.ack()
    },
    retryAll: (options) => {
      for (const message of own) message.retry(options)
    },
  }
}
