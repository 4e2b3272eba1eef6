import { beforeAll, describe, expect, test } from 'vitest'
import { png } from '../images/testing/images.ts'
import { namedArtifact } from '../test/artifact.ts'
import { createWallet, signIn } from '../test/callers.ts'
import { client } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'

let token: string
beforeAll(async () => {
  ;({ token } = await signIn())
  // The first row of a table whose triggers write to a view counts two more than every later one.
  await (await signIn()).client.post('/v1/developers/me/enrollment', enrollment)
})

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const enrollment = { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true }

/** Writes that need nothing but a session, with the trips to the database and the rows written, indexes counted. */
const writes = [
  ['POST', '/v1/auth/nonce', { address: createWallet().address, domain: 'localhost:8787' }, 2, 2],
  ['PUT', '/v1/me/preferences', { display_name: 'Ada' }, 2, 1],
  ['POST', '/v1/developers/me/enrollment', enrollment, 3, 3],
  ['POST', '/v1/developers/me/drafts', { data: {} }, 2, 2],
  ['POST', '/v1/modules', { hbc_b64: base64(namedArtifact('costs').bytes) }, 3, 3],
  ['POST', '/v1/developers/assets', { content_type: 'image/png', data_b64: base64(png()) }, 3, 1],
  ['POST', '/v1/auth/logout', undefined, 2, 1],
] as const

describe('the database cost of writes', () => {
  test.each(writes)('%s %s', async (method, path, json, roundTrips, rowsWritten) => {
    const { db, use } = countedDatabase()
    const response = await client({ token, bindings: { DB: db } }).fetch(path, {
      method,
      ...(json && { json }),
    })
    expect(response.ok, await response.clone().text()).toBe(true)
    expect(use).toMatchObject({ roundTrips, rowsWritten })
  })
})
