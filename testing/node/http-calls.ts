import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text as readText } from 'node:stream/consumers'
import { expect } from 'vitest'
import { errorCodes } from '../../protocol/errors.ts'
import type { Reply, ServingNode } from '../../testing/node/serving-node.ts'

/** The whole body of an error, whose id is anybody's guess. */
export const envelope = (error: string, message: string | RegExp, details?: unknown) => ({
  error,
  message: typeof message === 'string' ? message : expect.stringMatching(message),
  ...(details !== undefined && { details }),
  request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
})

export const expectError = (reply: Reply, status: number, code: string, message: string | RegExp): void => {
  expect([reply.status, reply.json]).toEqual([status, expect.objectContaining(envelope(code, message))])
  expect(Object.keys(errorCodes)).toContain(code)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
}

/**
 * Bytes as they stand, and everything that comes back until the node ends the connection.
 *
 * @param isAll Whether the caller says that nothing more will come.
 */
export function raw(node: ServingNode, bytes: string | Uint8Array, { isAll = false } = {}): Promise<string> {
  const { hostname, port } = new URL(node.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.write(bytes)
  if (isAll) socket.end()
  return readText(socket).catch(() => '')
}

/** This machine as others see it. */
export const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
