import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { ownMessages } from './own-messages.ts'

test('a batch is reduced to the messages of this file, and those of an earlier file are acknowledged', async () => {
  const message = (id: string, at: number) => ({ id, timestamp: new Date(at), attempts: 1, body: id })
  const batch = createMessageBatch('round-rows', [message('earlier', 1), message('own', Date.now())])
  const own = ownMessages(batch)
  expect(own.messages.map(({ body }) => body)).toEqual(['own'])
  own.retryAll()
  expect(await getQueueResult(batch, createExecutionContext())).toMatchObject({
    explicitAcks: ['earlier'],
    retryMessages: [{ msgId: 'own' }],
  })
})
