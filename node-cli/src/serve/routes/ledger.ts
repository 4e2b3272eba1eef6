import { isBytes32 } from '../../../../protocol/encoding/index.ts'
import { functionNamePattern } from '../../../../protocol/hbc/artifact.ts'
import { invalidField } from '../http/api-error.ts'
import { pageText } from '../http/page.ts'
import type { Route } from '../http/route.ts'
import { readLimit } from '../http/target.ts'
import type { LedgerQuery, LedgerStore } from '../store/ledger.ts'

const limitDefault = 50
const limitMax = 200

/** Recent signed receipts, the newest first. */
export const ledgerRoute = (ledger: LedgerStore): Route => ({
  method: 'GET',
  path: '/ledger',
  access: 'open',
  query: ['module', 'function', 'cursor', 'limit'],
  handle: ({ query }) => ({ status: 200, body: receiptsText(ledger, readLedgerQuery(query)) }),
})

function readLedgerQuery(query: ReadonlyMap<string, string>): LedgerQuery {
  const address = query.get('module') ?? null
  const functionName = query.get('function') ?? null
  const cursor = query.get('cursor') ?? null
  if (address !== null && !isBytes32(address))
    throw invalidField('module', 'must be an address of 0x and 64 hex digits in lower case')
  if (functionName !== null && !functionNamePattern.test(functionName))
    throw invalidField('function', 'must be the name of a function')
  if (cursor !== null && !/^[1-9]\d{0,14}$/.test(cursor))
    throw invalidField('cursor', 'must be the next_cursor of another page')
  const limit = readLimit(query, limitDefault, limitMax)
  return { address, functionName, before: cursor === null ? null : Number(cursor), limit }
}

const receiptsText = (ledger: LedgerStore, query: LedgerQuery): Iterable<string> =>
  pageText('receipts', {
    ids: ledger.newest({ ...query, limit: query.limit + 1 }),
    limit: query.limit,
    read: ledger.envelope,
    cursorOf: String,
  })
